// Addresses that are reserved, and physical memory that is mapped there (cuMemAddressReserve, cuMemMap). A
// mapping is an allocation of the map like any other, whose owner is Owner::mapping.
#pragma once

#include "memory/allocation.hpp"
#include "memory/physical.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

namespace pygpu::host {

// The bits of an access, as both APIs number them: 0 is none.
inline constexpr unsigned may_read = 1, may_write = 2;

// Reserves a range that starts at a multiple of `alignment` (a power of two), at `hint` if that is free. Null
// where the system has no such range.
void *reserve_addresses(std::size_t size, std::size_t alignment, void *hint);

// invalid_value unless that very range was reserved, and nothing is mapped there.
Status free_addresses(void *base, std::size_t size);

// Whether an address lies in a reserved range.
bool is_reserved(const void *address);

// Maps the physical memory's first bytes. Nobody may access them yet. invalid_value where the range isn't
// reserved, or where something is mapped in it.
Status map_memory(void *base, std::size_t size, const std::shared_ptr<Physical> &physical);

// Whether whole mappings, without holes, fill the range.
bool is_mapped(const void *base, std::size_t size);
// Whether the range is reserved, and holds nothing but whole mappings.
bool is_divided(const void *base, std::size_t size);

// Takes the mappings in the range away. From now on nobody finds them; their pages stay until nobody uses
// them any more: `wait` waits for what has been queued. invalid_value where is_divided() is false.
Status unmap_memory(void *base, std::size_t size, void (*wait)());

// Changes what devices, and the host, may do with the mappings. invalid_value where is_mapped() is false.
Status set_access(void *base, std::size_t size, const Access *list, std::size_t count);

// What is mapped at an address; null where nothing is.
std::shared_ptr<Physical> physical_at(const void *address);

// What a device may do with memory: everything, unless it is mapped.
unsigned access_of(const Allocation &memory, int device);
// What the host may do, or any device.
unsigned host_access_of(const Allocation &memory);
unsigned any_access_of(const Allocation &memory);

// The pieces behind `memory` that the range reaches, without holes: mappings that follow each other are one
// array. False if they don't cover it.
bool continue_mappings(const Memory &memory, const void *address, std::size_t length,
                       std::vector<Memory> &more);

// Lines on physical memory that wasn't released, for the list of leaks; adds its bytes and pieces.
std::string unreleased_physical(std::size_t &bytes, int &pieces);

} // namespace pygpu::host
