// Arrays: making them and asking about them.
#include "api/arrays.hpp"

#include "api/api.hpp"
#include "api/find.hpp"
#include "base/call.hpp"
#include "base/caught.hpp"
#include "device/device.hpp"
#include "device/facts.hpp"
#include "image/formats.hpp"
#include "memory/misuse.hpp"
#include "streams/stream.hpp"

#include <algorithm>

namespace pygpu::host {
namespace {

constexpr unsigned sparse_array = 0x40;
constexpr unsigned known_flags =
    layered_array | surface_array | cubemap_array | gather_array | 0x10 | sparse_array | 0x80;
constexpr std::size_t faces = 6;

// Six square faces; a multiple of six if it is layered.
bool is_cube(const Extent &extent, unsigned flags) {
    const bool enough =
        flags & layered_array ? extent.depth && extent.depth % faces == 0 : extent.depth == faces;
    return enough && extent.width == extent.height;
}

// The greatest width, height and depth, as the device's attributes give them.
bool is_within_limits(const Extent &extent, unsigned flags) {
    const Facts &all = facts();
    const auto within = [&](int width, int height, int depth) {
        return extent.width <= static_cast<std::size_t>(width) &&
               extent.height <= static_cast<std::size_t>(height) &&
               extent.depth <= static_cast<std::size_t>(depth);
    };
    if (flags & cubemap_array) return within(all.texture_cubemap, all.texture_cubemap, all.cubemap_layers);
    if (flags & layered_array) return within(all.texture_layered, all.texture_layered, all.layers);
    const bool surface = flags & surface_array;
    if (extent.depth)
        return within(all.texture_3d, all.texture_3d, all.texture_3d) ||
               (!surface && within(all.texture_3d_flat, all.texture_3d_flat, all.texture_3d_deep));
    if (!extent.height) return within(surface ? all.surface_1d : all.texture_1d, 0, 0);
    const int most = flags & gather_array ? all.texture_gather : all.texture_2d;
    return within(most, most, 0);
}

// Which shapes some flags ask for: layers, two dimensions, and at least two. AMD's runtime doesn't ask.
bool has_shape(const Extent &extent, unsigned flags) {
    if (flags & layered_array && !extent.depth) return false;
    if (flags & gather_array && (!extent.height || extent.depth)) return false;
    return !(flags & sparse_array) || extent.height;
}

} // namespace

Status plan_array(const Channels &channels, const Extent &extent, unsigned flags, Array &planned) {
    if (!extent.width || flags & ~known_flags) return Status::invalid_value;
    if (extent.depth && !extent.height && !(flags & layered_array)) return Status::invalid_value;
    if (!is_within_limits(extent, flags) || (!on_hip() && !has_shape(extent, flags)))
        return Status::invalid_value;
    if (flags & cubemap_array && !is_cube(extent, flags)) return Status::invalid_value;
    const std::size_t element = element_bytes(channels);
    if (!element) return Status::invalid_channel_descriptor;
    planned = {nullptr, channels, extent, flags, element};
    return Status::success;
}

Status allocate_array(std::size_t bytes, unsigned flags, Memory &memory) {
    return allocate(MemoryKind::device, current_device().number, bytes, flags, memory, Owner::array);
}

namespace api {

Status MallocArray(ArrayTag **array, const Channels *channels, std::size_t width, std::size_t height,
                   unsigned flags) {
    return Malloc3DArray(array, channels, {width, height, 0}, flags);
}

Status Malloc3DArray(ArrayTag **array, const Channels *channels, Extent extent, unsigned flags) {
    if (!array || !channels) return Status::invalid_value;
    Array planned{};
    Status status = plan_array(*channels, extent, flags, planned);
    if (status != Status::success) return status;
    auto created = std::make_shared<Array>(planned);
    std::size_t bytes = 0;
    if (!created->size().bytes().fits(bytes)) return Status::memory_allocation;
    status = allocate_array(bytes, flags, created->memory);
    if (status != Status::success) return status;
    const Status entered = caught([&] {
        *array = static_cast<ArrayTag *>(arrays().add(created));
        return Status::success;
    });
    if (entered != Status::success) forget(created->memory);
    return entered;
}

Status FreeArray(ArrayTag *array) {
    const bool on_hip = current_vendor() == Vendor::hip;
    if (!array) return on_hip ? Status::invalid_value : Status::success;
    if (const auto object = arrays().find(array); object && object->is_level) {
        report_misuse("a level of a mipmapped array, which ends with that", array);
        return Status::success;
    }
    const auto gone = arrays().remove(array);
    if (!gone) {
        report_misuse("not an array, or one that was freed before", array);
        return Status::context_is_destroyed;
    }
    synchronize(gone->memory->device);
    forget(gone->memory);
    return Status::success;
}

Status ArrayGetInfo(Channels *channels, Extent *extent, unsigned *flags, ArrayTag *array) {
    const auto object = find_array(array);
    if (!object) return gone_array(array);
    if (channels) *channels = object->channels;
    if (extent) *extent = object->extent;
    if (flags) *flags = object->flags;
    return Status::success;
}

Status GetChannelDesc(Channels *channels, const ArrayTag *array) {
    if (!channels) return Status::invalid_value;
    return ArrayGetInfo(channels, nullptr, nullptr, const_cast<ArrayTag *>(array));
}

} // namespace api
} // namespace pygpu::host
