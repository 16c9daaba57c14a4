// Allocating, ordering and freeing.
#include "arrays/memory/buffer.hpp"

#include "arrays/memory/allocator.hpp"
#include "arrays/memory/block_cache.hpp"
#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/dependents.hpp"
#include "arrays/memory/device_idle.hpp"
#include "arrays/memory/escaped_address.hpp"
#include "arrays/memory/free_in_order.hpp"
#include "arrays/memory/page_lock.hpp"
#include "arrays/memory/pinned.hpp"
#include "arrays/memory/pools.hpp"
#include "arrays/streams/captures.hpp"
#include "arrays/streams/event_pool.hpp"
#include "arrays/streams/stream.hpp"
#include "python/exception_aside.hpp"
#include "python/exit.hpp"
#include "python/gil.hpp"
#include "python/heap_type.hpp"
#include "python/later.hpp"
#include "python/trashcan.hpp"
#include "runtime/api.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace pygpu::arrays {
namespace {

int allocate_on(const Runtime &runtime, Scope &scope, std::size_t size, Stream stream, void *&pointer,
                Buffer::Kind &kind) {
    if (scope.status()) return scope.status();
    bool capturing = false; // pool memory from a captured stream would belong to the graph
    if (const int status = ask_capturing(runtime, scope, stream, capturing)) return status;
    reserve_waiting(runtime, scope);
    if (const Pool pool = capturing ? nullptr : pool_of(runtime, scope)) {
        kind = Buffer::Kind::pool;
        return scope(runtime.malloc_from_pool(&pointer, size, pool, stream));
    }
    kind = Buffer::Kind::plain;
    return scope(runtime.malloc(&pointer, size));
}

PyTypeObject *type = nullptr; // guarded by the GIL

// A free list of buffer objects, as CPython has for some of its own small types.
constexpr std::size_t most_spare = 64;
PyObject *spare[most_spare]; // guarded by the GIL, too
std::size_t spares = 0;

PyObject *new_object(PyTypeObject *kind) {
    return spares ? PyObject_Init(spare[--spares], kind) : PyObject_GC_New(PyObject, kind);
}

void give_object_back(PyObject *self, bool may_be_finalised) {
    // A finalised object can't be reused: the GC flag stays set.
    if (spares < most_spare && !(may_be_finalised && PyObject_GC_IsFinalized(self)))
        spare[spares++] = self;
    else
        PyObject_GC_Del(self);
}

Buffer &buffer_of(PyObject *self) {
    static_assert(sizeof(PyObject) % alignof(Buffer) == 0);
    return *reinterpret_cast<Buffer *>(reinterpret_cast<char *>(self) + sizeof(PyObject));
}

} // namespace

// The Python object of a buffer. Only the garbage collector sees it.
struct BufferObject {
    static void destroy(PyObject *self) {
        if (!PyObject_GC_IsTracked(self))
            return end(self, false); // it refers to no object that could refer to a buffer
        PyObject_GC_UnTrack(self);
        Py_TRASHCAN_BEGIN(self, destroy);
        end(self, true);
        Py_TRASHCAN_END;
    }

    static void end(PyObject *self, bool was_tracked) {
        PyTypeObject *kind = Py_TYPE(self);
        buffer_of(self).end();
        buffer_of(self).~Buffer();
        give_object_back(self, was_tracked);
        Py_DECREF(kind);
    }

    static int traverse(PyObject *self, visitproc visit, void *arg) {
        Py_VISIT(Py_TYPE(self));
        if (buffer_of(self).lender_) Py_VISIT(buffer_of(self).lender_->object());
        return buffer_of(self).order_.visit(visit, arg);
    }

    // All objects that refer to the buffer are garbage, but their finalisers may still read the memory. The
    // collector may clear a user's stream or resource before the buffer. So the buffer leaves its streams
    // now, and gives memory of a resource back now.
    static void finish(PyObject *self) {
        const ExceptionAside aside;
        Buffer &buffer = buffer_of(self);
        if (buffer.kind == Buffer::Kind::resource || !buffer.leave_streams()) buffer.free();
    }

    static int clear(PyObject *self) {
        buffer_of(self).free();
        return 0;
    }
};

PyTypeObject *buffer_type() {
    if (type) return type;
    PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(BufferObject::destroy)},
                           {Py_tp_traverse, reinterpret_cast<void *>(BufferObject::traverse)},
                           {Py_tp_clear, reinterpret_cast<void *>(BufferObject::clear)},
                           {Py_tp_finalize, reinterpret_cast<void *>(BufferObject::finish)},
                           {0, nullptr}};
    return type = make_type("PyGPU._core._Buffer", sizeof(PyObject) + sizeof(Buffer),
                            Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots);
}

Retained<Buffer> Buffer::make(const Runtime &runtime, Kind kind, void *pointer, std::size_t size, int device,
                              const StreamArgument &home, Reference owner) {
    PyTypeObject *kind_of_object = buffer_type();
    PyObject *object = kind_of_object ? new_object(kind_of_object) : nullptr;
    if (object) {
        auto *made =
            new (&buffer_of(object)) Buffer(runtime, kind, pointer, size, device, home, std::move(owner));
        if (made->order_.owner || made->order_.home_owner) made->track();
        return Retained<Buffer>(made);
    }
    Order order;
    order.home = home.stream;
    order.owner = std::move(owner);
    arrays::release(runtime, kind, pointer, size, device, generation_of(device), std::move(order));
    return {};
}

Buffer::Buffer(const Runtime &runtime, Kind kind, void *pointer, std::size_t size, int device,
               const StreamArgument &home, Reference owner)
    : runtime(runtime), pointer(pointer), size(size), device(device), kind(kind),
      place(kind == Kind::pinned    ? Place::pinned
            : kind == Kind::managed ? Place::managed
                                    : Place::device),
      generation_(generation_of(device)),
      order_{home.stream, Reference::borrow(home.owner), std::move(owner), {}, {}} {
    order_.home_work = first_work(kind);
    if (on_host() && pointer) watch_address(*this);
    if (kind == Kind::pool || kind == Kind::plain) last_upload_ = last_upload(device);
}

void Buffer::track() {
    if (!PyObject_GC_IsTracked(object())) PyObject_GC_Track(object());
}

void Buffer::free(int why) {
    if (freed_) return;
    freed_ = why;
    end_dependents(this, why);
    if (!users_ && !lent_) end();
}

void Buffer::lie_in(Buffer &lender) {
    lender.lend();
    order_.loan = Loan([](void *lent) { static_cast<Buffer *>(lent)->take_back(); }, &lender);
    lender_ = &lender;
    below_ = lender.below_ ? lender.below_ : &lender;
    order_.home_work = below_->order_.home_work; // later work is this buffer's
    readonly = lender.readonly;
    place = lender.place;
    end_with(&lender);
    track();
}

// The end of the memory waits for all that used it, although the buffer below stays: its owner may use it as
// soon as it has it back.
void Buffer::leave_below() {
    lender_ = nullptr;
    const Order &shared = std::exchange(below_, nullptr)->order_;
    order_.home = shared.home;
    order_.home_owner = Reference::borrow(shared.home_owner.get());
    order_.home_work = shared.home_work - order_.home_work;
    order_.escaped = shared.escaped;
    for (const Order::Use &use : shared.uses)
        order_.uses.push_back({use.stream, use.device, Reference::borrow(use.owner.get())});
}

void Buffer::end_use() {
    if (below_) below_->end_use();
    if (!--users_ && freed_ && !lent_) end();
}

void Buffer::take_back() {
    if (!--lent_ && freed_ && !users_) end();
    release();
}

int fill_view(Py_buffer *view, PyObject *exporter, void *begin, Py_ssize_t bytes, bool readonly, int flags) {
    static char nothing; // the address of an empty buffer, which must not be null
    return PyBuffer_FillInfo(view, exporter, begin ? begin : &nothing, bytes, readonly, flags);
}

int Buffer::lend_view(const char *what, Py_buffer *view, PyObject *exporter, void *begin, Py_ssize_t bytes,
                      int flags) {
    const char *why = freed_               ? "the memory was freed by free()"
                      : pointer && ended() ? "it ended with a fork or the reset of its device"
                                           : nullptr;
    view->obj = nullptr;
    if (why) PyErr_Format(PyExc_BufferError, "%s: %s", what, why);
    if (why || fill_view(view, exporter, begin, bytes, readonly, flags)) return -1;
    view->internal = this;
    lend();
    ++views_;
    return 0;
}

void Buffer::take_view_back(Py_buffer *view) {
    auto *lender = static_cast<Buffer *>(view->internal);
    if (!lender) return;
    --lender->views_;
    lender->take_back();
}

void Buffer::end() {
    if (memory_ended_) return;
    memory_ended_ = true;
    if (source_) forget_dependent(source_, *this);
    if (below_) leave_below();
    const bool exists = pointer && !ended();
    if (on_host()) forget_address(*this);
    if (kind == Kind::pinned && !exists) forget_pages(pointer, device, generation_);
    const bool unused = kind == Kind::lent && order_.unused(first_work(kind)) &&
                        !inside_callback(); // there the lender must not call the library
    const bool done = !exists || unused || give_to_cache(runtime, kind, pointer, size, device, order_);
    if (done && order_.is_empty()) return;
    if (done && order_.is_loan()) {
        const Loan loan = std::move(order_.loan);
        return;
    }
    Order order = std::move(order_); // its end may run Python code
    if (!done) arrays::release(runtime, kind, pointer, size, device, generation_, std::move(order));
}

bool Buffer::refuse(const char *call) const {
    if (freed_)
        raise_status(runtime, freed_, "%s", call);
    else
        PyErr_Format(PyExc_ValueError, "%s: the array is read-only, as its exporter says", call);
    return false;
}

void Buffer::wait_for_upload() {
    if (!has_arrived(device, last_upload_)) {
        if (ended() || inside_callback()) return;
        GilReleased released(true);
        // If this fails, the device has failed, and the next use of the address returns that error.
        if (wait_for_arrival(runtime, device, last_upload_)) return;
    }
    last_upload_ = 0;
}

bool Buffer::check_exists(const char *call) const {
    const int status = state();
    if (status) raise_status(runtime, status, "%s", call);
    return !status;
}

bool Buffer::let_out(const char *call) {
    if (!check_exists(call)) return false;
    let_escape();
    return true;
}

int Buffer::wait_for_destroyed(Scope &scope) {
    if (!order_.used_destroyed()) return success;
    std::vector<Reference> gone; // retained, so that no new object gets one of their addresses
    std::vector<int> devices;
    if (is_gone(order_.home_owner.get())) {
        gone.push_back(Reference::borrow(order_.home_owner.get()));
        devices.push_back(device);
    }
    for (const Order::Use &use : order_.uses) {
        if (!is_gone(use.owner.get())) continue;
        gone.push_back(Reference::borrow(use.owner.get()));
        devices.push_back(use.device);
    }
    int status = success;
    {
        GilReleased released(true);
        const int before = scope.device();
        for (int one : devices) {
            if (!status) status = scope.change(one);
            if (!status) status = wait_for_device(runtime, scope);
        }
        const int changed = scope.change(before);
        if (!status) status = changed;
    }
    if (status) return status;
    for (const Reference &owner : gone) {
        if (order_.home_owner.get() == owner.get()) {
            order_.home = nullptr;
            order_.home_owner = {};
        }
        std::erase_if(order_.uses, [&](const Order::Use &use) { return use.owner.get() == owner.get(); });
    }
    return success;
}

int Buffer::begin_use(Scope &scope, const StreamArgument &stream, bool after_all) {
    if (below_) return below_->begin_use(scope, stream, after_all);
    if (const int status = wait_for_destroyed(scope)) return status;
    const int on = scope.device();
    if (last_upload_ && (stream.stream || on != device)) {
        if (const int status = order_after_arrival(runtime, scope, stream.stream, device, last_upload_))
            return status;
        if (has_arrived(device, last_upload_)) last_upload_ = 0;
    }
    // Other threads may begin work, and drop uses, while the GIL is released. This use waits for the work
    // that was begun by now.
    const std::uint64_t work = order_.home_work;
    const bool at_home = is_home(stream.stream, on);
    const Order::Use *known = at_home ? nullptr : use_on(stream.stream, on);
    std::vector<Order::Use> earlier;
    for (const Order::Use &use : order_.uses) {
        if (after_all && &use != known && use.begun != use.waited)
            earlier.push_back({use.stream, use.device, Reference::borrow(use.owner.get()), use.begun});
    }
    if (!at_home && (after_all || (known ? known->behind : 0) != work)) {
        const Reference home = Reference::borrow(order_.home_owner.get());
        if (const int status = order(runtime, scope, stream.stream, order_.home, device)) return status;
    }
    for (const Order::Use &use : earlier) {
        if (const int status = order(runtime, scope, stream.stream, use.stream, use.device)) return status;
    }
    for (const Order::Use &use : earlier) {
        if (Order::Use *still = use_on(use.stream, use.device))
            still->waited = std::max(still->waited, use.begun);
    }
    const std::vector<Order::Use> dropped = drop_waited_uses();
    if (!at_home) {
        Order::Use *use = use_on(stream.stream, on);
        if (!use)
            use = &order_.uses.emplace_back(Order::Use{stream.stream, on, Reference::borrow(stream.owner)});
        use->behind = work;
        if (stream.owner) track();
    }
    go_on_with_use(stream.stream, on);
    return success;
}

bool Buffer::is_in_order(Stream stream, int on, bool after_all) {
    if (freed_ || ended()) return false;
    if (below_) return below_->is_in_order(stream, on, after_all);
    if ((last_upload_ && (stream || on != device)) || order_.used_destroyed()) return false;
    const bool at_home = is_home(stream, on);
    const Order::Use *known = at_home ? nullptr : use_on(stream, on);
    if (!at_home && (!known || known->behind != order_.home_work)) return false;
    return !after_all || std::ranges::all_of(order_.uses, [&](const Order::Use &use) {
        return &use == known || use.begun == use.waited;
    });
}

bool Buffer::is_settled(Stream stream) const {
    if (freed_ || ended()) return false;
    if (below_) return below_->is_settled(stream);
    return stream == order_.home && order_.uses.empty() && !order_.used_destroyed();
}

bool Buffer::leave_streams() {
    if (below_ || !frees() || freed_ || ended()) return true;
    if (inside_callback() || waits_may_never_end()) return false;
    const Using using_it(*this);
    Scope scope(runtime, device);
    if (scope.status() || begin_use(scope, {}, true)) return false;
    order_.home = nullptr;
    const Reference home = std::move(order_.home_owner);
    const std::vector<Order::Use> uses = std::move(order_.uses);
    order_.uses.clear();
    return true;
}

std::vector<Order::Use> Buffer::drop_waited_uses() {
    std::vector<Order::Use> dropped;
    if (users_ > 1) return dropped;
    // Not std::ranges::partition, whose result clang 14 can't iterate over.
    const auto waited = std::partition(order_.uses.begin(), order_.uses.end(),
                                       [](const Order::Use &use) { return use.begun != use.waited; });
    std::move(waited, order_.uses.end(), std::back_inserter(dropped));
    order_.uses.erase(waited, order_.uses.end());
    return dropped;
}

int Buffer::begin_export(Scope &scope) {
    const Using using_it(*this);
    if (below_) return below_->begin_export(scope);
    if (const int status = wait_for_destroyed(scope)) return status;
    const Reference owner = Reference::borrow(order_.home_owner.get());
    return begin_use(scope, {order_.home, owner.get(), device, false}, true);
}

void Buffer::go_on_with_use(Stream stream, int on) {
    if (below_) return below_->go_on_with_use(stream, on);
    if (is_home(stream, on))
        ++order_.home_work;
    else if (Order::Use *use = use_on(stream, on))
        ++use->begun;
}

Order::Use *Buffer::use_on(Stream stream, int on) {
    const auto found = std::ranges::find_if(
        order_.uses, [&](const Order::Use &use) { return use.stream == stream && use.device == on; });
    return found == order_.uses.end() ? nullptr : &*found;
}

int Buffer::query(bool wait) {
    const Using using_it(*this);
    if (below_ && !freed_) return below_->query(wait);
    Scope scope(runtime, device);
    int status = freed_ ? freed_ : scope.status();
    if (!status) status = wait_for_destroyed(scope);
    std::vector<std::pair<Stream, int>> streams{{order_.home, device}}; // uses may change without the GIL
    for (const Order::Use &use : order_.uses) streams.emplace_back(use.stream, use.device);
    GilReleased released(wait);
    for (const auto &[stream, on] : streams) {
        if (!status) status = scope.change(on);
        if (!status) status = refuse_capture(runtime, scope, stream);
        if (!status) {
            status = wait ? scope(runtime.stream_synchronize(stream)) : query_stream(runtime, scope, stream);
        }
    }
    return status;
}

namespace {

// Returns "out of memory" if the host has no memory for the buffer object.
int retain_new(Retained<Buffer> &&buffer, Retained<Buffer> &made) {
    if (!buffer) PyErr_Clear();
    made = std::move(buffer);
    return made ? success : out_of_memory;
}

// Tries again after "out of memory". First collects garbage; the second attempt frees what is cached.
template <class Attempt> int with_retry(Attempt attempt) {
    const int status = attempt(false);
    if (status != out_of_memory || inside_callback()) return status;
    PyGC_Collect();
    return attempt(true);
}

} // namespace

int try_allocate(const Runtime &runtime, std::size_t size, const StreamArgument &stream,
                 Retained<Buffer> &made) {
    if (has_postponed()) do_postponed();
    void *pointer = nullptr;
    Buffer::Kind kind = Buffer::Kind::pool;
    StreamArgument home;
    int status = success, device = 0;
    if (!stream.stream && !runtime.api.per_thread && size && has_cached_blocks()) {
        const Scope scope(runtime);
        device = scope.device();
        home = stream_on(stream, device);
        if (!scope.status() && !home.stream && !much_is_deferred(device)) pointer = take_block(device, size);
    }
    if (!pointer) {
        status = with_retry([&](bool again) {
            GilReleased released(true);
            Scope scope(runtime);
            if (scope.status()) return scope.status();
            device = scope.device();
            home = stream_on(stream, device);
            // During a capture, the pool's pieces would only be deferred again, after a wait in each
            // allocation.
            if (much_is_deferred(device) && !refuse_capture(runtime, scope, nullptr))
                free_deferred(runtime, scope);
            if (again && !give_all_back(runtime, scope)) return out_of_memory;
            return size ? allocate_on(runtime, scope, size, home.stream, pointer, kind) : success;
        });
    }
    return status ? status : retain_new(Buffer::make(runtime, kind, pointer, size, device, home), made);
}

PyObject *raise_allocation(const Runtime &runtime, int status, const char *call, std::size_t size) {
    std::size_t free = 0, total = 0;
    std::uint64_t used = 0, reserved = 0;
    int device = 0;
    if (status == out_of_memory) {
        GilReleased released(true);
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
                        deferred_bytes(device));
}

Retained<Buffer> allocate(const Runtime &runtime, const char *call, std::size_t size,
                          const StreamArgument &stream, PyObject *allocator) {
    if (!allocator) allocator = default_allocator();
    if (allocator && size) return allocate_with(runtime, call, allocator, size, stream);
    Retained<Buffer> made;
    if (const int status = try_allocate(runtime, size, stream, made))
        raise_allocation(runtime, status, call, size);
    return made;
}

PyObject *free_memory(Buffer &buffer, const char *call) {
    if (!buffer.was_freed() && buffer.pointer && !buffer.frees())
        return PyErr_Format(PyExc_ValueError, "%s: the memory is another's, known by its address alone",
                            call);
    if (!buffer.was_freed() && buffer.views())
        return PyErr_Format(PyExc_BufferError, "%s: it is lent: %zd numpy arrays or other views of it live",
                            call, buffer.views());
    buffer.free();
    Py_RETURN_NONE;
}

bool record_stream(Buffer &buffer, const char *call, PyObject *stream) {
    StreamArgument used;
    if (!load_stream(stream, call, used)) return false;
    if (!buffer.check(call)) return false;
    if (!buffer.pointer || buffer.ended()) return true;
    const Buffer::Using using_it(buffer);
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
        buffer.let_escape(); // the graph uses it, and its launches are unknown
    else
        buffer.record_uses();
    return true;
}

int try_allocate_host(const Runtime &runtime, std::size_t size, Buffer::Kind kind, Retained<Buffer> &made) {
    if (has_postponed()) do_postponed();
    void *pointer = nullptr;
    int device = 0;
    const int status = with_retry([&](bool again) {
        GilReleased released(true);
        Scope scope(runtime);
        if (scope.status()) return scope.status();
        device = scope.device();
        if (again && !give_all_back(runtime, scope)) return out_of_memory;
        if (!size) return success;
        return kind == Buffer::Kind::pinned ? take_pinned(runtime, scope, size, pointer)
                                            : scope(runtime.malloc_managed(&pointer, size));
    });
    return status ? status : retain_new(Buffer::make(runtime, kind, pointer, size, device), made);
}

Retained<Buffer> allocate_host(const Runtime &runtime, const char *call, std::size_t size,
                               Buffer::Kind kind) {
    Retained<Buffer> made;
    if (const int status = try_allocate_host(runtime, size, kind, made))
        raise_status(runtime, status, "%s: %zu bytes of %s memory asked for", call, size,
                     kind == Buffer::Kind::pinned ? "page-locked" : "managed");
    return made;
}

} // namespace pygpu::arrays
