// The memory that the runtime knows, and which piece an address lies in.
#pragma once

#include "host/core/advice.hpp"
#include "host/core/backing.hpp"
#include "host/core/shared_pages.hpp"
#include "host/core/status.hpp"
#include "host/core/written.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pygpu::host {

class Pool;

enum class MemoryKind { device, host, registered, managed };

// Who may free it: the caller, by its address; an array's handle; a program that brings it along; kernels,
// which have made it; another process, whose memory it is.
enum class Owner { caller, array, program, kernels, other_process };

struct Allocation {
    MemoryKind kind;
    int device;
    char *base;
    std::size_t size;
    unsigned flags = 0;
    std::shared_ptr<Pool> pool; // stream-ordered memory
    Owner owner = Owner::caller;
    const char *call = nullptr;              // the function that made it
    unsigned long long context = 0;          // the number of the one that it was made in
    std::uint64_t serial = 0;                // counts allocations; what PyGPU.host.leaks() orders by
    std::vector<void *> trace{};             // where it was made, in strict mode
    std::string where{};                     // the caller's own words for that (Python file and line)
    bool writable = true;                    // by kernels
    std::atomic<bool> freeing{false};        // a free is queued
    std::atomic<int> queued{0};              // pieces of queued work that use it
    std::shared_ptr<WrittenBytes> written{}; // of device memory, where kernels are checked
    const Pages pages;
    const std::unique_ptr<AdvisedPages> advised; // of managed memory
    // That other processes map: made, or opened `opened` times. Set with the lock of ipc.cpp.
    std::shared_ptr<SharedPages> across{};
    int opened = 0;

    bool contains(const void *address, std::size_t length) const;
    bool on_device() const { return kind == MemoryKind::device || kind == MemoryKind::managed; }
    Allocation(MemoryKind kind, int device, char *base, std::size_t size, Pages pages = Pages::shared);
    ~Allocation();
    Allocation(const Allocation &) = delete;
    Allocation &operator=(const Allocation &) = delete;
};

using Memory = std::shared_ptr<Allocation>;

// Makes memory of a kind on a device and enters it; memory_allocation when its capacity is used up.
Status allocate(MemoryKind kind, int device, std::size_t size, unsigned flags, Memory &made,
                Pages pages = Pages::shared);

// Enters another process's memory; `context` and the rest are the calling thread's.
Status enter_opened(std::shared_ptr<SharedPages> pages, std::size_t size, int device, Memory &made);

// Enters memory that the user owns. host_memory_already_registered when any of it is known.
Status enter_registered(void *base, std::size_t size, unsigned flags, int device, bool writable);

// Makes memory of another library's known, as if it were registered: what an array of PyGPU's stands on.
// Pieces may overlap. `disown` ends one of those.
void adopt(void *base, std::size_t size, int device, bool writable);
void disown(const void *base, std::size_t size);

// The memory that an address lies in, null where none is known.
Memory memory_at(const void *address);

// The nearest memory that begins at or before an address, and behind it; null where there is none.
void memory_around(const void *address, Memory &before, Memory &after);

// The memory that begins at an address.
Memory memory_beginning_at(const void *address);

// Takes memory out of the map; its bytes go when nobody holds it any more. False when it was not there.
bool forget(const Memory &memory);

// Which bytes of memory were written; null where that isn't known, and all counts as written: host's and
// managed memory, arrays, variables of programs, and everything where kernels aren't checked.
std::shared_ptr<WrittenBytes> written_of(const Memory &memory);

// Somebody whose writes aren't seen may have written anything.
void count_all_as_written();

// Everything of a device, for its reset; -1 for all.
std::vector<Memory> memory_of(int device);

// Bytes in use on a device.
std::size_t bytes_in_use(int device);
// Takes bytes of a device's capacity; false when it hasn't so many left.
bool reserve_bytes(int device, std::size_t size);
void return_bytes(int device, std::size_t size);

} // namespace pygpu::host
