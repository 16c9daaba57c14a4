// The Python type that keeps a user's own memory page-locked for as long as it lives.
#include "arrays/base/scope.hpp"
#include "arrays/memory/device_idle.hpp"
#include "arrays/memory/host_memory.hpp"
#include "convert/sizes.hpp"
#include "python/finaliser.hpp"
#include "python/gil.hpp"
#include "python/heap_type.hpp"
#include "python/keywords.hpp"
#include "runtime/generation.hpp"

#include <climits>

namespace pygpu::arrays {
namespace {

struct Object {
    PyObject_HEAD
    PyObject *array; // the user's object
    Py_buffer view;  // .obj is null once it is unregistered
    Runtime *runtime;
    int device; // it is registered in this device's context
    DeviceGeneration generation;
};

Object &object_of(PyObject *self) { return *reinterpret_cast<Object *>(self); }

PyTypeObject *type = nullptr;

PyObject *construct(PyTypeObject *kind, PyObject *args, PyObject *kwargs) {
    const Arguments arguments("register()", {"array", "flags"}, args, kwargs);
    Runtime *runtime = arrays::runtime();
    if (!arguments || !runtime) return nullptr;
    Py_ssize_t flags = runtime->register_for_all;
    if (!load_size(arguments[1], "register()", "flags", flags)) return nullptr;
    PyObject *array = arguments[0];
    if (flags > UINT_MAX)
        return PyErr_Format(PyExc_OverflowError, "register(): parameter 'flags' = %zd is out of range",
                            flags);
    Py_buffer view;
    int device = 0;
    if (PyObject_GetBuffer(array, &view, PyBUF_ANY_CONTIGUOUS)) return nullptr;
    PyObject *self = kind->tp_alloc(kind, 0);
    if (!self) {
        PyBuffer_Release(&view);
        return nullptr;
    }
    DeviceGeneration generation;
    int status = success;
    {
        GilReleased released(true);
        Scope scope(*runtime);
        status = scope.status();
        device = scope.device();
        generation = generation_of(device); // a reset in another thread ends what follows
        if (!status) reserve_waiting(*runtime, scope);
        if (!status && view.len)
            status = scope(runtime->host_register(view.buf, static_cast<std::size_t>(view.len),
                                                  static_cast<unsigned>(flags)));
    }
    if (status) {
        const int read_only = runtime->register_read_only;
        const bool lacks_flag = view.readonly && read_only && !(flags & read_only);
        raise_status(*runtime, status, "register(): %zd bytes at %p%s", view.len, view.buf,
                     lacks_flag ? ", which are read-only (flags=PyGPU.cudaHostRegisterReadOnly takes such)"
                                : "");
        PyBuffer_Release(&view);
        Py_DECREF(self); // it has no view, and so nothing to unregister
        return nullptr;
    }
    Object &object = object_of(self);
    object.array = Py_NewRef(array);
    object.view = view;
    object.runtime = runtime;
    object.device = device;
    object.generation = generation;
    return self;
}

int unlock(const Object &object, void *memory) {
    GilReleased released(true);
    Scope scope(*object.runtime, object.device);
    int status = scope.status();
    // Queued copies may still use the memory, and not every runtime's call waits for them.
    if (!status) status = wait_for_device(*object.runtime, scope);
    if (!status) reserve_waiting(*object.runtime, scope); // the wait has taken what was reserved
    return status ? status : scope(object.runtime->host_unregister(memory));
}

// Unregisters the memory; returns the status. After a failure it is still registered.
int end(Object &object) {
    Py_buffer view = object.view;
    if (!view.obj) return success;
    if (view.len && object.generation == generation_of(object.device)) {
        object.view.obj = nullptr; // so that another thread doesn't unregister it meanwhile
        const int status = unlock(object, view.buf);
        if (status) {
            object.view.obj = view.obj;
            return status;
        }
    }
    object.view = view;
    PyBuffer_Release(&object.view);
    return success;
}

// For the finaliser: releases the buffer even if unregistering fails. At exit the wait may never end, and
// both end with the process.
void give_up(Object &object) {
    if (interpreter_is_finalising()) return;
    end(object);
    if (object.view.obj) PyBuffer_Release(&object.view);
    Py_XDECREF(object.array);
}

PyObject *unregister(PyObject *self, PyObject *) {
    if (const int status = end(object_of(self)))
        return raise_status(*object_of(self).runtime, status, "unregister()");
    Py_RETURN_NONE;
}

// The user's object; None after the garbage collector has cleared it.
PyObject *array_of(PyObject *self) {
    PyObject *array = object_of(self).array;
    return Py_NewRef(array ? array : Py_None);
}

PyObject *enter(PyObject *self, PyObject *) { return array_of(self); }

PyObject *leave(PyObject *self, PyObject *) { return unregister(self, nullptr); }

int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(object_of(self).array);
    Py_VISIT(object_of(self).view.obj);
    return 0;
}

int clear(PyObject *self) {
    Object copy = object_of(self);
    object_of(self).array = nullptr;
    object_of(self).view.obj = nullptr;
    finalise([copy]() mutable { give_up(copy); });
    return 0;
}

void destroy(PyObject *self) {
    PyObject_GC_UnTrack(self);
    clear(self);
    free_object(self);
}

PyObject *get_array(PyObject *self, void *) { return array_of(self); }
PyObject *get_active(PyObject *self, void *) { return PyBool_FromLong(object_of(self).view.obj != nullptr); }

PyMethodDef methods[] = {
    {"unregister", unregister, METH_NOARGS,
     "unregister($self)\n--\n\nEnds the page-lock. Waits for the device first. Raises GPUError if that "
     "fails."},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", leave, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {{"array", get_array, nullptr, "the object whose memory it is", nullptr},
                            {"active", get_active, nullptr, "whether it is registered still", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

} // namespace

PyTypeObject *registration_type() {
    if (type) return type;
    const TypeTable table{
        .create = construct,
        .destroy = destroy,
        .traverse = traverse,
        .clear = clear,
        .methods = methods,
        .properties = properties,
        .doc =
            "register(array, flags=1)\n--\n\n"
            "Page-locks the memory of a contiguous buffer until unregister() or the end of the "
            "with-block, and keeps it alive. `flags` are those of cudaHostRegister. Raises GPUError if the "
            "runtime refuses, BufferError or ValueError if the buffer is not "
            "contiguous."};
    return type = make_type("PyGPU.register", sizeof(Object), Py_TPFLAGS_HAVE_GC, table);
}

} // namespace pygpu::arrays
