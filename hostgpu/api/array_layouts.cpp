// What is asked of arrays that only some have: planes, requirements of memory that is mapped later, and
// tiles. Arrays have their memory from the start here; these functions say what mapping it would take.
#include "api/api.hpp"
#include "api/arrays.hpp"
#include "api/find.hpp"
#include "base/types.hpp"
#include "device/device.hpp"

#include <algorithm>
#include <bit>

namespace pygpu::host::api {
namespace {

constexpr unsigned sparse = 0x40, deferred = 0x80;
constexpr std::size_t tile_bytes = 64 << 10;

std::size_t whole_tiles(std::size_t bytes) { return (bytes + tile_bytes - 1) / tile_bytes * tile_bytes; }

// An H200 doesn't look at the number of the device.
Status describe_memory(ArrayRequirements &requirements, unsigned flags, std::size_t bytes) {
    if (!(flags & deferred)) return Status::invalid_value;
    requirements = {whole_tiles(bytes), tile_bytes, {}};
    return Status::success;
}

// Tiles of 64 KiB: the standard shapes of Vulkan (Standard Sparse Image Block Shapes in its specification),
// which these GPUs have. Layers have tiles of their own.
bool describe_tile(SparseLayout &layout, const Array &array) {
    const std::size_t element = array.element;
    if (!(array.flags & sparse) || !element || element > 16 || !std::has_single_bit(element)) return false;
    const int halvings = std::countr_zero(element);
    const bool solid = array.extent.depth && !(array.flags & (layered_array | cubemap_array));
    constexpr unsigned flat_shapes[][2] = {{256, 256}, {256, 128}, {128, 128}, {128, 64}, {64, 64}};
    constexpr unsigned solid_shapes[][3] = {
        {64, 32, 32}, {32, 32, 32}, {32, 32, 16}, {32, 16, 16}, {16, 16, 16}};
    layout = {};
    layout.width = solid ? solid_shapes[halvings][0] : flat_shapes[halvings][0];
    layout.height = solid ? solid_shapes[halvings][1] : flat_shapes[halvings][1];
    layout.depth = solid ? solid_shapes[halvings][2] : 1;
    return true;
}

bool fills_a_tile(const Extent &extent, const SparseLayout &tile) {
    return extent.width >= tile.width && extent.height >= tile.height &&
           (tile.depth == 1 || extent.depth >= tile.depth);
}

std::size_t bytes_of(const Array &array) {
    std::size_t bytes = 0;
    array.size().bytes().fits(bytes);
    return bytes;
}

} // namespace

// No array has a format of several planes.
Status ArrayGetPlane(ArrayTag **plane, ArrayTag *array, unsigned) {
    if (!plane) return Status::invalid_value;
    return find_array(array) ? Status::invalid_value : gone_array(array);
}

Status ArrayGetMemoryRequirements(ArrayRequirements *requirements, ArrayTag *array, int) {
    if (!requirements) return Status::invalid_value;
    const auto object = find_array(array);
    if (!object || object->is_level) return Status::invalid_value;
    return describe_memory(*requirements, object->flags, bytes_of(*object));
}

// A level of a mipmapped array has no answer of its own.
Status ArrayGetSparseProperties(SparseLayout *layout, ArrayTag *array) {
    if (!layout) return Status::invalid_value;
    const auto object = find_array(array);
    SparseLayout known{};
    if (!object || object->is_level || !describe_tile(known, *object)) return Status::invalid_value;
    *layout = known;
    return Status::success;
}

Status MipmappedArrayGetMemoryRequirements(ArrayRequirements *requirements, MipmapTag *mipmap, int) {
    if (!requirements) return Status::invalid_value;
    const auto object = find_mipmapped(mipmap);
    if (!object) return Status::invalid_value;
    const Array &last = *object->levels.back().array;
    return describe_memory(*requirements, last.flags, last.offset + bytes_of(last));
}

Status MipmappedArrayGetSparseProperties(SparseLayout *layout, MipmapTag *mipmap) {
    if (!layout) return Status::invalid_value;
    const auto object = find_mipmapped(mipmap);
    if (!object) return Status::invalid_value;
    SparseLayout known{};
    if (!describe_tile(known, *object->levels.front().array)) return Status::invalid_value;
    const auto tail = std::ranges::find_if(
        object->levels, [&](const auto &level) { return !fills_a_tile(level.array->extent, known); });
    known.tail_level = static_cast<unsigned>(tail - object->levels.begin());
    std::size_t bytes = 0;
    for (auto level = tail; level != object->levels.end(); ++level) bytes += bytes_of(*level->array);
    known.tail_size = whole_tiles(bytes);
    *layout = known;
    return Status::success;
}

} // namespace pygpu::host::api
