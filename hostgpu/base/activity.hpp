// What each process of this user does on the host devices, for every process to see: NVML's lists of
// processes, memory in use, and utilisation. It is a file in /dev/shm with a fixed number of slots, one for a
// process. Each process writes only to its own slot, and nobody takes a lock. The slot of a process that is
// gone counts as empty, however it ended. Where the file can't be had, nothing is seen, and nothing fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pygpu::host {

// The devices here are numbered as this process sees them.

// The process uses the device: it has a context there.
void show_use(int device);
// Its memory there grows by so many bytes, or shrinks.
void show_memory(int device, std::ptrdiff_t bytes);

// While it lives, the process keeps a device busy.
enum class Load { kernel, transfer, none };
class Busy {
public:
    Busy(int device, Load load);
    ~Busy();
    Busy(const Busy &) = delete;
    Busy &operator=(const Busy &) = delete;

private:
    const int device_;
    const Load load_;
};

// What a process has done on a device of the machine in the last second.
struct Activity {
    int process;
    std::size_t memory;
    unsigned kernels, memory_use; // percent of the time in which kernels ran; in which kernels or copies did
};
std::vector<Activity> activities(int on_machine);

} // namespace pygpu::host
