// Physical memory, and its mappings at reserved addresses.
#include "api/virtual_memory.hpp"

#include "api/api.hpp"
#include "device/device.hpp"
#include "memory/allocation.hpp"
#include "memory/misuse.hpp"
#include "streams/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unistd.h>

namespace pygpu::host {
namespace {

// On a card, too, the driver has to wait before it changes what running kernels see.
void wait_for_all_devices() {
    for (int number = 0; number < all_devices(); ++number) synchronize(number);
}

} // namespace

Status create_physical(PhysicalNumber *handle, std::size_t size, const PhysicalProperties &properties,
                       int device) {
    std::shared_ptr<Physical> physical;
    const Status status = Physical::make(properties, device, on_machine(device), size, physical);
    if (status == Status::success) *handle = retain_handle(physical);
    return status;
}

Status export_physical(void *descriptor, const Physical &physical) {
    const int created = physical.descriptor();
    if (created < 0) return Status::operating_system;
    std::memcpy(descriptor, &created, sizeof created);
    return Status::success;
}

Status import_physical(PhysicalNumber *handle, void *descriptor) {
    const auto number = static_cast<int>(reinterpret_cast<std::intptr_t>(descriptor));
    const std::shared_ptr<Physical> physical = Physical::import(number, seen_as);
    if (!physical) {
        report_misuse("no file of physical memory that another process has exported", nullptr);
        return Status::invalid_value;
    }
    *handle = retain_handle(physical);
    return Status::success;
}

// Holes between the mappings are left alone, as an H200 does.
Status unmap(void *base, std::size_t size) {
    if (!is_divided(base, size)) {
        report_misuse("not reserved, or a mapping lies in this range only partly", base);
        return Status::invalid_value;
    }
    wait_for_all_devices();
    return unmap_memory(base, size, wait_for_all_devices);
}

Status change_access(void *base, std::size_t size, const Access *list, std::size_t count) {
    if (!is_mapped(base, size)) {
        report_misuse("the range must consist of whole mappings", base);
        return Status::invalid_value;
    }
    if (!std::all_of(list, list + count,
                     [](const Access &one) { return one.flags == (may_read | may_write); }))
        wait_for_all_devices();
    return set_access(base, size, list, count);
}

Status retain_physical_at(PhysicalNumber *handle, const void *address) {
    const std::shared_ptr<Physical> physical = physical_at(address);
    if (!physical) return Status::invalid_value;
    *handle = retain_handle(physical);
    return Status::success;
}

} // namespace pygpu::host

namespace pygpu::host::api {

// As of devices whose attributes say that there is no support for dma-buf.
Status MemGetHandleForAddressRange(void *handle, void *pointer, std::size_t size, int type,
                                   unsigned long long flags) {
    constexpr int dma_buf = 1;
    constexpr unsigned long long over_pcie = 1;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (!handle || !pointer || !size || type != dma_buf || flags & ~over_pcie) return Status::invalid_value;
    if (reinterpret_cast<std::uintptr_t>(pointer) % page || size % page) return Status::invalid_value;
    const Memory memory = memory_at(pointer);
    if (!memory || !memory->contains(pointer, size)) return Status::invalid_value;
    return Status::not_supported;
}

} // namespace pygpu::host::api
