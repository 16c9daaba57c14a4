// Physical memory of cuMemCreate(): the pages of a file without a name, which any number of mappings and
// other processes share.
#pragma once

#include "base/status.hpp"
#include "base/types.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pygpu::host {

// The handle types of both APIs.
inline constexpr unsigned posix_file = 1, fabric_handle = 8;

// Mappings begin and end at multiples of it, as an H200's do.
inline constexpr std::size_t physical_granularity = std::size_t{2} << 20;

class Physical {
public:
    // memory_allocation where the device hasn't enough left, or where the system refuses. `on_machine` is the
    // device's number for other processes.
    static Status make(const PhysicalProperties &properties, int device, int on_machine, std::size_t size,
                       std::shared_ptr<Physical> &created);
    // Another process's, or this one's, by the descriptor of its file; null for any other file. `where` says
    // which device of this process is meant, -1 for none.
    static std::shared_ptr<Physical> import(int descriptor, int (*where)(int on_machine));

    Physical(const Physical &) = delete;
    Physical &operator=(const Physical &) = delete;
    ~Physical();

    const PhysicalProperties properties;
    const int device; // whose memory it is; of a host's memory the one that was current
    const std::size_t size;
    const char *const made_by; // the exported function, null where none ran

    bool of_host() const { return properties.location.type != on_device; }
    // Maps bytes from the start at an address that is reserved, where nobody may access them yet.
    bool map_at(void *address, std::size_t length) const;
    // A new descriptor of the file, for other processes; -1 where the process has too many.
    int descriptor() const;

private:
    Physical(const PhysicalProperties &properties, int device, std::size_t size);

    int file_ = -1;
    bool charged_ = false; // its bytes count as the device's
    std::uint64_t filesystem_ = 0, inode_ = 0;
};

// C's handles. Each object has at most one, with a number of references. Locks itself.
unsigned long long retain_handle(const std::shared_ptr<Physical> &physical);
std::shared_ptr<Physical> physical_of(unsigned long long handle); // null for what is none
bool release_handle(unsigned long long handle);

// All physical memory that has a handle.
std::vector<std::shared_ptr<Physical>> all_physical();

} // namespace pygpu::host
