// The driver API's virtual memory: addresses are reserved, physical memory is made, and mapped there. Checks:
// the manual of cuMemCreate() and its family.
#include "api/virtual_memory.hpp"

#include "api/cu/implemented.hpp"
#include "base/thread.hpp"
#include "device/device.hpp"

#include <algorithm>
#include <unistd.h>

namespace pygpu::host::cu {
namespace {

constexpr unsigned pinned_type = 1, nothing_else = 0;

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

bool is_host_place(const Location &location) {
    return location.type == on_host || (location.type == on_host_numa && !location.id);
}

// Where physical memory can be, and of what kind. `device` is the one that it counts for.
Status check_properties(const PhysicalProperties *wanted, int &device) {
    if (!wanted || wanted->type != pinned_type) return Status::invalid_value;
    device = thread().device;
    if (is_host_place(wanted->location)) return Status::success;
    if (wanted->location.type != on_device) return Status::invalid_value;
    if (!is_device(wanted->location.id)) return Status::invalid_device;
    device = wanted->location.id;
    return Status::success;
}

} // namespace

Status MemAddressReserve(void **pointer, std::size_t size, std::size_t alignment, void *hint,
                         unsigned long long flags) {
    if (!pointer || !size || size % page_bytes() || flags != nothing_else) return Status::invalid_value;
    if (alignment & (alignment - 1) || reinterpret_cast<std::size_t>(hint) % page_bytes())
        return Status::invalid_value;
    void *base = reserve_addresses(size, std::max(alignment, physical_granularity), hint);
    if (!base) return Status::memory_allocation;
    *pointer = base;
    return Status::success;
}

Status MemAddressFree(void *pointer, std::size_t size) { return free_addresses(pointer, size); }

Status MemCreate(PhysicalNumber *handle, std::size_t size, const PhysicalProperties *properties,
                 unsigned long long flags) {
    if (!handle || flags != nothing_else) return Status::invalid_value;
    int device = 0;
    if (const Status status = check_properties(properties, device); status != Status::success) return status;
    if (!is_whole(size)) return Status::invalid_value;
    if (properties->handle_types == fabric_handle) return Status::not_supported;
    if (properties->handle_types & ~posix_file) return Status::invalid_value;
    PhysicalProperties given = *properties;
    given.compression = 0; // a wish, which the properties of the handle answer
    return create_physical(handle, size, given, device);
}

Status MemRelease(PhysicalNumber handle) {
    return release_handle(handle) ? Status::success : Status::invalid_value;
}

Status MemRetainAllocationHandle(PhysicalNumber *handle, void *address) {
    return handle ? retain_physical_at(handle, address) : Status::invalid_value;
}

Status MemMap(void *pointer, std::size_t size, std::size_t offset, PhysicalNumber handle,
              unsigned long long flags) {
    const auto physical = physical_of(handle);
    if (!physical || !is_whole(pointer) || !size || flags != nothing_else) return Status::invalid_value;
    if (offset || size != physical->size) return Status::not_supported; // "must be zero currently"
    return map_memory(pointer, size, physical);
}

Status MemUnmap(void *pointer, std::size_t size) { return unmap(pointer, size); }

namespace {

// Whether all that is mapped there is the host's memory, the only one that the host reaches.
bool is_of_host(const void *address, std::size_t size) {
    const char *at = static_cast<const char *>(address), *const end = at + size;
    while (at < end) {
        const auto physical = physical_at(at);
        const Memory memory = memory_at(at);
        if (!physical || !physical->of_host() || !memory) return false;
        at = memory->base + memory->size;
    }
    return true;
}

} // namespace

Status MemSetAccess(void *pointer, std::size_t size, const Access *list, std::size_t count) {
    if (!is_whole(pointer) || !is_whole(size) || !list || !count) return Status::invalid_value;
    for (std::size_t index = 0; index < count; ++index) {
        const auto &[location, flags] = list[index];
        if (!is_access(flags)) return Status::invalid_value;
        if (location.type == on_device) {
            if (!is_device(location.id)) return Status::invalid_value;
            continue;
        }
        if (!is_host_place(location) || !is_of_host(pointer, size)) return Status::invalid_value;
    }
    return change_access(pointer, size, list, count);
}

Status MemGetAccess(unsigned long long *flags, const Location *location, void *address) {
    const Memory memory = memory_at(address);
    if (!flags || !location || !memory || memory->owner != Owner::mapping) return Status::invalid_value;
    if (is_host_place(*location)) return *flags = host_access_of(*memory), Status::success;
    if (location->type != on_device) return Status::invalid_value;
    if (!is_device(location->id)) return Status::invalid_device;
    *flags = access_of(*memory, location->id);
    return Status::success;
}

Status MemGetAllocationGranularity(std::size_t *granularity, const PhysicalProperties *properties,
                                   int option) {
    if (!granularity || !properties || option < 0 || option > 1) // minimum or recommended
        return Status::invalid_value;
    // Neither the type nor the number of the device is looked at.
    if (properties->location.type != on_device && !is_host_place(properties->location))
        return Status::invalid_value;
    *granularity = physical_granularity;
    return Status::success;
}

Status MemGetAllocationPropertiesFromHandle(PhysicalProperties *properties, PhysicalNumber handle) {
    const auto physical = physical_of(handle);
    if (!properties || !physical) return Status::invalid_value;
    *properties = physical->properties;
    return Status::success;
}

Status MemExportToShareableHandle(void *shareable, PhysicalNumber handle, int type,
                                  unsigned long long flags) {
    const auto physical = physical_of(handle);
    if (!shareable || !physical || flags != nothing_else) return Status::invalid_value;
    const bool asked_for =
        type == static_cast<int>(posix_file) && physical->properties.handle_types & posix_file;
    return asked_for ? export_physical(shareable, *physical) : Status::invalid_value;
}

Status MemImportFromShareableHandle(PhysicalNumber *handle, void *shareable, int type) {
    if (!handle) return Status::invalid_value;
    if (type == static_cast<int>(fabric_handle)) return Status::not_supported;
    return type == static_cast<int>(posix_file) ? import_physical(handle, shareable) : Status::invalid_value;
}

} // namespace pygpu::host::cu
