// Descriptions of tensors for bulk tensor copies. Their 128 bytes are the host runtime's own.
#include "api/cu/implemented.hpp"
#include "base/report.hpp"
#include "ptx/machine/tensor_map.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::host::cu {
namespace {

using Map = ptx::TensorMap;
using Word = unsigned;
using Long = unsigned long long;

// CUtensorMapDataType has another order than the ISA's .elemtype.
constexpr int data_types = 13;
constexpr Map::ElementType types[data_types] = {Map::u8,      Map::u16,  Map::u32,     Map::s32, Map::u64,
                                                Map::s64,     Map::f16,  Map::f32,     Map::f64, Map::bf16,
                                                Map::f32_ftz, Map::tf32, Map::tf32_ftz};
constexpr int newer_types = 16, swizzles = 7, interleaves = 3, promotions = 4, fills = 2;

// What tiles and columns have in common. The limits are those of cuda.h's documentation of
// cuTensorMapEncodeTiled.
Status encode(Map &map, int type, Word rank, void *address, const Long *sizes, const Long *strides,
              const Word *steps, int interleave, int swizzle, int promotion, int fill) {
    constexpr Long most_size = 1ull << 32, most_stride = 1ull << 40;
    constexpr Word most_step = 8;
    const auto within = [](int value, int count) { return value >= 0 && value < count; };
    if (!within(type, newer_types) || !within(interleave, interleaves) || !within(swizzle, swizzles) ||
        !within(promotion, promotions) || !within(fill, fills))
        return Status::invalid_value;
    if (!rank || rank > ptx::most_axes || (interleave && rank < 3) || !sizes || !steps ||
        (rank > 1 && !strides))
        return Status::invalid_value;
    const Long unit = interleave == 2 ? 32 : 16;
    if (reinterpret_cast<std::uintptr_t>(address) % unit || (interleave == 2 && swizzle != 1))
        return Status::invalid_value;
    map = {};
    map.address = reinterpret_cast<std::uint64_t>(address);
    map.last_axis = static_cast<std::uint8_t>(rank - 1);
    for (Word axis = 0; axis < rank; ++axis) {
        if (!sizes[axis] || sizes[axis] > most_size || !steps[axis] || steps[axis] > most_step)
            return Status::invalid_value;
        map.sizes[axis] = sizes[axis];
        // "If interleave is NONE, the first element of elementStrides is ignored."
        map.steps[axis] = static_cast<std::uint8_t>(axis || interleave ? steps[axis] : 1);
        if (!axis) continue;
        if (strides[axis - 1] % unit || strides[axis - 1] >= most_stride) return Status::invalid_value;
        map.strides[axis - 1] = strides[axis - 1];
    }
    if (type < data_types) map.type = types[type];
    if (fill && (type >= data_types || !map.is_float())) return Status::invalid_value;
    map.swizzle = static_cast<std::uint8_t>(swizzle);
    map.fills_nan = static_cast<std::uint8_t>(fill);
    if (type < data_types && swizzle <= Map::bytes_128 && !interleave) return Status::success;
    report_once(
        "tensor maps with interleaved channels, packed elements of 4 or 6 bits, or swizzles of 32 or 64 bytes' "
        "atoms aren't there on the CPU; the call returned CUDA_ERROR_NOT_SUPPORTED (801)");
    return Status::not_supported;
}

bool is_aligned(const void *map) { return map && reinterpret_cast<std::uintptr_t>(map) % 64 == 0; }

// "The inner dimension of the box in bytes is a multiple of 16, and no larger than the swizzle."
bool fits(const Map &map, Word elements) {
    const std::size_t bytes = std::size_t{elements} * map.bytes();
    return bytes % 16 == 0 && (!map.swizzle || bytes <= 16u << map.swizzle);
}

} // namespace

Status TensorMapEncodeTiled(c::CUtensorMap *to, int type, Word rank, void *address, const Long *sizes,
                            const Long *strides, const Word *box, const Word *steps, int interleave,
                            int swizzle, int promotion, int fill) {
    constexpr Word most_box = 256;
    if (!is_aligned(to) || !box) return Status::invalid_value;
    Map map;
    const Status status =
        encode(map, type, rank, address, sizes, strides, steps, interleave, swizzle, promotion, fill);
    if (status != Status::success) return status;
    for (Word axis = 0; axis < rank; ++axis) {
        if (!box[axis] || box[axis] > most_box) return Status::invalid_value;
        map.box[axis] = static_cast<std::uint16_t>(box[axis]);
    }
    if (!fits(map, box[0])) return Status::invalid_value;
    std::memcpy(to, &map, sizeof map);
    return Status::success;
}

Status TensorMapEncodeIm2col(c::CUtensorMap *to, int type, Word rank, void *address, const Long *sizes,
                             const Long *strides, const int *lower, const int *upper, Word channels,
                             Word pixels, const Word *steps, int interleave, int swizzle, int promotion,
                             int fill) {
    constexpr Word most_channels = 256, most_pixels = 1024;
    constexpr int corner_bits[] = {16, 8, 5}; // of a corner, by the number of axes with pixels
    if (!is_aligned(to) || !lower || !upper || rank < 3) return Status::invalid_value;
    Map map;
    const Status status =
        encode(map, type, rank, address, sizes, strides, steps, interleave, swizzle, promotion, fill);
    if (status != Status::success) return status;
    if (!channels || channels > most_channels || !pixels || pixels > most_pixels || !fits(map, channels))
        return Status::invalid_value;
    const int most = 1 << (corner_bits[rank - 3] - 1);
    for (Word axis = 0; axis + 2 < rank; ++axis) {
        for (const int corner : {lower[axis], upper[axis]}) {
            if (corner < -most || corner >= most) return Status::invalid_value;
        }
        map.lower[axis] = static_cast<std::int16_t>(lower[axis]);
        map.upper[axis] = static_cast<std::int16_t>(upper[axis]);
    }
    map.by_columns = 1;
    map.channels = static_cast<std::uint16_t>(channels);
    map.pixels = static_cast<std::uint16_t>(pixels);
    std::memcpy(to, &map, sizeof map);
    return Status::success;
}

Status TensorMapReplaceAddress(c::CUtensorMap *to, void *address) {
    if (!is_aligned(to) || reinterpret_cast<std::uintptr_t>(address) % 16) return Status::invalid_value;
    const auto value = reinterpret_cast<std::uint64_t>(address);
    std::memcpy(to, &value, sizeof value);
    return Status::success;
}

} // namespace pygpu::host::cu
