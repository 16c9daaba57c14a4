// Arrays: making them and asking about them.
#include "host/api/arrays.hpp"

#include "host/api/api.hpp"
#include "host/api/find.hpp"
#include "host/api/formats.hpp"

#include <algorithm>

namespace pygpu::host {
namespace {

constexpr unsigned layered = 1, surface = 2, cubemap = 4, gather = 8;
constexpr unsigned known_flags = layered | surface | cubemap | gather | 0x10 | 0x40 | 0x80;

} // namespace

Size Array::size() const {
    return {std::max<std::size_t>(extent.width, 1) * element, std::max<std::size_t>(extent.height, 1),
            std::max<std::size_t>(extent.depth, 1)};
}

Block Array::block() const {
    const Size all = size();
    return {memory->base, all.width, all.width * all.height};
}

Handles<Array> &arrays() {
    static auto *handles = new Handles<Array>;
    return *handles;
}

void forget_arrays(unsigned long long context) {
    for (const auto &[handle, array] : arrays().all()) {
        if (array->memory->context == context) arrays().remove(handle);
    }
}

namespace api {

Status MallocArray(ArrayTag **array, const Channels *channels, std::size_t width, std::size_t height,
                   unsigned flags) {
    return Malloc3DArray(array, channels, {width, height, 0}, flags);
}

Status Malloc3DArray(ArrayTag **array, const Channels *channels, Extent extent, unsigned flags) {
    if (!array || !channels || !extent.width || flags & ~known_flags) return Status::invalid_value;
    if (extent.depth && !extent.height && !(flags & layered)) return Status::invalid_value;
    constexpr std::size_t widest = 131072, highest = 65536, deepest = 16384;
    if (extent.width > widest || extent.height > highest || extent.depth > deepest)
        return Status::invalid_value;
    const std::size_t element = element_bytes(*channels);
    if (!element) return Status::invalid_channel_descriptor;
    auto made = std::make_shared<Array>(Array{nullptr, *channels, extent, flags, element});
    const Size size = made->size();
    std::size_t bytes = 0;
    if (!size.bytes().fits(bytes)) return Status::memory_allocation;
    const Status status = allocate(MemoryKind::device, current_device().number, bytes, flags, made->memory);
    if (status != Status::success) return status;
    made->memory->owner = Owner::array;
    const Status entered = caught([&] {
        *array = static_cast<ArrayTag *>(arrays().add(made));
        return Status::success;
    });
    if (entered != Status::success) forget(made->memory);
    return entered;
}

Status FreeArray(ArrayTag *array) {
    const bool on_hip = current_vendor() == Vendor::hip;
    if (!array) return on_hip ? Status::invalid_value : Status::success;
    const auto gone = arrays().remove(array);
    if (!gone) {
        report_misuse("no array, or one that was freed before", array);
        return Status::context_is_destroyed;
    }
    synchronize(gone->memory->device);
    forget(gone->memory);
    return Status::success;
}

Status ArrayGetInfo(Channels *channels, Extent *extent, unsigned *flags, ArrayTag *array) {
    const auto found = find_array(array);
    if (!found) return gone_array(array);
    if (channels) *channels = found->channels;
    if (extent) *extent = found->extent;
    if (flags) *flags = found->flags;
    return Status::success;
}

Status GetChannelDesc(Channels *channels, const ArrayTag *array) {
    if (!channels) return Status::invalid_value;
    return ArrayGetInfo(channels, nullptr, nullptr, const_cast<ArrayTag *>(array));
}

} // namespace api
} // namespace pygpu::host
