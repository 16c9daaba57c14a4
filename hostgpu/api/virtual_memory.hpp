// What both APIs do for physical memory and its mappings; their own checks come before.
#pragma once

#include "base/status.hpp"
#include "base/types.hpp"
#include "memory/virtual_memory.hpp"

#include <cstddef>
#include <memory>

namespace pygpu::host {

using PhysicalNumber = unsigned long long; // a handle, as CUDA's type is

Status create_physical(PhysicalNumber *handle, std::size_t size, const PhysicalProperties &properties,
                       int device);

// Writes a new file descriptor, an int.
Status export_physical(void *descriptor, const Physical &physical);
Status import_physical(PhysicalNumber *handle, void *descriptor);

// As freeing does, these wait for the work of all devices.
Status unmap(void *base, std::size_t size);
Status change_access(void *base, std::size_t size, const Access *list, std::size_t count);

// The handle of what is mapped at an address, with one more reference; invalid_value where nothing is.
Status retain_physical_at(PhysicalNumber *handle, const void *address);

constexpr bool is_access(unsigned flags) {
    return !flags || flags == may_read || flags == (may_read | may_write);
}
constexpr bool is_whole(std::size_t size) { return size && size % physical_granularity == 0; }
inline bool is_whole(const void *address) {
    return address && reinterpret_cast<std::size_t>(address) % physical_granularity == 0;
}

} // namespace pygpu::host
