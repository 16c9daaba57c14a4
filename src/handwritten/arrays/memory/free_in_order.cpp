// Freeing in stream order, or after a wait.
#include "arrays/memory/free_in_order.hpp"

#include "arrays/memory/block_cache.hpp"
#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/device_idle.hpp"
#include "arrays/memory/page_lock.hpp"
#include "arrays/memory/pinned.hpp"
#include "arrays/streams/captures.hpp"
#include "arrays/streams/event_pool.hpp"
#include "arrays/streams/stream.hpp"
#include "python/exit.hpp"
#include "python/finaliser.hpp"
#include "python/gil.hpp"
#include "runtime/api.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

using Kind = MemoryKind;

struct Ending {
    const Runtime &runtime;
    Kind kind;
    void *pointer;
    std::size_t size;
    int device;
    DeviceGeneration generation;
    UseOrder order;

    void run() {
        int status = success;
        if (exists() && waits()) status = wait_for_uses();
        if (!exists()) { // any more, perhaps since the wait
            defer();
        } else if (is_others() &&
                   status == runtime.codes.not_permitted) { // at exit: the process gives it back
            static auto *kept = new std::vector<UseOrder>;
            kept->push_back(std::move(order));
        } else if (kind == Kind::foreign || kind == Kind::lent) {
            // The owner frees it.
        } else if (kind == Kind::resource) {
            give_back_to_resource();
        } else if (kind == Kind::pool) {
            free_in_order();
        } else if (status || kind != Kind::pinned || order.escaped || !cache_pinned(pointer, size, device)) {
            free_or_defer(status);
        }
        const UseOrder gone = std::move(order);
    }

private:
    bool is_others() const { return kind == Kind::foreign || kind == Kind::lent || kind == Kind::resource; }
    bool exists() const { return generation == generation_of(device); }

    // The owner or the next user may reuse the memory as soon as it has it, on a stream that PyGPU doesn't
    // know. So no event can order that, and this waits. It does not wait on another thread: when a user
    // releases the last array, the owner gets its memory back at once. An owner that runs out of memory could
    // not ask PyGPU for it.
    bool waits() const {
        const bool of_nobody = kind == Kind::foreign && !order.owner;
        return kind != Kind::pool && !of_nobody && !order.unused(first_work(kind));
    }

    void free_in_order() const {
        Scope scope(runtime, device);
        // Also where the free is deferred: it will wait for this device alone, and others may use the memory.
        bool freed = !scope.status() && order_free(scope) && !order.escaped && exists();
        if (freed) {
            GilReleased released(true); // this call waits if the stream's queue is full
            freed = !scope(runtime.free_async(pointer, order.home));
        }
        if (!freed) defer();
    }

    // Frees the memory later, unless a reset or a fork has ended it.
    void defer() const {
        if (exists())
            defer_free(kind, pointer, size, device);
        else if (kind == Kind::pinned)
            forget_pages(pointer, device, generation);
    }

    // Makes the memory's stream come after all uses of the memory; false if that is not possible.
    bool order_free(Scope &scope) const {
        if (order.used_destroyed()) return false;
        if (refuse_capture(runtime, scope, order.home)) return false;
        for (const UseOrder::Use &use : order.uses) {
            if (arrays::order(runtime, scope, order.home, use.stream, use.device)) return false;
        }
        return true;
    }

    void free_or_defer(int status) const {
        GilReleased released(true);
        Scope scope(runtime, device);
        if (!status) status = scope.status();
        if (status || interpreter_is_finalising() || free_idle(runtime, scope, kind, pointer)) defer();
    }

    struct UsedStream {
        Stream stream;
        int device;
        bool can_wait; // else the whole device does, as for streams that PyGPU doesn't know
    };

    int wait_for_uses() const {
        Scope scope(runtime, device);
        if (scope.status()) return scope.status();
        const std::vector<UsedStream> used = used_streams(scope);
        const bool busy = std::ranges::any_of(used, [&](const UsedStream &one) {
            return one.can_wait && (scope.change(one.device) || query_stream(runtime, scope, one.stream));
        });
        if (!busy && std::ranges::all_of(used, &UsedStream::can_wait)) return success;
        if (interpreter_is_finalising()) return runtime.codes.not_permitted; // the work may never end
        GilReleased released(true); // the devices may wait for host functions in Python
        int status = success;
        for (const UsedStream &one : used) {
            if (!status) status = scope.change(one.device);
            if (!status)
                status = one.can_wait ? scope(runtime.stream_synchronize(one.stream))
                                      : wait_for_device(runtime, scope);
        }
        return status;
    }

    // Where the memory was used. A stream that is being captured can't be waited for, but may still run what
    // was queued before.
    std::vector<UsedStream> used_streams(Scope &scope) const {
        std::vector<UsedStream> used;
        const auto add = [&](Stream stream, int on, const Reference &owner) {
            const bool can_wait =
                !is_gone(owner.get()) && !scope.change(on) && !refuse_capture(runtime, scope, stream);
            used.push_back({stream, on, can_wait});
        };
        // An owner's memory is in the order of the default stream.
        const bool owned = kind == Kind::foreign || kind == Kind::resource;
        if (order.home_work != first_work(kind) && (order.home || !owned))
            add(order.home, device, order.home_owner);
        for (const UseOrder::Use &use : order.uses) add(use.stream, use.device, use.owner);
        // Code that PyGPU can't see may have queued work on the address. cudaFree waits for that, but on some
        // runtimes cudaFreeHost does not. A foreign owner has passed the address on itself.
        if (order.escaped && kind != Kind::plain && kind != Kind::foreign)
            used.push_back({nullptr, device, false});
        return used;
    }

    void give_back_to_resource() const {
        Reference done(PyObject_CallMethod(order.owner.get(), "deallocate", "Kn",
                                           reinterpret_cast<unsigned long long>(pointer),
                                           static_cast<Py_ssize_t>(size)));
        if (!done) PyErr_WriteUnraisable(order.owner.get());
    }
};

} // namespace

bool give_to_cache(const Runtime &runtime, Kind kind, void *pointer, std::size_t size, int device,
                   const UseOrder &order) {
    // Only memory of PyGPU's own pool, which has no owner, that nothing but its home stream has used.
    PyObject *stream = order.home_owner.get();
    if (kind != Kind::pool || order.owner || order.escaped || !order.uses.empty() ||
        !caches_blocks(runtime, order.home, stream, device))
        return false;
    CachedBlock evicted;
    const bool cached = cache_block(device, stream, pointer, size, evicted);
    if (evicted.pointer) {
        UseOrder after;
        after.home = order.home;
        after.home_owner = Reference::borrow(stream);
        release(runtime, kind, evicted.pointer, evicted.size, device, generation_of(device),
                std::move(after));
    }
    return cached;
}

void release(const Runtime &runtime, Kind kind, void *pointer, std::size_t size, int device,
             const DeviceGeneration &generation, UseOrder &&order) {
    Ending ending{runtime, kind, pointer, size, device, generation, std::move(order)};
    if (!inside_callback()) return finalise([&] { ending.run(); });
    auto later = std::make_shared<Ending>(std::move(ending));
    postpone([later] { later->run(); });
}

} // namespace pygpu::arrays
