// What a PyGPU.Stream does.
#include "arrays/streams/stream_type.hpp"

#include "arrays/base/scope.hpp"
#include "arrays/streams/after_wait.hpp"
#include "arrays/streams/argument.hpp"
#include "arrays/streams/end.hpp"
#include "arrays/streams/event.hpp"
#include "arrays/streams/event_pool.hpp"
#include "arrays/streams/stream.hpp"
#include "binding/argument_errors.hpp"
#include "convert/sizes.hpp"
#include "python/c_pointer.hpp"
#include "python/heap_type.hpp"
#include "python/keywords.hpp"
#include "python/package.hpp"
#include "runtime/api.hpp"
#include "types/handles/handle_class.hpp"

#include <cstdint>

namespace pygpu::arrays {
namespace {

StreamObject &object_of(PyObject *self) { return *reinterpret_cast<StreamObject *>(self); }

PyObject *make(Runtime &runtime, Stream stream, int device, bool owned) {
    PyObject *self = stream_class->tp_alloc(stream_class, 0);
    if (!self) return nullptr;
    StreamObject &object = object_of(self);
    object.runtime = &runtime;
    object.stream = stream;
    object.device = device;
    object.owned = owned;
    object.generation = generation_of(device);
    return self;
}

PyObject *construct(PyTypeObject *, PyObject *args, PyObject *kwargs) {
    const Arguments arguments("Stream()", {"non_blocking", "priority"}, args, kwargs, 0);
    bool non_blocking = false;
    Py_ssize_t priority = 0;
    if (!arguments || !load_flag(arguments[0], false, non_blocking) ||
        (arguments[1] && !load_int(arguments[1], "Stream()", "priority", priority)))
        return nullptr;
    if (priority != static_cast<int>(priority))
        return PyErr_Format(PyExc_OverflowError, "Stream(): parameter 'priority' = %zd is out of range",
                            priority);
    Runtime *runtime = arrays::runtime();
    if (!runtime) return nullptr;
    if (has_postponed()) do_postponed();
    Stream stream = nullptr;
    int status = success, device = 0;
    {
        GilReleased released(true);
        Scope scope(*runtime, Scope::current, Scope::Calls::allowed);
        status = scope.status();
        device = scope.device();
        if (!status)
            status = scope(runtime->stream_create(&stream, !non_blocking, static_cast<int>(priority)));
    }
    if (status) return raise_status(*runtime, status, "Stream()");
    PyObject *self = make(*runtime, stream, device, true);
    if (!self) end_with_owner(*runtime, runtime->stream_destroy, stream, device, generation_of(device));
    return self;
}

PyObject *of(PyObject *, PyObject *argument) {
    Runtime *runtime = arrays::runtime();
    StreamArgument stream;
    if (!runtime || !load_stream(argument, "Stream.of()", stream)) return nullptr;
    if (stream.owner && stream_object(stream.owner)) return Py_NewRef(stream.owner);
    int status = success, device = 0;
    {
        Scope scope(*runtime);
        status = scope.status();
        device = scope.device();
    }
    if (status) return raise_status(*runtime, status, "Stream.of()");
    PyObject *self = make(*runtime, stream.stream, stream.is_of(device) ? device : stream.device, false);
    if (self) object_of(self).owner = Reference::borrow(stream.owner);
    return self;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(object_of(self).owner.get());
    return 0;
}

int clear(PyObject *self) {
    object_of(self).owner = {};
    return 0;
}

void destroy(PyObject *self) {
    PyObject_GC_UnTrack(self);
    StreamObject &object = object_of(self);
    const Runtime &runtime = *object.runtime;
    if (object.owned && !object.ended()) {
        if (stream_ends) stream_ends(object);
        end_with_owner(runtime, runtime.stream_destroy, object.stream, object.device, object.generation);
    }
    clear(self);
    free_object(self);
}

void give_up(PyObject *self) {
    StreamObject &object = object_of(self);
    object.destroyed = true;
    if (stream_ends) stream_ends(object);
}

// Does `body(scope)` on the stream's device, with the GIL released if it `waits`; the status.
template <class Body> int on_device(const StreamObject &object, Body body, bool waits = false) {
    if (object.ended()) return object.runtime->codes.invalid_handle;
    const GilReleased released(waits);
    Scope scope(*object.runtime, object.device);
    return scope.status() ? scope.status() : body(scope);
}

PyObject *none_or_error(const StreamObject &object, int status, const char *call) {
    if (status) return raise_status(*object.runtime, status, "%s", call);
    Py_RETURN_NONE;
}

PyObject *synchronize(PyObject *self, PyObject *) {
    const StreamObject &object = object_of(self);
    const int status = on_device(
        object, [&](Scope &scope) { return scope(object.runtime->stream_synchronize(object.stream)); }, true);
    if (!status) has_waited();
    return none_or_error(object, status, "Stream.synchronize()");
}

PyObject *query(PyObject *self, PyObject *) {
    const StreamObject &object = object_of(self);
    const int status =
        on_device(object, [&](Scope &scope) { return query_stream(*object.runtime, scope, object.stream); });
    if (status == object.runtime->codes.not_ready) Py_RETURN_FALSE;
    if (status) return raise_status(*object.runtime, status, "Stream.query()");
    Py_RETURN_TRUE;
}

bool is_event_handle(PyObject *argument, Event &event) {
    const HandleClass *kind = HandleClass::unwrap(argument, event);
    return kind && kind->is_event();
}

PyObject *wait(PyObject *self, PyObject *argument) {
    constexpr const char *call = "Stream.wait()";
    const StreamObject &object = object_of(self);
    const Runtime &runtime = *object.runtime;
    const EventObject *own = event_object(argument);
    Event event = own ? own->event : nullptr;
    if (own || is_event_handle(argument, event)) {
        if (own && !own->exists()) Py_RETURN_NONE; // nothing to wait for
        const int status = on_device(object, [&](Scope &scope) {
            GilReleased released(true); // this call waits if the stream's queue is full
            return scope(runtime.stream_wait(object.stream, event));
        });
        return none_or_error(object, status, call);
    }
    StreamArgument earlier;
    if (argument == Py_None || PyIndex_Check(argument))
        return PyErr_Format(PyExc_TypeError, "%s: an event or a stream is wanted, not %.80s", call,
                            type_description(argument));
    if (!load_stream(argument, call, earlier)) return nullptr;
    const int device = earlier.is_of(object.device) ? object.device : earlier.device;
    const int status = on_device(
        object, [&](Scope &scope) { return order(runtime, scope, object.stream, earlier.stream, device); });
    return none_or_error(object, status, call);
}

PyObject *record_call(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    constexpr const char *call = "Stream.record()";
    const StreamObject &object = object_of(self);
    const bool plain = count == 1 && !keywords; // most calls, which need no look-up of keywords
    if (EventObject *event = plain ? event_object(args[0]) : nullptr; event && !object.ended())
        return record(*event, object.stream, object.device, call) ? Py_NewRef(args[0]) : nullptr;
    const Arguments arguments(call, {"event"}, args, count, keywords, 0);
    if (!arguments) return nullptr;
    PyObject *argument = arguments[0] ? arguments[0] : Py_None;
    if (argument != Py_None && !event_object(argument))
        return PyErr_Format(PyExc_TypeError,
                            "Stream.record(): parameter 'event' must be a PyGPU.Event, not "
                            "%.80s",
                            type_description(argument));
    Reference event(argument == Py_None ? make_event(*object.runtime) : Py_NewRef(argument));
    if (!event) return nullptr;
    if (object.ended()) return raise_status(*object.runtime, object.runtime->codes.invalid_handle, call);
    return record(*event_object(event.get()), object.stream, object.device, call) ? event.release() : nullptr;
}

// A method whose Python code checks the arguments.
PyObject *by_package(const PackageName &name, PyObject *self, PyObject *args, PyObject *kwargs) {
    const Reference function = from_module(name);
    const Reference first(function ? PyTuple_Pack(1, self) : nullptr);
    const Reference all(first ? PySequence_Concat(first.get(), args) : nullptr);
    return all ? PyObject_Call(function.get(), all.get(), kwargs) : nullptr;
}

PyObject *capture(PyObject *self, PyObject *args, PyObject *kwargs) {
    return by_package(package::stream_capture, self, args, kwargs);
}

PyObject *call(PyObject *self, PyObject *args, PyObject *kwargs) {
    return by_package(package::stream_call, self, args, kwargs);
}

// The block makes the stream's device current, too, so that new memory lies there.
PyObject *enter(PyObject *self, PyObject *) {
    const StreamObject &object = object_of(self);
    const Runtime &runtime = *object.runtime;
    int before = 0;
    int status = object.ended() ? runtime.codes.invalid_handle : success;
    if (!status) {
        ErrorStateGuard guard(runtime.api.own);
        status = guard(runtime.get_device(&before));
        if (!status) status = guard(runtime.set_device(object.device)); // makes the context of a new thread
    }
    if (status) return raise_status(runtime, status, "with Stream");
    enter_stream(self, before);
    return Py_NewRef(self);
}

PyObject *leave(PyObject *self, PyObject *) {
    const StreamObject &object = object_of(self);
    int before = 0;
    if (!leave_stream(self, before)) {
        PyErr_SetString(PyExc_RuntimeError, "Stream: this thread's innermost with-block is another stream's");
        return nullptr;
    }
    if (before == object.device) Py_RETURN_NONE;
    int status = success;
    {
        ErrorStateGuard guard(object.runtime->api.own);
        status = guard(object.runtime->set_device(before));
    }
    return none_or_error(object, status, "with Stream");
}

PyObject *number(PyObject *self) { return PyLong_FromVoidPtr(object_of(self).stream); }

bool give(PyObject *self, void *&handle) {
    const StreamObject &object = object_of(self);
    handle = object.stream;
    if (!object.ended()) return true;
    return raise_status(*object.runtime, object.runtime->codes.invalid_handle, "Stream.__cuda_stream__()");
}

PyObject *cuda_stream(PyObject *self, PyObject *) {
    void *handle = nullptr;
    if (!give(self, handle)) return nullptr;
    return Py_BuildValue("(iK)", 0,
                         static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(handle)));
}

PyObject *get_handle(PyObject *self, void *) { return number(self); }
PyObject *get_device(PyObject *self, void *) { return PyLong_FromLong(object_of(self).device); }
PyObject *get_priority(PyObject *self, void *) {
    return call_in_package(package::stream_priority, "(O)", self);
}
PyObject *get_nonblocking(PyObject *self, void *) {
    return call_in_package(package::stream_is_nonblocking, "(O)", self);
}

Py_hash_t hash(PyObject *self) {
    return static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(object_of(self).stream) >> 4);
}

PyObject *compare(PyObject *self, PyObject *other, int operation) {
    const StreamObject *one = stream_object(other);
    if (!one || (operation != Py_EQ && operation != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
    const bool equal = one->stream == object_of(self).stream && one->device == object_of(self).device;
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

PyObject *repr(PyObject *self) {
    const StreamObject &object = object_of(self);
    if (object.ended()) return PyUnicode_FromFormat("<PyGPU.Stream, ended, device %d>", object.device);
    if (!object.stream) return PyUnicode_FromFormat("<PyGPU.Stream, default, device %d>", object.device);
    return PyUnicode_FromFormat("<PyGPU.Stream %p, device %d%s>", object.stream, object.device,
                                object.owned ? "" : ", another's");
}

PyMethodDef methods[] = {
    {"of", of, METH_O | METH_CLASS,
     "of($type, stream, /)\n--\n\nA Stream for the stream of another library: an object with __cuda_stream__ (it is kept "
     "alive), a handle or an address. None is the current stream. It is not owned."},
    {"synchronize", synchronize, METH_NOARGS,
     "synchronize($self)\n--\n\nWaits until all queued work is done. Raises GPUError."},
    {"sync", synchronize, METH_NOARGS, "sync($self)\n--\n\nsynchronize(), as cuda.core calls it."},
    {"query", query, METH_NOARGS, "query($self)\n--\n\nWhether all queued work is done. Raises GPUError."},
    {"wait", wait, METH_O,
     "wait($self, other, /)\n--\n\nLets work that is queued from now on wait for an event, or for the work that another "
     "stream has so far. The host does not wait. Raises GPUError."},
    {"record", with_keywords(record_call), METH_FASTCALL | METH_KEYWORDS,
     "record($self, event=None)\n--\n\nMarks the work that is queued so far by an event, and returns the event. Without one it "
     "makes a new Event. Raises GPUError."},
    {"capture", with_keywords(capture), METH_VARARGS | METH_KEYWORDS,
     "capture($self, mode=\"relaxed\", *, into=None, after=())\n--\n\n`with stream.capture() as graph:` records the work "
     "that the block queues on the stream in a PyGPU.Graph, instead of doing it. In the block the stream is "
     "the current one. `into` is a graph to add to, `after` its nodes that come before. Raises GPUError."},
    {"call", with_keywords(call), METH_VARARGS | METH_KEYWORDS,
     "call($self, function, /, *args, wait=True)\n--\n\nCalls a Python function once all work that is queued so far is done. The function must make no GPU call. "
     "With wait=True, later work of the stream waits for its end. With wait=False a thread of PyGPU makes the "
     "calls of all streams in order, and the stream goes on: threads that keep the GIL while they wait for the "
     "stream then don't hang. Exceptions go to sys.unraisablehook. Raises GPUError."},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", leave, METH_VARARGS, nullptr},
    {"__cuda_stream__", cuda_stream, METH_NOARGS,
     "__cuda_stream__($self)\n--\n\nThe CUDA stream protocol: (0, address)."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"_as_parameter_", as_parameter, nullptr, "the address for ctypes, a c_void_p", nullptr},
    {"handle", get_handle, nullptr, "the address, an int", nullptr},
    {"device", get_device, nullptr, "the number of its device", nullptr},
    {"priority", get_priority, nullptr, "its priority: the lower the number, the higher", nullptr},
    {"is_nonblocking", get_nonblocking, nullptr,
     "whether it and the default stream don't wait for each other", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

} // namespace

PyTypeObject *stream_type() {
    if (stream_class) return stream_class;
    const TypeTable table{.create = construct,
                          .destroy = destroy,
                          .traverse = traverse,
                          .clear = clear,
                          .repr = repr,
                          .hash = hash,
                          .compare = compare,
                          .number = number,
                          .methods = methods,
                          .properties = properties,
                          .doc = "Stream(non_blocking=False, priority=0)\n--\n\n"
                                 "A queue of work on the current device. The object owns the "
                                 "stream and destroys it; work that is queued is still done. In a "
                                 "with-block, arrays use it on this thread, and its device is "
                                 "current. A non-blocking stream and the default stream don't wait "
                                 "for each other. The lower the number, the higher the priority. "
                                 "Raises GPUError."};
    stream_class = make_type("PyGPU.Stream", sizeof(StreamObject), Py_TPFLAGS_HAVE_GC, table);
    if (stream_class) add_owner(destroy, HandleRole::stream, give, give_up);
    return stream_class;
}

} // namespace pygpu::arrays
