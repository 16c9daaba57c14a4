// HIP's virtual memory, and its own checks: hipamd/src/hip_vm.cpp of ROCm/clr, as of ROCm 6.
#include "api/virtual_memory.hpp"

#include "api/hip/implemented.hpp"
#include "device/device.hpp"

#include <algorithm>

namespace pygpu::host::hip {
namespace {

constexpr unsigned pinned_memory = 1;

PhysicalNumber number_of(const PhysicalTag *handle) { return reinterpret_cast<PhysicalNumber>(handle); }

// hipMemCreate() and hipMemGetAllocationGranularity() know pinned memory of devices.
bool is_pinned_of_device(const PhysicalProperties *wanted) {
    return wanted && wanted->type == pinned_memory && wanted->location.type == on_device &&
           is_device(wanted->location.id);
}

template <class Call> Status with_handle(PhysicalTag **handle, Call call) {
    PhysicalNumber number = 0;
    const Status status = call(&number);
    if (status == Status::success) *handle = reinterpret_cast<PhysicalTag *>(number);
    return status;
}

} // namespace

Status MemAddressReserve(void **pointer, std::size_t size, std::size_t alignment, void *hint,
                         unsigned long long flags) {
    if (!pointer || flags) return Status::invalid_value;
    if (!is_whole(size) || alignment & (alignment - 1)) return Status::memory_allocation;
    *pointer = reserve_addresses(size, std::max(alignment, physical_granularity), hint);
    return *pointer ? Status::success : Status::memory_allocation;
}

// AMD's runtime frees by the address alone, and ends the process for one that isn't reserved.
Status MemAddressFree(void *pointer, std::size_t size) {
    return pointer && size ? free_addresses(pointer, size) : Status::invalid_value;
}

Status MemCreate(PhysicalTag **handle, std::size_t size, const PhysicalProperties *properties,
                 unsigned long long flags) {
    if (!handle || !size || flags || !is_pinned_of_device(properties)) return Status::invalid_value;
    if (properties->handle_types & ~posix_file) return Status::not_supported;
    if (!is_whole(size)) return Status::invalid_value;
    return with_handle(handle, [&](PhysicalNumber *number) {
        return create_physical(number, size, *properties, properties->location.id);
    });
}

Status MemRelease(PhysicalTag *handle) {
    return release_handle(number_of(handle)) ? Status::success : Status::invalid_value;
}

Status MemRetainAllocationHandle(PhysicalTag **handle, void *address) {
    if (!handle || !address) return Status::invalid_value;
    return with_handle(handle, [&](PhysicalNumber *number) { return retain_physical_at(number, address); });
}

Status MemMap(void *pointer, std::size_t size, std::size_t offset, PhysicalTag *handle,
              unsigned long long flags) {
    const auto physical = physical_of(number_of(handle));
    if (!physical || !is_whole(pointer) || !is_whole(size) || offset || flags) return Status::invalid_value;
    return map_memory(pointer, size, physical);
}

Status MemUnmap(void *pointer, std::size_t size) {
    return pointer && size ? unmap(pointer, size) : Status::invalid_value;
}

// The type of a location isn't looked at.
Status MemSetAccess(void *pointer, std::size_t size, const Access *list, std::size_t count) {
    if (!pointer || !size || !list || !count) return Status::invalid_value;
    const bool known = std::all_of(list, list + count, [](const Access &one) {
        return one.location.type == on_device && is_device(one.location.id) && is_access(one.flags);
    });
    return known ? change_access(pointer, size, list, count) : Status::invalid_value;
}

Status MemGetAccess(unsigned long long *flags, const Location *location, void *address) {
    if (!flags || !location || location->type != on_device || !is_device(location->id))
        return Status::invalid_value;
    const Memory memory = address ? memory_at(address) : nullptr;
    if (!memory || memory->owner != Owner::mapping) return Status::invalid_value;
    *flags = access_of(*memory, location->id);
    return Status::success;
}

Status MemGetAllocationGranularity(std::size_t *granularity, const PhysicalProperties *properties,
                                   int option) {
    if (!granularity || !is_pinned_of_device(properties) || option < 0 || option > 1)
        return Status::invalid_value;
    *granularity = physical_granularity;
    return Status::success;
}

Status MemGetAllocationPropertiesFromHandle(PhysicalProperties *properties, PhysicalTag *handle) {
    const auto physical = physical_of(number_of(handle));
    if (!properties || !physical) return Status::invalid_value;
    *properties = physical->properties;
    return Status::success;
}

Status MemExportToShareableHandle(void *shareable, PhysicalTag *handle, int type, unsigned long long flags) {
    const auto physical = physical_of(number_of(handle));
    if (!shareable || !physical || flags) return Status::invalid_value;
    const bool asked_for =
        type == static_cast<int>(posix_file) && physical->properties.handle_types == posix_file;
    return asked_for ? export_physical(shareable, *physical) : Status::invalid_value;
}

Status MemImportFromShareableHandle(PhysicalTag **handle, void *shareable, int type) {
    if (!handle || !shareable || type != static_cast<int>(posix_file)) return Status::invalid_value;
    return with_handle(handle, [&](PhysicalNumber *number) { return import_physical(number, shareable); });
}

// hip_vm.cpp of ROCm/clr
Status MemMapArrayAsync(c::hipArrayMapInfo *list, unsigned count, StreamTag *) {
    return list && count ? Status::not_supported : Status::invalid_value;
}

} // namespace pygpu::host::hip
