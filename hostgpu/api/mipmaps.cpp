// Mipmapped arrays: making them, and getting their levels.
#include "api/api.hpp"
#include "api/arrays.hpp"
#include "api/find.hpp"
#include "base/caught.hpp"
#include "device/facts.hpp"
#include "memory/misuse.hpp"
#include "streams/stream.hpp"

#include <algorithm>
#include <bit>

namespace pygpu::host {
namespace {

// Layers aren't halved from level to level.
bool halves_depth(const Array &base) { return !(base.flags & (layered_array | cubemap_array)); }

std::size_t most_levels(const Array &base) {
    const std::size_t deep = halves_depth(base) ? base.extent.depth : 0;
    return static_cast<std::size_t>(std::bit_width(std::max({base.extent.width, base.extent.height, deep})));
}

// An extent at a level; 0 stays 0.
std::size_t halved(std::size_t extent, std::size_t level) {
    return extent ? std::max<std::size_t>(extent >> level, 1) : 0;
}

// Mipmapped arrays have lower limits than other arrays, unless they are three-dimensional.
bool too_large(const Array &base) {
    const auto most = static_cast<std::size_t>(facts().texture_mipmap);
    const bool solid = base.extent.depth && halves_depth(base);
    return !solid && (base.extent.width > most || base.extent.height > most);
}

// The levels without memory and handles, and how many bytes they take: each starts at an aligned address.
Status plan_levels(const Array &base, std::size_t count, std::vector<MipmappedArray::Level> &levels,
                   std::size_t &bytes) {
    const auto alignment = static_cast<std::size_t>(facts().alignment);
    for (std::size_t level = 0; level < count; ++level) {
        auto array = std::make_shared<Array>(base);
        const Extent &all = base.extent;
        array->extent = {halved(all.width, level), halved(all.height, level),
                         halves_depth(base) ? halved(all.depth, level) : all.depth};
        array->offset = (bytes + alignment - 1) / alignment * alignment;
        array->is_level = true;
        if (!(array->size().bytes() + array->offset).fits(bytes)) return Status::memory_allocation;
        levels.push_back({nullptr, std::move(array)});
    }
    return Status::success;
}

void forget_levels(const MipmappedArray &mipmap) {
    for (const MipmappedArray::Level &level : mipmap.levels) arrays().remove(level.handle);
    forget(mipmap.memory);
}

} // namespace

namespace api {

// Makes at least one level, and at most as many as there can be.
Status MallocMipmappedArray(MipmapTag **mipmap, const Channels *channels, Extent extent, unsigned levels,
                            unsigned flags) {
    if (!mipmap || !channels) return Status::invalid_value;
    Array base{};
    Status status = plan_array(*channels, extent, flags, base);
    if (status != Status::success) return status;
    if (too_large(base)) return Status::invalid_value;
    const std::size_t count = std::clamp<std::size_t>(levels, 1, most_levels(base));
    auto mipmapped_array = std::make_shared<MipmappedArray>();
    std::size_t bytes = 0;
    status = plan_levels(base, count, mipmapped_array->levels, bytes);
    if (status != Status::success) return status;
    status = allocate_array(bytes, flags, mipmapped_array->memory);
    if (status != Status::success) return status;
    const Status entered = caught([&] {
        for (MipmappedArray::Level &level : mipmapped_array->levels) {
            level.array->memory = mipmapped_array->memory;
            level.handle = static_cast<ArrayTag *>(arrays().add(level.array));
        }
        *mipmap = static_cast<MipmapTag *>(mipmapped_arrays().add(mipmapped_array));
        return Status::success;
    });
    if (entered != Status::success) forget_levels(*mipmapped_array);
    return entered;
}

Status FreeMipmappedArray(MipmapTag *mipmap) {
    if (!mipmap) return Status::success;
    const auto gone = mipmapped_arrays().remove(mipmap);
    if (!gone) {
        report_misuse("not a mipmapped array, or one that was freed before", mipmap);
        return Status::context_is_destroyed;
    }
    synchronize(gone->memory->device);
    forget_levels(*gone);
    return Status::success;
}

// The same array each time.
Status GetMipmappedArrayLevel(ArrayTag **array, const MipmapTag *mipmap, unsigned level) {
    if (!array) return Status::invalid_value;
    const auto mipmapped = find_mipmapped(mipmap);
    if (!mipmapped) return gone_array(mipmap);
    if (level >= mipmapped->levels.size()) return Status::invalid_value;
    *array = mipmapped->levels[level].handle;
    return Status::success;
}

} // namespace api
} // namespace pygpu::host
