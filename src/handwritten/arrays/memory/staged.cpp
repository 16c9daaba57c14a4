// The ring of page-locked memory that small uploads pass through, one a device.
#include "arrays/memory/staged.hpp"

#include "arrays/streams/captures.hpp"
#include "arrays/streams/events.hpp"
#include "interpreter/gil.hpp"
#include "lifetime/epoch.hpp"
#include "loader/api.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

namespace pygpu::arrays {
namespace {

constexpr std::size_t block_bytes = most_staged, blocks = 16, alignment = 256;

// A stretch of the ring, filled before the next one is begun; its event follows the last copy out of it.
struct Block {
    Event done = nullptr;
    Ticket last = 0;
};

struct Ring {
    std::mutex mutex; // never taken with the GIL: a copy may wait for Python code that the device runs
    Epoch epoch;
    char *memory = nullptr;
    std::array<Block, blocks> block;
    std::size_t at = 0, used = 0; // the block in use, and bytes taken of it
    // Read without the lock: an event is marked before the tickets that it stands for are given.
    std::atomic<Event> newest{nullptr};
    std::atomic<Ticket> given{0}, arrived{0};
    std::atomic<unsigned> resets{0}; // of the epoch

    char *place() { return memory + at * block_bytes + used; }
};

Ring &ring_of(int device) {
    static auto *rings = new Ring[most_devices]; // outlives every static destructor
    return rings[device & (most_devices - 1)];
}

void note(Ring &ring, Ticket ticket) {
    Ticket known = ring.arrived.load(std::memory_order_relaxed);
    while (known < ticket && !ring.arrived.compare_exchange_weak(known, ticket)) {
    }
}

// Memory and events of before a reset went with it, and so did what was under way.
void forget_if_over(Ring &ring, int device) {
    const Epoch now = epoch_of(device);
    if (ring.epoch == now) return;
    ring.epoch = now;
    ring.memory = nullptr;
    ring.block = {};
    ring.at = ring.used = 0;
    ring.newest = nullptr;
    ring.resets = now.resets;
    note(ring, ring.given);
}

// Whether a reset ended what the ring had, and nothing was staged since. Without the lock.
bool is_over(const Ring &ring, int device) { return ring.resets != epoch_of(device).resets; }

// Makes room for `size` bytes in the block in use, or in the next one once its copies are done.
int make_room(const Runtime &runtime, Scope &scope, Ring &ring, std::size_t size) {
    if (ring.used + size <= block_bytes) return success;
    const std::size_t next = (ring.at + 1) % blocks;
    const Block &block = ring.block[next];
    if (block.last > ring.arrived.load(std::memory_order_relaxed)) {
        if (const int status = scope(runtime.event_synchronize(block.done))) return status;
        note(ring, block.last);
    }
    ring.at = next;
    ring.used = 0;
    return success;
}

} // namespace

int stage(const Runtime &runtime, Scope &scope, void *to, const void *from, std::size_t size,
          Ticket &ticket) {
    ticket = 0;
    if (size > most_staged || runtime.api.per_thread || in_child()) return success;
    Ring &ring = ring_of(scope.device());
    std::lock_guard lock(ring.mutex);
    forget_if_over(ring, scope.device());
    void *memory = ring.memory;
    if (!memory && scope(runtime.host_alloc(&memory, blocks * block_bytes))) return success;
    ring.memory = static_cast<char *>(memory);
    if (const int status = make_room(runtime, scope, ring, size)) return status;
    Block &block = ring.block[ring.at];
    if (!block.done && take_event(runtime, scope, block.done)) return success;
    char *place = ring.place();
    std::memcpy(place, from, size);
    int status = scope(runtime.copy_async(to, place, size, Direction::host_to_device, nullptr));
    if (status) return status;
    ring.used += (size + alignment - 1) / alignment * alignment;
    status = scope(runtime.event_record(block.done, nullptr));
    if (status) { // then the host has to wait
        scope(runtime.stream_synchronize(nullptr));
        return status;
    }
    ticket = ring.given.load(std::memory_order_relaxed) + 1;
    block.last = ticket;
    ring.newest = block.done;
    ring.given = ticket;
    return success;
}

Ticket last_staged(int device) {
    const Ring &ring = ring_of(device);
    if (is_over(ring, device)) return 0;
    const Ticket ticket = ring.given;
    return ticket > ring.arrived.load(std::memory_order_relaxed) ? ticket : 0;
}

bool has_arrived(int device, Ticket ticket) {
    return ticket <= ring_of(device).arrived.load(std::memory_order_acquire);
}

void note_arrival(int device, Ticket ticket) { note(ring_of(device), ticket); }

int wait_for_arrival(const Runtime &runtime, int device, Ticket ticket) {
    Ring &ring = ring_of(device);
    if (has_arrived(device, ticket) || in_child() || is_over(ring, device)) return success;
    const Ticket known = ring.given;
    const Event newest = ring.newest;
    if (!newest) return success; // the ring ended with a reset
    Scope scope(runtime, device);
    int status = scope.status();
    if (!status) status = scope(runtime.event_synchronize(newest));
    if (!status) note(ring, known);
    return status;
}

int order_after_arrival(const Runtime &runtime, Scope &scope, Stream later, int device, Ticket ticket) {
    Ring &ring = ring_of(device);
    if (has_arrived(device, ticket) || in_child() || is_over(ring, device)) return success;
    const Ticket known = ring.given;
    const Event newest = ring.newest;
    if (!newest) return success;
    int status = query_event(runtime, scope, newest);
    if (!status) note(ring, known);
    if (status != not_ready) return status;
    status = refuse_capture(runtime, scope, later); // it may not depend on what lies outside of it
    if (status) return status;
    GilGivenAway away(true); // a stream that is full lets wait
    return scope(runtime.stream_wait(later, newest));
}

int free_stage(const Runtime &runtime, Scope &scope) {
    if (scope.status() || in_child()) return scope.status();
    Ring &ring = ring_of(scope.device());
    std::lock_guard lock(ring.mutex);
    forget_if_over(ring, scope.device());
    if (!ring.memory) return success;
    const Ticket known = ring.given;
    if (known > ring.arrived) {
        if (const int status = scope(runtime.event_synchronize(ring.newest))) return status;
        note(ring, known);
    }
    if (const int status = scope(runtime.host_free(ring.memory))) return status;
    ring.memory = nullptr;
    ring.at = ring.used = 0; // the events stay: others may be waiting for the newest one
    return success;
}

} // namespace pygpu::arrays
