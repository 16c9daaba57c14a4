// Devices: what each has, and which is current.
#pragma once

#include "streams/event.hpp"
#include "base/handles.hpp"
#include "base/roster.hpp"
#include "base/status.hpp"
#include "streams/stream.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace pygpu::host {

class Context;
class Pool;

// Both APIs number the limits in this order, from the stack's on.
enum Limit { stack_limit, printf_limit, heap_limit };
constexpr int known_limits = 7;

struct Device {
    explicit Device(int number);

    const int number;
    Roster<Stream> streams; // all that may have work, destroyed ones with unfinished work included
    Roster<Pool> pools;
    const std::shared_ptr<Stream> legacy;
    const std::shared_ptr<Pool> default_pool;
    std::mutex mutex; // guards what follows
    std::shared_ptr<Pool> pool;
    std::set<int> peers;               // devices whose memory this one may reach
    std::map<int, std::size_t> limits; // those that were set
    std::shared_ptr<Context> primary;
    int retained = 0;                      // references of the driver API to the primary context
    std::atomic<bool> runtime_uses{false}; // the runtime API holds one, too
    int cache_config = 0;
    std::atomic<unsigned> flags{0};
    std::atomic<unsigned> hip_flags{1};
    std::atomic<bool> active{false};
    std::atomic<unsigned> interrupts{0}; // how often its running kernels were ended by one
    std::atomic<std::size_t> heap{0};    // bytes that kernels have allocated

    std::size_t limit(int limit);
    // Gives back what the pools hold beyond their thresholds, as synchronising does.
    void trim_pools();
    // From now on all new work of the device waits for this point first.
    void bar(const Point &point);
    // The points given to bar() that aren't reached yet.
    std::vector<Point> barrier();

private:
    std::mutex barrier_mutex_;
    std::vector<Point> barrier_; // more than one where threads copy at once
    std::atomic<bool> barred_{false};
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

Handles<Stream> &streams();
Handles<Event> &events();

// The priorities that streams may have, by the vendor of the running call: as an H200 and AMD's runtime
// report them.
struct Priorities {
    int least, greatest;
};
Priorities priorities();

// The number on the machine of a device that is seen, and back; -1 for one that isn't seen. What names a
// device goes by the former.
int on_machine(int number);
int seen_as(int number);
// "0000:01:00.0" for the machine's first device, and so on.
int pci_bus(int number);
void pci_bus_id(int number, char (&text)[16]);
void device_uuid(int number, unsigned char (&bytes)[16]);
void device_name(int number, char *text, std::size_t size);

std::shared_ptr<Stream> make_stream(Stream::Kind kind, int device, unsigned flags, int priority);

// The stream that a C handle names in this call. The handle may be null or one of the two special values.
// Returns null for a stale handle.
std::shared_ptr<Stream> stream_of(const void *handle);

void trim_pools(int number);

// Waits for everything that was submitted to the device.
void synchronize(int number);

} // namespace pygpu::host
