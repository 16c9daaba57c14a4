// The Python object, lending, and the end of the memory.
#include "arrays/memory/buffer.hpp"

#include "arrays/memory/free_in_order.hpp"
#include "arrays/memory/page_lock.hpp"
#include "arrays/streams/captures.hpp"
#include "python/exception_aside.hpp"
#include "python/exit.hpp"
#include "python/heap_type.hpp"
#include "python/trashcan.hpp"

#include <new>
#include <utility>

namespace pygpu::arrays {
namespace {

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
    const TypeTable table{.destroy = BufferObject::destroy,
                          .traverse = BufferObject::traverse,
                          .clear = BufferObject::clear,
                          .finish = BufferObject::finish};
    return type = make_type("PyGPU._core._Buffer", sizeof(PyObject) + sizeof(Buffer),
                            Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, table);
}

Retained<Buffer> Buffer::make(const Runtime &runtime, Kind kind, void *pointer, std::size_t size, int device,
                              const StreamArgument &home, Reference owner) {
    PyTypeObject *kind_of_object = buffer_type();
    PyObject *object = kind_of_object ? new_object(kind_of_object) : nullptr;
    if (object) {
        auto *buffer =
            new (&buffer_of(object)) Buffer(runtime, kind, pointer, size, device, home, std::move(owner));
        if (buffer->order_.owner || buffer->order_.home_owner) buffer->track();
        return Retained<Buffer>(buffer);
    }
    UseOrder order;
    order.home = home.stream;
    order.owner = std::move(owner);
    arrays::release(runtime, kind, pointer, size, device, generation_of(device), std::move(order));
    return {};
}

Buffer::Buffer(const Runtime &runtime, Kind kind, void *pointer, std::size_t size, int device,
               const StreamArgument &home, Reference owner)
    : runtime(runtime), pointer(pointer), size(size), device(device), kind(kind),
      location(kind == Kind::pinned    ? Location::pinned
               : kind == Kind::managed ? Location::managed
                                       : Location::device),
      generation_(generation_of(device)),
      order_{home.stream, Reference::borrow(home.owner), std::move(owner), {}, {}} {
    order_.home_work = first_work(kind);
    if (on_host() && pointer) watch_address();
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
    location = lender.location;
    end_with(&lender);
    track();
}

// The end of the memory waits for all that used it, although the buffer below stays: its owner may use it as
// soon as it has it back.
void Buffer::leave_below() {
    lender_ = nullptr;
    const UseOrder &shared = std::exchange(below_, nullptr)->order_;
    order_.home = shared.home;
    order_.home_owner = Reference::borrow(shared.home_owner.get());
    order_.home_work = shared.home_work - order_.home_work;
    order_.escaped = shared.escaped;
    for (const UseOrder::Use &use : shared.uses)
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
    if (source_) forget_source();
    if (below_) leave_below();
    const bool exists = pointer && !ended();
    if (on_host()) forget_address();
    if (kind == Kind::pinned && !exists) forget_pages(pointer, device, generation_);
    const bool unused = kind == Kind::lent && order_.unused(first_work(kind)) &&
                        !inside_callback(); // there the lender must not call the library
    const bool done = !exists || unused || give_to_cache(runtime, kind, pointer, size, device, order_);
    if (done && order_.is_empty()) return;
    if (done && order_.is_loan()) {
        const Loan loan = std::move(order_.loan);
        return;
    }
    UseOrder order = std::move(order_); // its end may run Python code
    if (!done) arrays::release(runtime, kind, pointer, size, device, generation_, std::move(order));
}

bool Buffer::refuse(const char *call) const {
    if (freed_)
        raise_status(runtime, freed_, "%s", call);
    else
        PyErr_Format(PyExc_ValueError, "%s: the array is read-only, as its exporter says", call);
    return false;
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

PyObject *free_memory(Buffer &buffer, const char *call) {
    if (!buffer.was_freed() && buffer.pointer && !buffer.frees())
        return PyErr_Format(PyExc_ValueError, "%s: the memory is another's, known by its address alone",
                            call);
    if (!buffer.was_freed() && buffer.views())
        return PyErr_Format(PyExc_BufferError,
                            "%s: the memory is in use: %zd numpy arrays or other views of it exist", call,
                            buffer.views());
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
        buffer.let_be_used_anywhere(); // the graph uses it, and its launches are unknown
    else
        buffer.record_uses();
    return true;
}

} // namespace pygpu::arrays
