// Devices: what each has, and which is current.
#pragma once

#include "base/roster.hpp"
#include "memory/pool.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace pygpu::host {

// Both APIs number the limits in this order, from the stack's on.
enum Limit { stack_limit, printf_limit, heap_limit };
constexpr int known_limits = 7;

struct Device {
    explicit Device(int number);

    const int number;
    Roster<Pool> pools;
    const std::shared_ptr<Pool> default_pool;
    std::mutex mutex; // guards what follows
    std::shared_ptr<Pool> pool;
    std::set<int> peers;               // devices whose memory this one may reach
    std::map<int, std::size_t> limits; // those that were set
    int cache_config = 0;
    std::atomic<unsigned> flags{0};
    std::atomic<unsigned> hip_flags{1};
    std::atomic<bool> active{false};

    std::size_t limit(int limit);
    // Gives back what the pools hold beyond their thresholds, as synchronising does.
    void trim_pools();
};

// How many devices the programs of the running call's vendor see. They number these from 0 on.
int device_count();
bool is_device(int number);
// NVIDIA's runtime calls cuInit in all its functions but the one for its own version.
void initialize_driver();
// What a call returns where there are none.
Status no_device();
// How many devices there are, whoever sees them.
int all_devices();
Device &device(int number);
Device &current_device();

// The number on the machine of a device that is seen, and back; -1 for one that isn't seen. What names a
// device goes by the former.
int on_machine(int number);
int seen_as(int number);
// "0000:01:00.0" for the machine's first device, and so on.
int pci_bus(int number);
void pci_bus_id(int number, char (&text)[16]);
void device_uuid(int number, unsigned char (&bytes)[16]);
void device_name(int number, char *text, std::size_t size);

void trim_pools(int number);

} // namespace pygpu::host
