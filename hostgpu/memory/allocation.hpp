// The memory that the runtime knows, and which piece an address lies in.
#pragma once

#include "base/status.hpp"
#include "memory/backing.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pygpu::host {

enum class MemoryKind { device, host, registered, managed };

// Who frees the memory. caller: the user, by its address; array: the call that destroys the array; program:
// whatever unloads the program or module with that variable; kernels: their own free(); other_process: nobody
// here, since the memory is another process's; graph: its launches and frees, see graph_memory.hpp; mapping:
// the call that unmaps it, see virtual_memory.hpp.
enum class Owner { caller, array, program, kernels, other_process, graph, mapping };

// Pools, sharing between processes, advice, and what the checker and reports want to know are in tables
// beside it: side_table.hpp.
struct Allocation {
    MemoryKind kind;
    int device;
    char *base;
    std::size_t size;
    unsigned flags = 0;
    Owner owner = Owner::caller;
    unsigned long long context = 0;     // the number of the context that it was made in
    std::uint64_t serial = 0;           // counts allocations; PyGPU.host.leaks() sorts by it
    const char *allocated_by = nullptr; // the exported function, null where none ran
    bool writable = true;               // whether kernels may write to it
    std::atomic<bool> freeing{false};   // a free is queued
    std::atomic<int> queued{0};         // pieces of queued work that use it
    const Pages pages;

    bool contains(const void *address, std::size_t length) const;
    // Whether the bytes were taken for this piece, and are given back with it.
    bool own_bytes() const {
        return kind != MemoryKind::registered && owner != Owner::other_process && owner != Owner::mapping;
    }
    bool on_device() const { return kind == MemoryKind::device || kind == MemoryKind::managed; }
    Allocation(MemoryKind kind, int device, char *base, std::size_t size, Pages pages = Pages::shared);
    ~Allocation();
    Allocation(const Allocation &) = delete;
    Allocation &operator=(const Allocation &) = delete;
};

using Memory = std::shared_ptr<Allocation>;

// Makes memory of a kind on a device and enters it in the map, where other threads see it; memory_allocation
// when the device is full.
Status allocate(MemoryKind kind, int device, std::size_t size, unsigned flags, Memory &created,
                Owner owner = Owner::caller, Pages pages = Pages::shared);

// Enters memory in the map. It counts as made by the calling thread, in its context.
Status enter(const Memory &memory);

// Enters memory that the user owns. host_memory_already_registered when any of it is known.
Status enter_registered(void *base, std::size_t size, unsigned flags, int device, bool writable);

// Makes another library's memory known, as if it were registered: an array of PyGPU may be a view of it.
// Pieces may overlap. `disown` takes one of them out again.
void adopt(void *base, std::size_t size, int device, bool writable);
void disown(const void *base, std::size_t size);

// What a piece is: its size, kind, address, device, and who made it.
std::string describe(const Allocation &memory);

// The memory that an address lies in, null where none is known.
Memory memory_at(const void *address);

// The nearest memory that starts at or before an address, and after it; null where there is none.
void memory_around(const void *address, Memory &before, Memory &after);

// The memory that starts at an address.
Memory memory_beginning_at(const void *address);

// Takes memory out of the map; its bytes are freed when nobody holds it any more. False when it was not
// there.
bool forget(const Memory &memory);

// All memory of a device; -1 for all devices.
std::vector<Memory> memory_of(int device);

// Bytes in use on a device.
std::size_t bytes_in_use(int device);
// Takes bytes of a device's capacity; false when it hasn't enough left.
bool reserve_bytes(int device, std::size_t size);
void return_bytes(int device, std::size_t size);

// The same for a device's heap, which is what kernels allocate: `limit` is how large it may be.
bool reserve_heap(int device, std::size_t size, std::size_t limit);
void return_heap(int device, std::size_t size);

} // namespace pygpu::host
