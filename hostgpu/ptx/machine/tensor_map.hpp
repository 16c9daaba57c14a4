// The tensor maps of bulk tensor copies. A card's 128 bytes are opaque; these are the host runtime's own. All
// zeros is a map, too: programs fill one in by tensormap.replace.
#pragma once

#include <cstdint>

namespace pygpu::host::ptx {

constexpr unsigned most_axes = 5;

struct TensorMap {
    // In the order of tensormap.replace's .elemtype.
    enum ElementType : std::uint8_t {
        u8,
        u16,
        u32,
        s32,
        u64,
        s64,
        f16,
        f32,
        f32_ftz,
        f64,
        bf16,
        tf32,
        tf32_ftz,
        element_types
    };
    enum Swizzle : std::uint8_t { none, bytes_32, bytes_64, bytes_128 };

    std::uint64_t address;
    std::uint64_t strides[most_axes - 1]; // bytes, of the axes after the first
    std::uint64_t sizes[most_axes];
    std::uint16_t box[most_axes];
    std::uint8_t steps[most_axes]; // 0 counts as 1
    std::uint8_t last_axis;        // the rank less one
    // Of a map by columns (im2col): where its box of pixels begins and ends, from the tensor's corners.
    std::int16_t lower[most_axes - 2], upper[most_axes - 2];
    std::uint16_t channels, pixels;
    std::uint8_t type, interleave, swizzle, atom, fills_nan, by_columns;
    std::uint8_t unused[10];

    unsigned rank() const { return last_axis + 1u; }
    unsigned step(unsigned axis) const { return steps[axis] ? steps[axis] : 1; }
    unsigned bytes() const {
        static constexpr std::uint8_t all[element_types] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
        return type < element_types ? all[type] : 0;
    }
    bool is_float() const { return type >= f16; }
};
static_assert(sizeof(TensorMap) == 128);

} // namespace pygpu::host::ptx
