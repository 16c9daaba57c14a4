// Reading textures, and asking about them (PTX ISA, "Texture Instructions: tex, tld4, txq"). Textures have
// one level, so that neither the level nor gradients of coordinates matter.
#include "host/ptx/image.hpp"

namespace pygpu::host::ptx {
namespace {

constexpr std::uint64_t is_fetch = 1; // in an instruction's imm: its coordinate is a whole number

// Gives each lane its four results. a: the handle; extra: coordinates, and where results go.
template <class Read> const Instr *each_sample(const Instr *i, Warp &w, Read read) {
    HandlesOf handles(i, w, false);
    const std::vector<std::uint32_t> &places = i->extra->places, &results = i->extra->results;
    Sample made[warp_size];
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const Texture *const texture = handles.find(l);
        if (!texture) return nullptr;
        float at[3] = {};
        for (std::size_t k = 1; k < places.size(); ++k) at[k - 1] = w.reg<float>(places[k])[l];
        const std::size_t layer =
            std::min<std::size_t>(w.reg<std::uint32_t>(places[0])[l], texture->layers() - 1);
        std::uintptr_t wrong = 0;
        if (!read(*texture, at, layer, made[l], wrong)) {
            char text[96];
            std::snprintf(text, sizeof text, "a texel at 0x%llx, which isn't in memory that is allocated",
                          static_cast<unsigned long long>(wrong));
            return w.fail(Fault::illegal_address, i, text, l);
        }
    }
    for (std::size_t part = 0; part < results.size(); ++part) {
        auto *const to = w.reg<std::uint32_t>(results[part]);
        each_active(w, [&](unsigned l) { to[l] = made[l][part]; });
    }
    if (i->b) set_pred(w, i->c, ~0u); // the texel is resident
    return i + 1;
}

// Linear memory is read by whole numbers alone, and arrays and pitched memory by floats: what doesn't fit
// gives zeros, as on a card.
const Instr *look_up(const Instr *i, Warp &w) {
    const bool fetches = i->imm == is_fetch;
    return each_sample(
        i, w,
        [=](const Texture &texture, const float *at, std::size_t layer, Sample &made, std::uintptr_t &wrong) {
            const bool linear = texture.layout == Texture::Layout::linear;
            made = {};
            if (fetches != linear) return true;
            return linear ? fetch(texture, std::bit_cast<std::int32_t>(at[0]), made, wrong)
                          : sample(texture, at, layer, made, wrong);
        });
}

const Instr *gather_four(const Instr *i, Warp &w) {
    const auto channel = static_cast<unsigned>(i->imm);
    return each_sample(
        i, w,
        [=](const Texture &texture, const float *at, std::size_t layer, Sample &made, std::uintptr_t &wrong) {
            made = {};
            return texture.dimensions != 2 || gather(texture, at, layer, channel, made, wrong);
        });
}

// Of tld4: which of the four.
std::uint64_t channel_of(const Decoder &d) {
    static constexpr std::string_view names[] = {"r", "g", "b", "a"};
    const auto *const found = std::ranges::find_if(names, [&](std::string_view one) { return d.has(one); });
    if (found == std::end(names)) d.unknown();
    return static_cast<std::uint64_t>(found - names);
}

void decode_texture(Decoder &d) {
    d.allow({"1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms", "base", "level", "grad", "v2",
             "v4", "r", "g", "b", "a"});
    const bool gathers = d.base == "tld4";
    const Type type = d.needs_type(1), coordinate = d.needs_type();
    const Geometry geometry = geometry_of(d);
    const bool whole = !coordinate.is_float();
    const Operand &results = d.operand(0);
    if (!d.has("v4") || type.width() != 32 || coordinate.width() != 32) d.unknown();
    if (results.kind != Operand::vector || results.parts.size() != 4) d.unknown("four results are expected");
    if (d.has("base")) d.unknown("textures have one level");
    if (whole && (geometry.dimensions > 1 || geometry.layered))
        d.unknown("whole coordinates are for one dimension");
    if (gathers && geometry.dimensions != 2) d.unknown();
    const bool asks = d.count() > 1 && d.operand(1).second; // d|p: whether the texel is resident
    const std::size_t at = asks ? 2 : 1, levels = d.has("level") ? 1 : d.has("grad") ? 2 : 0;
    if (d.count() != at + 1 + levels) d.unknown("offsets and comparisons aren't supported");
    Extra &more = d.extra();
    const std::uint32_t handle = decode_place(d, d.operand(at), geometry, coordinate, more.places);
    for (const Operand &one : results.parts) more.results.push_back(d.out(one, type));
    const std::uint32_t resident = asks ? d.pred_out(d.operand(1)) : 0;
    const std::uint64_t how = gathers ? channel_of(d) : whole ? is_fetch : 0;
    Instr &made = d.emit(gathers ? gather_four : look_up);
    made.a = handle;
    made.b = asks;
    made.c = resident;
    made.imm = how;
    made.extra = &more;
}

enum Query : std::uint64_t { width, height, depth, layers };

template <bool Surface> const Instr *query(const Instr *i, Warp &w) {
    HandlesOf handles(i, w, Surface);
    auto *const to = w.reg<std::uint32_t>(i->d);
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const Texture *const texture = handles.find(l);
        if (!texture) return nullptr;
        const unsigned has = i->imm == layers ? 0 : texture->dimensions;
        to[l] = static_cast<std::uint32_t>(i->imm == layers ? (texture->layered ? texture->layers() : 0)
                                           : i->imm < has   ? texture->extent[i->imm]
                                                            : 0);
    }
    return i + 1;
}

} // namespace

void decode_query(Decoder &d, bool surface) {
    static constexpr std::string_view names[] = {"width", "height", "depth", "array_size"};
    const auto *const found = std::ranges::find(names, d.mods.empty() ? "" : d.mods[0]);
    const Operand &object = d.operand(1);
    if (found == std::end(names) || d.count() != 2 || object.kind != Operand::address ||
        object.parts.size() != 1 || object.offset)
        d.unknown();
    d.allow({*found});
    const std::uint32_t handle = d.in(object.parts[0], {Type::natural, 64});
    const std::uint32_t to = d.out(std::size_t{0}, {Type::natural, 32});
    Instr &made = d.emit(surface ? query<true> : query<false>);
    made.d = to;
    made.a = handle;
    made.imm = static_cast<std::uint64_t>(found - names);
}

std::vector<Decoding> texture_group() {
    return {{"tex", decode_texture}, {"tld4", decode_texture}, {"txq", [](Decoder &d) {
                                                                    decode_query(d, false);
                                                                }}};
}

} // namespace pygpu::host::ptx
