// Allocating, ordering and freeing.
#include "arrays/memory/buffer.hpp"

#include "arrays/memory/allocator.hpp"
#include "arrays/memory/device_idle.hpp"
#include "arrays/memory/exposure.hpp"
#include "arrays/memory/kept.hpp"
#include "arrays/memory/parked.hpp"
#include "arrays/memory/pinned.hpp"
#include "arrays/memory/pools.hpp"
#include "arrays/streams/captures.hpp"
#include "arrays/streams/events.hpp"
#include "arrays/streams/stream.hpp"
#include "handles/handle_class.hpp"
#include "interpreter/finaliser.hpp"
#include "interpreter/gil.hpp"
#include "interpreter/later.hpp"
#include "loader/api.hpp"

#include <algorithm>
#include <utility>

namespace pygpu::arrays {
namespace {

int allocate_on(const Runtime &runtime, Scope &scope, std::size_t size, Stream stream, void *&pointer,
                Buffer::Kind &kind) {
    if (scope.status()) return scope.status();
    bool capturing = false; // memory of a captured stream would be the graph's
    if (const int status = ask_capturing(runtime, scope, stream, capturing)) return status;
    reserve_waiting(runtime, scope);
    if (const Pool pool = capturing ? nullptr : pool_of(runtime, scope)) {
        kind = Buffer::Kind::pool;
        return scope(runtime.malloc_from_pool(&pointer, size, pool, stream));
    }
    kind = Buffer::Kind::plain;
    return scope(runtime.malloc(&pointer, size));
}

} // namespace

Buffer::Buffer(const Runtime &runtime, Kind kind, void *pointer, std::size_t size, int device,
               const StreamArgument &home, Reference keeper)
    : runtime(runtime), pointer(pointer), size(size), device(device), kind(kind), epoch_(epoch_of(device)),
      home_(home.stream), home_keeper_(Reference::borrow(home.keeper)), keeper_(std::move(keeper)),
      home_work_(kind == Kind::pool) {
    if (kind == Kind::pinned && pointer) watch_address(*this);
    if (kind == Kind::pool || kind == Kind::plain) staged_ = last_staged(device);
}

void Buffer::wait_for_staged() {
    if (!has_arrived(device, staged_)) {
        if (ended() || inside_callback()) return;
        GilGivenAway away(true);
        // Where it fails the device has failed: whoever uses the address is told.
        if (wait_for_arrival(runtime, device, staged_)) return;
    }
    staged_ = 0;
}

bool Buffer::used_destroyed() const {
    return disowned_any && (is_gone(home_keeper_.get()) || std::ranges::any_of(uses_, [](const Use &use) {
                                return is_gone(use.keeper.get());
                            }));
}

int Buffer::settle_destroyed(Scope &scope) {
    if (!used_destroyed()) return success;
    std::vector<Reference> gone; // held, so that each is told by its address
    std::vector<int> devices;
    if (is_gone(home_keeper_.get())) {
        gone.push_back(Reference::borrow(home_keeper_.get()));
        devices.push_back(device);
    }
    for (const Use &use : uses_) {
        if (!is_gone(use.keeper.get())) continue;
        gone.push_back(Reference::borrow(use.keeper.get()));
        devices.push_back(use.device);
    }
    int status = success;
    {
        GilGivenAway away(true);
        const int before = scope.device();
        for (int one : devices) {
            if (!status) status = scope.change(one);
            if (!status) status = wait_for_device(runtime, scope);
        }
        const int changed = scope.change(before);
        if (!status) status = changed;
    }
    if (status) return status;
    for (const Reference &keeper : gone) {
        if (home_keeper_.get() == keeper.get()) {
            home_ = nullptr;
            home_keeper_ = {};
        }
        std::erase_if(uses_, [&](const Use &use) { return use.keeper.get() == keeper.get(); });
    }
    return success;
}

int Buffer::begin_use(Scope &scope, const StreamArgument &stream, bool after_all) {
    if (const int status = settle_destroyed(scope)) return status;
    const int on = scope.device();
    if (staged_ && (stream.stream || on != device)) {
        if (const int status = order_after_arrival(runtime, scope, stream.stream, device, staged_))
            return status;
        if (has_arrived(device, staged_)) staged_ = 0;
    }
    // Others may begin work, and forget streams, while the GIL is away: what counts is what was begun by now.
    const std::uint64_t work = home_work_;
    const bool at_home = is_home(stream.stream, on);
    const Use *known = at_home ? nullptr : use_on(stream.stream, on);
    std::vector<Use> earlier;
    for (const Use &use : uses_) {
        if (after_all && &use != known && use.begun != use.waited)
            earlier.push_back({use.stream, use.device, Reference::borrow(use.keeper.get()), use.begun});
    }
    if (!at_home && (after_all || (known ? known->behind : 0) != work)) {
        const Reference home = Reference::borrow(home_keeper_.get());
        if (const int status = order(runtime, scope, stream.stream, home_, device)) return status;
    }
    for (const Use &use : earlier) {
        if (const int status = order(runtime, scope, stream.stream, use.stream, use.device)) return status;
    }
    for (const Use &use : earlier) {
        if (Use *still = use_on(use.stream, use.device)) still->waited = std::max(still->waited, use.begun);
    }
    if (!at_home) {
        Use *use = use_on(stream.stream, on);
        if (!use) use = &uses_.emplace_back(Use{stream.stream, on, Reference::borrow(stream.keeper)});
        use->behind = work;
    }
    go_on_with_use(stream.stream, on);
    return success;
}

int Buffer::begin_export(Scope &scope) {
    if (const int status = settle_destroyed(scope)) return status;
    const Reference keeper = Reference::borrow(home_keeper_.get());
    return begin_use(scope, {home_, keeper.get(), device, false}, true);
}

void Buffer::go_on_with_use(Stream stream, int on) {
    if (is_home(stream, on))
        ++home_work_;
    else if (Use *use = use_on(stream, on))
        ++use->begun;
}

Buffer::Use *Buffer::use_on(Stream stream, int on) {
    const auto found =
        std::ranges::find_if(uses_, [&](const Use &use) { return use.stream == stream && use.device == on; });
    return found == uses_.end() ? nullptr : &*found;
}

int Buffer::query(bool wait) {
    struct Place {
        Stream stream;
        int device;
    };
    Scope scope(runtime, device);
    int status = scope.status();
    if (!status) status = settle_destroyed(scope);
    std::vector<Place> places{{home_, device}}; // others may record uses while the GIL is away
    for (const Use &use : uses_) places.push_back({use.stream, use.device});
    GilGivenAway away(wait);
    for (const Place &place : places) {
        if (!status) status = scope.change(place.device);
        if (!status) status = refuse_capture(runtime, scope, place.stream);
        if (!status) {
            status = wait ? scope(runtime.stream_synchronize(place.stream))
                          : query_stream(runtime, scope, place.stream);
        }
    }
    return status;
}

void Buffer::end() {
    if (kind == Kind::pinned) forget_address(*this);
    if (!pointer || ended()) {
        delete this;
        return;
    }
    finalise([this] { free(); });
}

void Buffer::free() {
    if (ended() || kind == Kind::foreign) {
        // Nothing left to free, or the keeper frees.
    } else if (kind == Kind::resource) {
        give_back_to_resource();
    } else if (kind == Kind::pool) {
        void *evicted = nullptr;
        std::size_t evicted_size = 0;
        if (!may_keep() || !keep(device, pointer, size, evicted, evicted_size)) free_in_order(pointer, size);
        if (evicted) free_in_order(evicted, evicted_size);
    } else if (kind == Kind::pinned && !exposed_ && keep_pinned(pointer, size, device)) {
        // Queued copies of PyGPU's hold it until they are done, so it may serve again.
    } else {
        GilGivenAway away(true); // these wait for the device
        Scope scope(runtime, device);
        // Where C's calls know the address, work that frees of the host's memory don't wait for everywhere
        // may use it.
        const bool must_wait = exposed_ && kind != Kind::plain;
        const bool idle = !scope.status() && !(must_wait && wait_for_device(runtime, scope));
        if (!idle || scope(free_idle(runtime, kind, pointer))) park(kind, pointer, size, device);
    }
    delete this;
}

// Whether nobody but the default stream can have anything to do with the memory.
bool Buffer::may_keep() const { return !exposed_ && !home_ && uses_.empty() && !runtime.api.per_thread; }

void Buffer::free_in_order(void *memory, std::size_t bytes) {
    Scope scope(runtime, device);
    bool freed = !scope.status() && !exposed_ && order_free(scope);
    if (freed) {
        GilGivenAway away(true); // a stream that is full lets wait
        freed = !scope(runtime.free_async(memory, home_));
    }
    if (!freed) park(kind, memory, bytes, device);
}

// Makes the memory's stream come after all that used it; false where that can't be.
bool Buffer::order_free(Scope &scope) {
    if (used_destroyed()) return false;
    if (refuse_capture(runtime, scope, home_)) return false;
    for (const Use &use : uses_) {
        if (order(runtime, scope, home_, use.stream, use.device)) return false;
    }
    return true;
}

// A pool counts what cudaFree took from it as used for ever (seen with driver 580).
int Buffer::free_idle(const Runtime &runtime, Kind kind, void *pointer) {
    if (kind == Kind::pool) return runtime.free_async(pointer, nullptr);
    return kind == Kind::pinned ? runtime.host_free(pointer) : runtime.free(pointer);
}

void Buffer::give_back_to_resource() {
    if (exposed_ || !uses_.empty()) {
        GilGivenAway away(true); // host functions in Python may be what the device waits for
        Scope scope(runtime, device);
        if (!scope.status()) wait_for_device(runtime, scope);
    }
    Reference done(PyObject_CallMethod(keeper_.get(), "deallocate", "Kn",
                                       reinterpret_cast<unsigned long long>(pointer),
                                       static_cast<Py_ssize_t>(size)));
    if (!done) PyErr_WriteUnraisable(keeper_.get());
}

int try_allocate(const Runtime &runtime, std::size_t size, const StreamArgument &asked, Held<Buffer> &made) {
    if (has_postponed()) do_postponed();
    void *pointer = nullptr;
    Buffer::Kind kind = Buffer::Kind::pool;
    StreamArgument home;
    int status = success, device = 0;
    if (!asked.stream && !runtime.api.per_thread && size && any_kept()) {
        const Scope scope(runtime);
        device = scope.device();
        home = stream_on(asked, device);
        if (!scope.status() && !home.stream && !much_is_parked(device)) pointer = take_kept(device, size);
    }
    if (!pointer) {
        GilGivenAway away(true);
        Scope scope(runtime);
        status = scope.status();
        device = scope.device();
        home = stream_on(asked, device);
        // Else the pool's pieces would be put aside again, and each allocation wait in vain.
        if (!status && much_is_parked(device) && !refuse_capture(runtime, scope, nullptr))
            free_parked(runtime, scope);
        if (!status && size) status = allocate_on(runtime, scope, size, home.stream, pointer, kind);
        if (status == out_of_memory) { // what can't be given back may not be what is missing
            const int trimmed = trim(runtime, scope, 0);
            if (!trimmed || trimmed == out_of_memory)
                status = allocate_on(runtime, scope, size, home.stream, pointer, kind);
        }
    }
    if (!status) made = Held<Buffer>(new Buffer(runtime, kind, pointer, size, device, home));
    return status;
}

PyObject *raise_allocation(const Runtime &runtime, int status, const char *call, std::size_t size) {
    std::size_t free = 0, total = 0;
    std::uint64_t used = 0, reserved = 0;
    int device = 0;
    if (status == out_of_memory) {
        GilGivenAway away(true);
        Scope scope(runtime);
        device = scope.device();
        scope(runtime.memory_info(&free, &total));
        pool_usage(runtime, scope, used, reserved);
    }
    if (status != out_of_memory) return raise_status(runtime, status, "%s: allocating %zu bytes", call, size);
    return raise_status(runtime, status,
                        "%s: %zu bytes asked for on device %d; %zu free of %zu, %zu more unused in PyGPU's "
                        "pool, %zu waiting to be freed",
                        call, size, device, free, total, static_cast<std::size_t>(reserved - used),
                        parked_bytes(device));
}

Held<Buffer> allocate(const Runtime &runtime, const char *call, std::size_t size,
                      const StreamArgument &stream, PyObject *allocator) {
    if (!allocator) allocator = default_allocator();
    if (allocator && size) return allocate_with(runtime, call, allocator, size, stream);
    Held<Buffer> made;
    if (const int status = try_allocate(runtime, size, stream, made))
        raise_allocation(runtime, status, call, size);
    return made;
}

bool record_stream(Buffer &buffer, const char *call, PyObject *stream) {
    StreamArgument used;
    if (!load_stream(stream, call, used)) return false;
    if (!buffer.pointer || buffer.ended()) return true;
    Scope scope(buffer.runtime, used.device == any_device ? buffer.device : used.device);
    int status = scope.status();
    bool capturing = false;
    if (!status) status = ask_capturing(buffer.runtime, scope, used.stream, capturing);
    if (!status && !capturing) status = buffer.begin_use(scope, used, false);
    if (status) {
        raise_status(buffer.runtime, status, "%s", call);
        return false;
    }
    if (capturing)
        buffer.expose(); // to a graph, whose launches can't be told
    else
        buffer.cover();
    return true;
}

int try_allocate_host(const Runtime &runtime, std::size_t size, Buffer::Kind kind, Held<Buffer> &made) {
    if (has_postponed()) do_postponed();
    void *pointer = nullptr;
    int status = success, device = 0;
    {
        GilGivenAway away(true);
        Scope scope(runtime);
        status = scope.status();
        device = scope.device();
        if (!status && size)
            status = kind == Buffer::Kind::pinned ? take_pinned(runtime, scope, size, pointer)
                                                  : scope(runtime.malloc_managed(&pointer, size));
    }
    if (!status) made = Held<Buffer>(new Buffer(runtime, kind, pointer, size, device));
    return status;
}

Held<Buffer> allocate_host(const Runtime &runtime, const char *call, std::size_t size, Buffer::Kind kind) {
    Held<Buffer> made;
    if (const int status = try_allocate_host(runtime, size, kind, made))
        raise_status(runtime, status, "%s: %zu bytes of %s memory asked for", call, size,
                     kind == Buffer::Kind::pinned ? "page-locked" : "managed");
    return made;
}

} // namespace pygpu::arrays
