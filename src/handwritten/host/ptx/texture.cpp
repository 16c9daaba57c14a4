// Reading textures, and asking about them (PTX ISA, "Texture Instructions: tex, tld4, txq"). Textures have
// one level, so that neither the level nor gradients of coordinates matter.
#include "host/ptx/image.hpp"

namespace pygpu::host::ptx {
namespace {

// In an instruction's imm.
constexpr std::uint64_t dimensions_mask = 3, is_layered = 4, is_fetch = 8, channel_shift = 4;

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
    const bool fetches = i->imm & is_fetch;
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
    const auto channel = static_cast<unsigned>(i->imm >> channel_shift);
    return each_sample(
        i, w,
        [=](const Texture &texture, const float *at, std::size_t layer, Sample &made, std::uintptr_t &wrong) {
            made = {};
            return texture.dimensions != 2 || gather(texture, at, layer, channel, made, wrong);
        });
}

void decode_results(Decoder &d, Extra &more, Instr &made, Type type) {
    std::size_t operands = 1;
    const Operand &results = d.operand(0);
    if (results.kind != Operand::vector || results.parts.size() != 4) d.unknown("four results are expected");
    for (const Operand &one : results.parts) more.results.push_back(d.out(one, type));
    if (d.count() > operands && d.operand(operands).second) {
        made.b = 1;
        made.c = d.pred_out(d.operand(operands));
    }
}

void decode_texture(Decoder &d) {
    d.allow({"1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms", "base", "level", "grad", "v2",
             "v4", "r", "g", "b", "a"});
    const bool gathers = d.base == "tld4";
    const Type type = d.needs_type(1), coordinate = d.needs_type();
    if (!d.has("v4") || type.width() != 32 || coordinate.width() != 32) d.unknown();
    if (d.has("base")) d.unknown("textures have one level");
    const Geometry geometry = geometry_of(d);
    const bool whole = !coordinate.is_float();
    if (whole && (geometry.dimensions > 1 || geometry.layered))
        d.unknown("whole coordinates are for one dimension");
    const std::size_t at = d.count() > 1 && d.operand(1).second ? 2 : 1;
    const std::size_t levels = d.has("level") ? 1 : d.has("grad") ? 2 : 0;
    if (d.count() != at + 1 + levels) d.unknown("offsets and comparisons aren't supported");
    Extra &more = d.extra();
    Instr made;
    const std::uint32_t handle = decode_place(d, d.operand(at), geometry, coordinate, more.places);
    decode_results(d, more, made, type);
    Instr &emitted = d.emit(gathers ? gather_four : look_up);
    emitted.a = handle;
    emitted.b = made.b;
    emitted.c = made.c;
    emitted.extra = &more;
    emitted.imm = geometry.dimensions | (whole ? is_fetch : 0);
    if (!gathers) return;
    if (geometry.dimensions != 2) d.unknown();
    static constexpr std::string_view names[] = {"r", "g", "b", "a"};
    const auto *const found = std::ranges::find_if(names, [&](std::string_view one) { return d.has(one); });
    if (found == std::end(names)) d.unknown();
    emitted.imm |= static_cast<std::uint64_t>(found - names) << channel_shift;
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
