// The ring of page-locked memory for small uploads, one for each device.
#include "arrays/memory/upload_ring.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/page_lock.hpp"
#include "arrays/streams/captures.hpp"
#include "arrays/streams/event_pool.hpp"
#include "python/gil.hpp"
#include "runtime/api.hpp"
#include "runtime/device_state.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

namespace pygpu::arrays {
namespace {

constexpr std::size_t block_bytes = most_uploaded, blocks = 8, alignment = 256;

// A part of the ring, which is filled before the next one. Its event comes after the last copy out of it.
struct UploadBlock {
    Event done = nullptr;
    Fence last = 0;
    int users = 0; // threads that are queueing a copy out of it
};

// Its lock guards only the bookkeeping, and is never held over a call. A copy, the recording of an event and
// a wait may all wait for Python code that the device runs, and that code may upload, too.
struct UploadRing {
    char *memory = nullptr;
    std::array<UploadBlock, blocks> block;
    std::size_t at = 0, used = 0; // the block in use, and bytes taken of it
    std::atomic<int> waiters{0};  // threads that use an event without the lock
    // Read without the lock. That is safe, because an event is recorded before its fences are given out.
    std::atomic<Event> newest{nullptr};
    std::atomic<Fence> issued{0}, arrived{0};

    void note(Fence fence) {
        Fence known = arrived.load(std::memory_order_relaxed);
        while (known < fence && !arrived.compare_exchange_weak(known, fence)) {
        }
    }

    // A reset ended the memory, the events, and the uploads that were under way.
    void forget() {
        memory = nullptr;
        block = {};
        at = used = 0;
        newest = nullptr;
        note(issued);
    }
};

using Locked = DeviceState<UploadRing>;

// A thread that uses an event of the ring: free_upload_ring() leaves the events to it. Begin it before
// reading the event.
class Waiter {
public:
    explicit Waiter(UploadRing &ring) : ring_(ring) { ++ring_.waiters; }
    ~Waiter() { --ring_.waiters; }
    Waiter(const Waiter &) = delete;
    Waiter &operator=(const Waiter &) = delete;

private:
    UploadRing &ring_;
};

UploadRing &ring_of(int device) { return Locked::peek(device); }

// Whether a reset has ended the ring's contents, and nothing was uploaded since.
bool is_over(int device) { return !Locked::is_current(device); }

// Memory of the ring, reserved while a copy out of it is queued. It ends with a reset of the device.
class Reservation {
public:
    explicit Reservation(int device)
        : ring_(ring_of(device)), device_(device), generation_(generation_of(device)) {}
    ~Reservation() {
        if (!block_) return;
        if (const Locked ring(device_); is_of(ring)) --block_->users;
    }
    Reservation(const Reservation &) = delete;
    Reservation &operator=(const Reservation &) = delete;

    enum class Outcome { memory, none, lacks_memory, lacks_event, must_wait };

    Outcome find(std::size_t size) {
        const Locked ring(device_);
        if (!is_of(ring)) return Outcome::none;
        if (!ring_.memory) return Outcome::lacks_memory;
        const bool next = ring_.used + size > block_bytes;
        const std::size_t at = next ? (ring_.at + 1) % blocks : ring_.at;
        UploadBlock &block = ring_.block[at];
        if (!block.done) return at_ = at, Outcome::lacks_event;
        if (next) {
            if (block.users) return Outcome::none; // another thread still queues a copy from the last turn
            if (block.last > ring_.arrived.load(std::memory_order_relaxed)) {
                awaited_ = block.done; // the caller holds a Waiter
                last_ = block.last;
                return Outcome::must_wait;
            }
            ring_.at = at;
            ring_.used = 0;
        }
        memory_ = ring_.memory + at * block_bytes + ring_.used;
        ring_.used += (size + alignment - 1) / alignment * alignment;
        block_ = &block;
        done_ = block.done;
        ++block.users;
        return Outcome::memory;
    }

    int wait(const Runtime &runtime, Scope &scope) const {
        const int status = scope(runtime.event_synchronize(awaited_));
        if (!status) ring_.note(last_);
        return status;
    }

    // Adds the memory that find() lacked. If another thread has added it meanwhile, this memory is freed.
    bool add_memory(const Runtime &runtime, Scope &scope) {
        void *memory = nullptr;
        if (lock_pages(runtime, scope, blocks * block_bytes, memory)) return false;
        {
            const Locked ring(device_);
            if (!is_of(ring)) return false; // it ended with a reset
            if (!ring_.memory) {
                ring_.memory = static_cast<char *>(memory);
                return true;
            }
        }
        defer_free(MemoryKind::pinned, memory, blocks * block_bytes, device_);
        return true;
    }

    bool add_event(const Runtime &runtime, Scope &scope) {
        Event event = nullptr;
        if (take_event(runtime, scope, event)) return false;
        {
            const Locked ring(device_);
            if (is_of(ring) && !ring_.block[at_].done) std::swap(ring_.block[at_].done, event);
        }
        if (event && generation_ == generation_of(device_)) give_event(runtime, event, device_);
        return true;
    }

    char *memory() const { return memory_; }

    // Records the event after the queued copy, and returns a fence. A fence also stands for all earlier
    // fences. So if another upload got a fence meanwhile, which this event may not cover, the event is
    // recorded again.
    int fence_event(const Runtime &runtime, Scope &scope, Fence &fence) {
        for (;;) {
            const Fence known = ring_.issued;
            if (const int status = scope(runtime.event_record(done_, nullptr))) return status;
            const Locked ring(device_);
            if (!is_of(ring)) return runtime.codes.context_is_destroyed;
            if (ring_.issued != known) continue;
            fence = known + 1;
            block_->last = fence;
            --block_->users;
            block_ = nullptr;
            ring_.newest = done_;
            ring_.issued = fence;
            return success;
        }
    }

private:
    bool is_of(const Locked &ring) const { return ring.generation() == generation_; }

    UploadRing &ring_;
    const int device_;
    const DeviceGeneration generation_;
    UploadBlock *block_ = nullptr; // the block of the memory, which counts this object as a user
    Event done_ = nullptr;         // the block's event
    char *memory_ = nullptr;
    std::size_t at_ = 0;      // the index of the block that lacks an event
    Event awaited_ = nullptr; // the event to wait for before there is memory
    Fence last_ = 0;
};

} // namespace

int upload_async(const Runtime &runtime, Scope &scope, void *to, const void *from, std::size_t size,
                 Fence &fence) {
    fence = 0;
    if (size > most_uploaded || runtime.api.per_thread || in_child()) return success;
    Reservation reserved(scope.device());
    const Waiter waiter(ring_of(scope.device()));
    for (;;) {
        const auto outcome = reserved.find(size);
        if (outcome == Reservation::Outcome::memory) break;
        if (outcome == Reservation::Outcome::must_wait) {
            if (const int status = reserved.wait(runtime, scope)) return status;
        } else if (outcome == Reservation::Outcome::none ||
                   !(outcome == Reservation::Outcome::lacks_memory ? reserved.add_memory(runtime, scope)
                                                                   : reserved.add_event(runtime, scope))) {
            return success;
        }
    }
    std::memcpy(reserved.memory(), from, size);
    int status = scope(runtime.copy_async(to, reserved.memory(), size, Direction::host_to_device, nullptr));
    if (status) return status;
    status = reserved.fence_event(runtime, scope, fence);
    if (status) scope(runtime.stream_synchronize(nullptr)); // without an event the host has to wait
    return status;
}

Fence last_upload(int device) {
    const UploadRing &ring = ring_of(device);
    if (is_over(device)) return 0;
    const Fence fence = ring.issued;
    return fence > ring.arrived.load(std::memory_order_relaxed) ? fence : 0;
}

bool has_arrived(int device, Fence fence) {
    return fence <= ring_of(device).arrived.load(std::memory_order_acquire);
}

void note_arrival(int device, Fence fence) { ring_of(device).note(fence); }

int wait_for_arrival(const Runtime &runtime, int device, Fence fence) {
    UploadRing &ring = ring_of(device);
    if (has_arrived(device, fence) || in_child() || is_over(device)) return success;
    const Waiter waiter(ring);
    const Fence known = ring.issued;
    const Event newest = ring.newest;
    if (!newest) return success; // the ring ended with a reset, or all has arrived
    Scope scope(runtime, device);
    int status = scope.status();
    if (!status) status = scope(runtime.event_synchronize(newest));
    if (!status) ring.note(known);
    return status;
}

int order_after_arrival(const Runtime &runtime, Scope &scope, Stream later, int device, Fence fence) {
    UploadRing &ring = ring_of(device);
    if (has_arrived(device, fence) || in_child() || is_over(device)) return success;
    const Waiter waiter(ring);
    const Fence known = ring.issued;
    const Event newest = ring.newest;
    if (!newest) return success;
    int status = query_event(runtime, scope, newest);
    if (!status) ring.note(known);
    if (status != runtime.codes.not_ready) return status;
    status = refuse_capture(runtime, scope, later); // a capture must not depend on work outside of it
    if (status) return status;
    GilReleased released(true); // this call waits if the stream's queue is full
    return scope(runtime.stream_wait(later, newest));
}

int free_upload_ring(const Runtime &runtime, Scope &scope) {
    if (scope.status() || in_child()) return scope.status();
    const int device = scope.device();
    UploadRing &ring = ring_of(device);
    const DeviceGeneration generation = generation_of(device);
    Fence known = 0;
    Event newest = nullptr;
    {
        const Waiter waiter(ring);
        {
            const Locked lock(device);
            if (!ring.memory) return success;
            known = ring.issued;
            newest = ring.newest;
        }
        if (known > ring.arrived) {
            if (const int status = scope(runtime.event_synchronize(newest))) return status;
            ring.note(known);
        }
    }
    char *memory = nullptr;
    std::array<Event, blocks> events{};
    {
        const Locked lock(device);
        const auto queueing = [](const UploadBlock &block) { return block.users; };
        if (ring.issued != known || std::ranges::any_of(ring.block, queueing)) return success; // it is in use
        if (!ring.memory || lock.generation() != generation) return success; // by another thread
        memory = std::exchange(ring.memory, nullptr);
        ring.at = ring.used = 0;
        ring.newest = nullptr;
        if (ring.waiters)
            ring.newest = newest;
        else
            for (std::size_t at = 0; at < blocks; ++at)
                events[at] = std::exchange(ring.block[at].done, nullptr);
    }
    for (Event event : events)
        if (event) give_event(runtime, event, device);
    const int status = unlock_pages(runtime, scope, memory);
    if (status) defer_free(MemoryKind::pinned, memory, blocks * block_bytes, device);
    return status;
}

} // namespace pygpu::arrays
