// What instructions on textures and on surfaces share: handles, geometries and coordinates.
#pragma once

#include "image/texture.hpp"
#include "ptx/machine/lanes.hpp"
#include "ptx/read/decoder.hpp"

#include <cstdio>

namespace pygpu::host::ptx {

// ".2d", ".a2d": how many coordinates stand after the layer.
struct Geometry {
    std::string_view name;
    unsigned dimensions = 0;
    bool layered = false, cube = false;
};

// The geometry among an instruction's modifiers. Multisampled textures aren't supported.
inline Geometry geometry_of(const Decoder &d) {
    static constexpr Geometry known[] = {{"1d", 1},
                                         {"2d", 2},
                                         {"3d", 3},
                                         {"a1d", 1, true},
                                         {"a2d", 2, true},
                                         {"cube", 3, false, true},
                                         {"acube", 3, true, true}};
    for (const Geometry &one : known) {
        if (d.has(one.name)) return one;
    }
    d.unknown("this geometry isn't supported");
}

// Decodes the operand [object, {..}]. Returns the place of the handle; `slots` gets the layer (or 0) and the
// coordinates.
inline std::uint32_t decode_place(Decoder &d, const Operand &from, Geometry geometry, Type coordinate,
                                  std::vector<std::uint32_t> &slots) {
    if (from.kind != Operand::texel || from.offset) d.unknown("[object, {coordinates}] is expected");
    const Operand &operand = from.parts[1];
    const bool several = operand.kind == Operand::vector;
    const std::size_t count = several ? operand.parts.size() : 1;
    const std::size_t first = geometry.layered ? 1 : 0;
    if (count < first + geometry.dimensions || count > 4) d.unknown("the number of coordinates is wrong");
    const Type whole{Type::natural, 32};
    slots.push_back(geometry.layered ? d.in(operand.parts[0], whole) : d.constant(0, 32));
    for (std::size_t k = first; k < first + geometry.dimensions; ++k)
        slots.push_back(d.in(several ? operand.parts[k] : operand, coordinate));
    return d.in(from.parts[0], {Type::natural, 64});
}

// What the lanes' handles stand for. Most lanes have the same handle.
class HandlesOf {
public:
    HandlesOf(const Instr *i, Warp &w, bool surface)
        : i_(i), w_(w), surface_(surface), handles_(w.reg<std::uint64_t>(i->a)) {}

    // Null, with the launch failed, where it is nothing.
    const Texture *find(unsigned lane) {
        const std::uint64_t handle = handles_[lane];
        if (texture_ && handle == last_) return texture_;
        Worker &worker = *w_.block->worker;
        auto &known = worker.textures[{handle, surface_}];
        const char *why = nullptr;
        if (!known) known = worker.launch.memories->texture(handle, surface_, why);
        last_ = handle;
        texture_ = known.get();
        if (!texture_) {
            char text[128];
            std::snprintf(text, sizeof text, "the handle 0x%llx %s", static_cast<unsigned long long>(handle),
                          why);
            w_.fail(Fault::illegal_address, i_, text, lane);
        }
        return texture_;
    }

private:
    const Instr *const i_;
    Warp &w_;
    const bool surface_;
    const std::uint64_t *const handles_;
    std::uint64_t last_ = 0;
    const Texture *texture_ = nullptr;
};

// Decodes a query, whose operand is [object].
void decode_query(Decoder &d, bool surface);

} // namespace pygpu::host::ptx
