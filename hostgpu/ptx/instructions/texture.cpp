// Reading textures, and asking about them (PTX ISA, "Texture Instructions: tex, tld4, txq").
#include "image/cube.hpp"
#include "image/sampling.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/texture_operands.hpp"

namespace pygpu::host::ptx {
namespace {

// In an instruction's imm. is_fetch: the coordinate is an integer; by_level, by_gradients: a level of detail
// or gradients follow the coordinates; to_cube, to_volume: the coordinates are a direction or a place in a
// volume.
enum Fetch : std::uint64_t { is_fetch = 1, by_level = 2, by_gradients = 4, to_cube = 8, to_volume = 16 };

// The registers of one lane: coordinates and what stands after them.
class LaneOperands {
public:
    LaneOperands(const Instr *i, std::uint64_t how, Warp &w, unsigned lane)
        : slots_(i->extra->slots), how_(how), w_(w), lane_(lane) {}

    std::uint32_t layer() const { return w_.reg<std::uint32_t>(slots_[0])[lane_]; }
    float number(std::size_t index) const { return w_.reg<float>(slots_[index + 1])[lane_]; }
    // Each of the two gradients has as many numbers.
    std::size_t coordinates() const {
        const std::size_t count = slots_.size() - 1;
        return how_ & by_level ? count - 1 : how_ & by_gradients ? count / 3 : count;
    }

private:
    const std::vector<std::uint32_t> &slots_;
    const std::uint64_t how_;
    Warp &w_;
    const unsigned lane_;
};

// Gives each lane its four results. a: the handle; extra: coordinates, and where results go.
template <class Read> const Instr *each_sample(const Instr *i, Warp &w, std::uint64_t how, Read read) {
    HandlesOf handles(i, w, false);
    const std::vector<std::uint32_t> &results = i->extra->results;
    Sample result[warp_size];
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const Texture *const texture = handles.find(l);
        if (!texture) return nullptr;
        const LaneOperands arguments(i, how, w, l);
        // A view may have fewer layers than a cube has faces.
        const std::size_t most =
            std::max<std::size_t>(texture->layers() / (texture->cube ? cube_faces : 1), 1) - 1;
        SamplePoint point;
        for (std::size_t k = 0; k < arguments.coordinates(); ++k) point.at[k] = arguments.number(k);
        point.layer = std::min<std::size_t>(arguments.layer(), most);
        std::uintptr_t wrong = 0;
        if (!read(*texture, arguments, point, result[l], wrong)) {
            char text[96];
            std::snprintf(text, sizeof text, "a texel at 0x%llx, which isn't in memory that is allocated",
                          static_cast<unsigned long long>(wrong));
            return w.fail(Fault::illegal_address, i, text, l);
        }
    }
    for (std::size_t part = 0; part < results.size(); ++part) {
        auto *const to = w.reg<std::uint32_t>(results[part]);
        each_active(w, [&](unsigned l) { to[l] = result[l][part]; });
    }
    if (i->b) set_pred(w, i->c, ~0u); // the texel is resident
    return i + 1;
}

Gradients gradients_of(const LaneOperands &arguments) {
    Gradients gradients;
    const std::size_t count = arguments.coordinates();
    for (std::size_t k = 0; k < count; ++k) {
        gradients.by_x[k] = arguments.number(count + k);
        gradients.by_y[k] = arguments.number(2 * count + k);
    }
    return gradients;
}

// Linear memory is read by integers only, arrays and pitched memory by floats, cubes by directions, volumes
// by three coordinates. A texture that doesn't fit the instruction gives zeros, as on a card.
bool fits(const Texture &texture, std::uint64_t how) {
    return bool(how & is_fetch) == (texture.layout == Texture::Layout::linear) &&
           bool(how & to_cube) == texture.cube && bool(how & to_volume) == (texture.dimensions == 3);
}

const Instr *look_up(const Instr *i, Warp &w) {
    const std::uint64_t how = i->imm;
    return each_sample(i, w, how,
                       [=](const Texture &texture, const LaneOperands &arguments, SamplePoint point,
                           Sample &result, std::uintptr_t &wrong) {
                           result = {};
                           if (!fits(texture, how)) return true;
                           if (how & is_fetch)
                               return fetch(texture, std::bit_cast<std::int32_t>(point.at[0]), result, wrong);
                           Gradients gradients;
                           if (how & by_gradients) gradients = gradients_of(arguments);
                           if (how & to_cube) point = on_face(point, gradients);
                           if (how & by_level)
                               point.level = static_cast<double>(arguments.number(arguments.coordinates()));
                           if (how & by_gradients) point.level = level_of(texture, gradients);
                           return sample(texture, point, result, wrong);
                       });
}

const Instr *gather_four(const Instr *i, Warp &w) {
    const auto channel = static_cast<unsigned>(i->imm);
    return each_sample(i, w, 0,
                       [=](const Texture &texture, const LaneOperands &, const SamplePoint &point,
                           Sample &result, std::uintptr_t &wrong) {
                           result = {};
                           return texture.dimensions != 2 || texture.cube ||
                                  gather(texture, point, channel, result, wrong);
                       });
}

// Of tld4: which of the four.
std::uint64_t channel_of(const Decoder &d) {
    static constexpr std::string_view names[] = {"r", "g", "b", "a"};
    const auto *const entry = std::ranges::find_if(names, [&](std::string_view one) { return d.has(one); });
    if (entry == std::end(names)) d.unknown();
    return static_cast<std::uint64_t>(entry - names);
}

// Adds `count` numbers of a vector, or a single number, to `slots`. Further ones don't count.
void decode_numbers(Decoder &d, const Operand &from, std::size_t count, std::vector<std::uint32_t> &slots) {
    const bool several = from.kind == Operand::vector;
    if ((several ? from.parts.size() : 1) < count) d.unknown("the number of gradients is wrong");
    for (std::size_t k = 0; k < count; ++k)
        slots.push_back(d.in(several ? from.parts[k] : from, {Type::real, 32}));
}

void decode_texture(Decoder &d) {
    d.allow({"1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms", "base", "level", "grad", "v2",
             "v4", "r", "g", "b", "a"});
    const bool gathers = d.base == "tld4", levels = d.has("level"), grads = d.has("grad");
    const Type type = d.needs_type(1), coordinate = d.needs_type();
    const Geometry geometry = geometry_of(d);
    const bool whole = !coordinate.is_float();
    const Operand &results = d.operand(0);
    if (!d.has("v4") || type.width() != 32 || coordinate.width() != 32) d.unknown();
    if (results.kind != Operand::vector || results.parts.size() != 4) d.unknown("four results are expected");
    if (whole && (geometry.dimensions > 1 || geometry.layered || levels || grads))
        d.unknown("whole coordinates are for one dimension and level");
    if (gathers && (geometry.dimensions != 2 || levels || grads)) d.unknown();
    const bool asks = d.count() > 1 && d.operand(1).second; // d|p: whether the texel is resident
    const std::size_t at = asks ? 2 : 1;
    if (d.count() != at + 1 + levels + 2 * grads) d.unknown("offsets and comparisons aren't supported");
    Extra &more = d.extra();
    const std::uint32_t handle = decode_place(d, d.operand(at), geometry, coordinate, more.slots);
    if (levels) decode_numbers(d, d.operand(at + 1), 1, more.slots);
    if (grads) decode_numbers(d, d.operand(at + 1), geometry.dimensions, more.slots);
    if (grads) decode_numbers(d, d.operand(at + 2), geometry.dimensions, more.slots);
    for (const Operand &one : results.parts) more.results.push_back(d.out(one, type));
    const std::uint32_t resident = asks ? d.pred_out(d.operand(1)) : 0;
    const bool volume = geometry.dimensions == 3 && !geometry.cube;
    const std::uint64_t how = whole * is_fetch | levels * by_level | grads * by_gradients |
                              geometry.cube * to_cube | volume * to_volume;
    Instr &instr = d.emit(gathers ? gather_four : look_up);
    instr.a = handle;
    instr.b = asks;
    instr.c = resident;
    instr.imm = gathers ? channel_of(d) : how;
    instr.extra = &more;
}

enum Query : std::uint64_t { width, height, depth, layers, levels };

std::size_t answer(const Texture &texture, Query query) {
    switch (query) {
    case layers:
        return texture.layered ? texture.layers() : 0;
    case levels:
        return texture.levels.size();
    default:
        return query < texture.dimensions ? texture.base_level().extent[query] : 0;
    }
}

template <bool Surface> const Instr *query(const Instr *i, Warp &w) {
    HandlesOf handles(i, w, Surface);
    auto *const to = w.reg<std::uint32_t>(i->d);
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const Texture *const texture = handles.find(l);
        if (!texture) return nullptr;
        to[l] = static_cast<std::uint32_t>(answer(*texture, static_cast<Query>(i->imm)));
    }
    return i + 1;
}

} // namespace

void decode_query(Decoder &d, bool surface) {
    static constexpr std::string_view names[] = {"width", "height", "depth", "array_size",
                                                 "num_mipmap_levels"};
    const auto *const end = std::end(names) - surface; // a surface is one level
    const auto *const entry = std::find(std::begin(names), end, d.mods.empty() ? "" : d.mods[0]);
    const Operand &object = d.operand(1);
    if (entry == end || d.count() != 2 || object.kind != Operand::address || object.parts.size() != 1 ||
        object.offset)
        d.unknown();
    d.allow({*entry});
    const std::uint32_t handle = d.in(object.parts[0], {Type::natural, 64});
    const std::uint32_t to = d.out(std::size_t{0}, {Type::natural, 32});
    Instr &instr = d.emit(surface ? query<true> : query<false>);
    instr.d = to;
    instr.a = handle;
    instr.imm = static_cast<std::uint64_t>(entry - names);
}

std::vector<Decoding> texture_group() {
    return {{"tex", decode_texture}, {"tld4", decode_texture}, {"txq", [](Decoder &d) {
                                                                    decode_query(d, false);
                                                                }}};
}

} // namespace pygpu::host::ptx
