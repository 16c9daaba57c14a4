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
#include "types/handles/handle_class.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace pygpu::arrays {
namespace {

using Kind = Buffer::Kind;

struct Ending {
    const Runtime &runtime;
    Kind kind;
    void *pointer;
    std::size_t size;
    int device;
    DeviceGeneration generation;
    Order order;

    void run() {
        if (generation != generation_of(device)) {
            if (kind == Kind::pinned) forget_pages(pointer, device, generation);
        } else if (kind == Kind::foreign) {
            // The owner frees it.
        } else if (kind == Kind::resource) {
            give_back_to_resource();
        } else if (kind == Kind::lent) {
            wait_for_uses();
        } else if (kind == Kind::pool) {
            free_in_order();
        } else if (kind == Kind::pinned && !order.escaped && cache_pinned(pointer, size, device)) {
            // It may be reused at once, because PyGPU's queued copies retain it until they are done.
        } else {
            free_and_wait();
        }
        const Order gone = std::move(order);
    }

private:
    void free_in_order() const {
        Scope scope(runtime, device);
        bool freed = !scope.status() && !order.escaped && order_free(scope);
        if (freed) {
            GilReleased released(true); // this call waits if the stream's queue is full
            freed = !scope(runtime.free_async(pointer, order.home));
        }
        if (!freed) defer_free(kind, pointer, size, device);
    }

    // Makes the memory's stream come after all uses of the memory; false if that is not possible.
    bool order_free(Scope &scope) const {
        if (order.used_destroyed()) return false;
        if (refuse_capture(runtime, scope, order.home)) return false;
        for (const Order::Use &use : order.uses) {
            if (arrays::order(runtime, scope, order.home, use.stream, use.device)) return false;
        }
        return true;
    }

    void free_and_wait() const {
        GilReleased released(true);
        Scope scope(runtime, device);
        // Other code may have queued work on the address. On some runtimes cudaFreeHost does not wait for
        // that work.
        const bool must_wait = order.escaped && kind != Kind::plain;
        const bool idle = !scope.status() && !(must_wait && wait_for_device(runtime, scope));
        if (!idle || free_idle(runtime, scope, kind, pointer)) defer_free(kind, pointer, size, device);
    }

    // The lender may reuse the memory as soon as it has it back, on a stream that PyGPU doesn't know. So no
    // event can order that, and this waits. It does not wait on another thread: when a user releases the last
    // array, the lender gets its memory back at once. A lender that runs out of memory could not ask PyGPU
    // for it.
    void wait_for_uses() const {
        Scope scope(runtime, device);
        if (scope.status()) return;
        const bool by_device = order.escaped || order.used_destroyed();
        if (!by_device && uses_are_done(scope)) return;
        GilReleased released(true);
        if (by_device)
            wait_for_device(runtime, scope);
        else
            for_each_stream(scope, [&](Stream stream) { scope(runtime.stream_synchronize(stream)); });
    }

    bool uses_are_done(Scope &scope) const {
        bool done = true;
        for_each_stream(scope, [&](Stream stream) { done = done && !query_stream(runtime, scope, stream); });
        return done;
    }

    // Leaves out streams that are being captured: they run nothing yet.
    template <class Action> void for_each_stream(Scope &scope, Action act) const {
        const auto one = [&](Stream stream, int on) {
            if (!scope.change(on) && !refuse_capture(runtime, scope, stream)) act(stream);
        };
        one(order.home, device);
        for (const Order::Use &use : order.uses) one(use.stream, use.device);
    }

    void give_back_to_resource() const {
        if (order.escaped || !order.uses.empty()) {
            GilReleased released(true); // the device may wait for host functions in Python
            Scope scope(runtime, device);
            if (!scope.status()) wait_for_device(runtime, scope);
        }
        Reference done(PyObject_CallMethod(order.owner.get(), "deallocate", "Kn",
                                           reinterpret_cast<unsigned long long>(pointer),
                                           static_cast<Py_ssize_t>(size)));
        if (!done) PyErr_WriteUnraisable(order.owner.get());
    }
};

} // namespace

bool Order::used_destroyed() const {
    return other_owners->disowned_any &&
           (is_gone(home_owner.get()) ||
            std::ranges::any_of(uses, [](const Use &use) { return is_gone(use.owner.get()); }));
}

int Order::visit(visitproc visit, void *arg) const {
    Py_VISIT(home_owner.get());
    Py_VISIT(owner.get());
    for (const Use &use : uses) Py_VISIT(use.owner.get());
    return 0;
}

bool give_to_cache(const Runtime &runtime, Kind kind, void *pointer, std::size_t size, int device,
                   const Order &order) {
    // Only memory that nothing but the default stream has used.
    if (kind != Kind::pool || order.escaped || order.home || !order.uses.empty() || runtime.api.per_thread)
        return false;
    void *evicted = nullptr;
    std::size_t evicted_size = 0;
    const bool cached = cache_block(device, pointer, size, evicted, evicted_size);
    if (evicted) release(runtime, kind, evicted, evicted_size, device, generation_of(device), {});
    return cached;
}

void release(const Runtime &runtime, Kind kind, void *pointer, std::size_t size, int device,
             const DeviceGeneration &generation, Order &&order) {
    Ending ending{runtime, kind, pointer, size, device, generation, std::move(order)};
    if (!inside_callback()) return finalise([&] { ending.run(); });
    auto later = std::make_shared<Ending>(std::move(ending));
    postpone([later] { later->run(); });
}

// Memory of a pool goes back by free_async(): a pool for ever counts memory as used that cudaFree has freed
// (seen with driver 580).
int free_idle(const Runtime &runtime, Scope &scope, Kind kind, void *pointer) {
    if (kind == Kind::pinned) return unlock_pages(runtime, scope, pointer);
    return scope(kind == Kind::pool ? runtime.free_async(pointer, nullptr) : runtime.free(pointer));
}

} // namespace pygpu::arrays
