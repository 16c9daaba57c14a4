// The Python type of events.
#include "arrays/streams/event.hpp"

#include "arrays/base/driver.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/streams/after_wait.hpp"
#include "arrays/streams/argument.hpp"
#include "arrays/streams/device_of.hpp"
#include "arrays/streams/end.hpp"
#include "arrays/streams/event_pool.hpp"
#include "binding/argument_errors.hpp"
#include "python/c_pointer.hpp"
#include "python/exit.hpp"
#include "python/heap_type.hpp"
#include "python/keywords.hpp"
#include "trace/on.hpp"
#include "types/handles/handle_class.hpp"

namespace pygpu::arrays {
namespace {

EventObject &object_of(PyObject *self) { return *reinterpret_cast<EventObject *>(self); }

PyTypeObject *type = nullptr;

PyObject *make(Runtime &runtime, bool timing) {
    PyTypeObject *kind = event_type();
    PyObject *self = kind ? kind->tp_alloc(kind, 0) : nullptr;
    if (!self) return nullptr;
    object_of(self).runtime = &runtime;
    object_of(self).timing = timing;
    return self;
}

PyObject *construct(PyTypeObject *, PyObject *args, PyObject *kwargs) {
    const Arguments arguments("Event()", {"timing"}, args, kwargs, 0);
    bool timing = true;
    if (!arguments || !load_flag(arguments[0], true, timing)) return nullptr;
    Runtime *runtime = arrays::runtime();
    return runtime ? make(*runtime, timing) : nullptr;
}

void destroy(PyObject *self) {
    const EventObject &object = object_of(self);
    if (object.exists()) {
        const Runtime &runtime = *object.runtime;
        end_with_owner(runtime, runtime.event_destroy, object.event, object.device, object.generation);
    }
    free_object(self);
}

int create(EventObject &object, Scope &scope) {
    if (object.exists()) return success;
    Event created = nullptr;
    const int status = scope(object.runtime->event_create(&created, object.timing));
    if (status) return status;
    object.event = created;
    object.device = scope.device();
    object.generation = generation_of(scope.device());
    return success;
}

// The next record() makes a new one.
void give_up(PyObject *self) { object_of(self).event = nullptr; }

PyObject *record_call(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments arguments("Event.record()", {"stream"}, args, count, keywords, 0);
    StreamArgument stream;
    if (!arguments || !load_stream(arguments[0], "Event.record()", stream)) return nullptr;
    const int device = stream.device == any_device ? Scope::current : stream.device;
    return record(object_of(self), stream.stream, device, "Event.record()") ? Py_NewRef(self) : nullptr;
}

PyObject *query(PyObject *self, PyObject *) {
    const EventObject &object = object_of(self);
    if (!object.exists()) Py_RETURN_TRUE; // nothing was recorded, as in C
    Scope scope(*object.runtime, object.device);
    int status = scope.status();
    if (!status) status = query_event(*object.runtime, scope, object.event);
    if (status && status != object.runtime->codes.not_ready)
        return raise_status(*object.runtime, status, "Event.query()");
    return PyBool_FromLong(!status);
}

PyObject *synchronize(PyObject *self, PyObject *) {
    const EventObject &object = object_of(self);
    if (!object.exists()) Py_RETURN_NONE;
    const Event event = object.event; // another thread may destroy it, or record a new one, without the GIL
    const int device = object.device;
    int status = success;
    {
        GilReleased released(true);
        Scope scope(*object.runtime, device);
        status = scope.status();
        if (!status) status = scope(object.runtime->event_synchronize(event));
    }
    if (status) return raise_status(*object.runtime, status, "Event.synchronize()");
    has_waited();
    Py_RETURN_NONE;
}

PyObject *milliseconds(PyObject *from, PyObject *to, PyObject *argument, const char *call) {
    const EventObject *start = event_object(from), *end = event_object(to);
    if (!start || !end)
        return PyErr_Format(PyExc_TypeError, "%s: a PyGPU.Event is wanted, not %.80s", call,
                            type_description(argument));
    const Runtime &runtime = *start->runtime;
    float elapsed = 0;
    int status = runtime.codes.invalid_value;
    if (start->exists() && end->exists()) {
        Scope scope(runtime, start->device);
        status = scope.status();
        if (!status) status = scope(runtime.event_elapsed(&elapsed, start->event, end->event));
    }
    if (status) return raise_status(runtime, status, "%s", call);
    return PyFloat_FromDouble(static_cast<double>(elapsed));
}

PyObject *elapsed_time(PyObject *self, PyObject *end) {
    return milliseconds(self, end, end, "Event.elapsed_time()");
}
PyObject *time_till(PyObject *self, PyObject *end) {
    return milliseconds(self, end, end, "Event.time_till()");
}
PyObject *time_since(PyObject *self, PyObject *start) {
    return milliseconds(start, self, start, "Event.time_since()");
}

// later - earlier: milliseconds.
PyObject *subtract(PyObject *later, PyObject *earlier) {
    if (!event_object(later) || !event_object(earlier)) Py_RETURN_NOTIMPLEMENTED;
    return milliseconds(earlier, later, earlier, "Event - Event");
}

// The handle for functions of the runtime. If there is no event yet, makes one on the current device.
bool give(PyObject *self, void *&handle) {
    EventObject &object = object_of(self);
    if (!object.exists()) {
        Scope scope(*object.runtime);
        int status = scope.status();
        if (!status) status = create(object, scope);
        if (status) return raise_status(*object.runtime, status, "Event");
    }
    handle = object.event;
    return true;
}

PyObject *number(PyObject *self) {
    void *handle = nullptr;
    return give(self, handle) ? PyLong_FromVoidPtr(handle) : nullptr;
}

PyObject *get_handle(PyObject *self, void *) { return number(self); }
PyObject *get_done(PyObject *self, void *) { return query(self, nullptr); }
PyObject *get_timing(PyObject *self, void *) { return PyBool_FromLong(object_of(self).timing); }
PyObject *get_device(PyObject *self, void *) {
    if (!object_of(self).exists()) Py_RETURN_NONE;
    return PyLong_FromLong(object_of(self).device);
}

PyObject *repr(PyObject *self) {
    const EventObject &object = object_of(self);
    if (!object.exists()) return PyUnicode_FromString("<PyGPU.Event, not recorded>");
    return PyUnicode_FromFormat("<PyGPU.Event %p on device %d>", object.event, object.device);
}

PyMethodDef methods[] = {
    {"record", with_keywords(record_call), METH_FASTCALL | METH_KEYWORDS,
     "record($self, stream=None)\n--\n\nMarks the work that is queued on a stream so far; without one, on the current stream. "
     "Returns the event. Raises GPUError."},
    {"query", query, METH_NOARGS,
     "query($self)\n--\n\nWhether the recorded work is done; true before any record(). Raises GPUError."},
    {"synchronize", synchronize, METH_NOARGS,
     "synchronize($self)\n--\n\nWaits until the recorded work is done. Raises GPUError."},
    {"sync", synchronize, METH_NOARGS, "sync($self)\n--\n\nsynchronize(), as cuda.core calls it."},
    {"elapsed_time", elapsed_time, METH_O,
     "elapsed_time($self, end, /)\n--\n\nMilliseconds from this event to another. Raises GPUError if one of them is not "
     "recorded, not done or has no timing."},
    {"time_till", time_till, METH_O, "time_till($self, end, /)\n--\n\nelapsed_time(), as PyCUDA calls it."},
    {"time_since", time_since, METH_O,
     "time_since($self, start, /)\n--\n\nMilliseconds from another event to this one, as in PyCUDA."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"handle", get_handle, nullptr, "the address, an int", nullptr},
    {"device", get_device, nullptr, "the number of its device; None before it was recorded", nullptr},
    {"is_done", get_done, nullptr, "query(), as cuda.core calls it", nullptr},
    {"is_timing_enabled", get_timing, nullptr, "whether time can be measured by it", nullptr},
    {"_as_parameter_", as_parameter, nullptr, "the address for ctypes, a c_void_p", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

} // namespace

PyTypeObject *event_type() {
    if (type) return type;
    const TypeTable table{
        .create = construct,
        .destroy = destroy,
        .repr = repr,
        .number = number,
        .index = number,
        .subtract = subtract,
        .methods = methods,
        .properties = properties,
        .doc =
            "Event(timing=True)\n--\n\n"
            "A point in the work of a stream, to wait for and to measure by. int() is its handle, which it owns and destroys."};
    type = make_type("PyGPU.Event", sizeof(EventObject), 0, table);
    if (type) add_owner(destroy, HandleRole::event, give, give_up);
    return type;
}

PyObject *make_event(Runtime &runtime) { return make(runtime, true); }

EventObject *event_object(PyObject *object) {
    return type && Py_TYPE(object) == type ? &object_of(object) : nullptr;
}

// Records by the driver, whose call needs no guard: it depends on no current device, and a failure doesn't
// become the runtime's last error. A default stream's handle means the current device's, so that needs one.
bool record_by_driver(const EventObject &event, Stream stream) {
    using Record = int(Event event, Stream stream);
    static Record *const call = // a process has one runtime for its arrays
        driver_function<Record>(*event.runtime, event.runtime->driver_calls.record_event);
    if (!call || !event.exists() || is_default_stream(stream) || trace::is_on() || waits_may_never_end())
        return false;
    const Event recorded = event.event;
    GilReleased released(true); // this call waits if the stream's queue is full
    return call(recorded, stream) == success;
}

bool record(EventObject &event, Stream stream, int device, const char *call) {
    if (has_postponed()) do_postponed();
    if (record_by_driver(event, stream)) return true;
    const Runtime &runtime = *event.runtime;
    int status = success;
    {
        Scope scope(runtime, device);
        status = scope.status();
        device = scope.device();
        if (!status) status = create(event, scope);
        if (!status) {
            const Event created = event.event;
            GilReleased released(true); // this call waits if the stream's queue is full
            status = scope(runtime.event_record(created, stream));
        }
    }
    if (status == runtime.codes.invalid_handle && event.exists() && event.device != device)
        raise_status(runtime, status, "%s: the event belongs to device %d, the stream to device %d", call,
                     event.device, device);
    else if (status)
        raise_status(runtime, status, "%s", call);
    return !status;
}

} // namespace pygpu::arrays
