// Unloading code after the launches that use it.
#include "kernels/code.hpp"

#include "arrays/base/scope.hpp"
#include "arrays/memory/buffer.hpp"
#include "arrays/memory/device_idle.hpp"
#include "arrays/memory/device_memory.hpp"
#include "arrays/streams/argument.hpp"
#include "python/finaliser.hpp"
#include "python/gil.hpp"
#include "python/heap_type.hpp"
#include "python/keywords.hpp"

namespace pygpu::kernels {
namespace {

using arrays::Runtime;
using arrays::Scope;
using Unload = int (*)(void *handle);

PyTypeObject *type = nullptr;

CodeObject &object_of(PyObject *self) { return *reinterpret_cast<CodeObject *>(self); }

// What unloading needs once the object is gone.
struct Loaded {
    explicit Loaded(const CodeObject &code)
        : runtime(*code.runtime), owned(code.library ? code.library : code.handle),
          is_library(code.library != nullptr), unload(code.unload), device(code.device),
          generation(code.generation), launched(code.launched) {}

    // A reset ends launches and modules, but no library, which belongs to no context. A fork ends all.
    bool was_reset() const { return generation != generation_of(device); }
    bool is_gone() const {
        return was_reset() && !(is_library && generation.forks == generation_of(device).forks);
    }

    const Runtime &runtime;
    void *owned;
    bool is_library;
    Unload unload;
    int device;
    DeviceGeneration generation;
    bool launched;
};

// Running kernels still read their code, so this waits for the device first. With the GIL released.
int unload_after_launches(const Loaded &code) {
    if (code.was_reset()) { // there are none
        code.unload(code.owned);
        count_ended_code();
        return arrays::success;
    }
    Scope scope(code.runtime, code.device);
    int status = scope.status();
    if (!status && code.launched) status = arrays::wait_for_device(code.runtime, scope);
    count_ended_code();
    if (!status) status = scope(code.unload(code.owned));
    count_ended_code();
    return status;
}

PyObject *construct(PyTypeObject *kind, PyObject *args, PyObject *kwargs) {
    const Arguments arguments("Code()", {"handle", "unload", "device", "library"}, args, kwargs, 3);
    if (!arguments) return nullptr;
    void *handle = PyLong_AsVoidPtr(arguments[0]);
    void *unload = PyErr_Occurred() ? nullptr : PyLong_AsVoidPtr(arguments[1]);
    const long device = PyErr_Occurred() ? 0 : PyLong_AsLong(arguments[2]);
    void *library = nullptr;
    if (!PyErr_Occurred() && arguments.unless_none(3)) library = PyLong_AsVoidPtr(arguments[3]);
    if (PyErr_Occurred()) return nullptr;
    const Runtime *runtime = arrays::runtime();
    PyObject *self = runtime ? kind->tp_alloc(kind, 0) : nullptr;
    if (!self) return nullptr;
    CodeObject &code = object_of(self);
    code.runtime = runtime;
    code.handle = handle;
    code.library = library;
    code.unload = reinterpret_cast<Unload>(unload);
    code.device = static_cast<int>(device);
    code.generation = generation_of(code.device);
    return self;
}

void unload_finally(const CodeObject &code) {
    // At exit, don't wait for a kernel that may never end. The end of the process unloads the code as well.
    if (code.launched && interpreter_is_finalising()) return;
    finalise([loaded = Loaded(code)] {
        if (loaded.is_gone()) return;
        GilReleased released(true);
        unload_after_launches(loaded);
    });
}

void destroy(PyObject *self) {
    PyTypeObject *kind = Py_TYPE(self);
    if (const CodeObject &code = object_of(self); !code.unloaded && code.handle) unload_finally(code);
    kind->tp_free(self);
    Py_DECREF(kind);
}

PyObject *unload(PyObject *self, PyObject *) {
    CodeObject &code = object_of(self);
    if (code.unloaded) Py_RETURN_NONE;
    code.unloaded = true;
    {
        ++code.users; // so that the last array on a variable doesn't unload the code
        arrays::Buffer::end_dependents(&code, arrays::module_was_unloaded);
        --code.users;
    }
    int status = arrays::success;
    if (const Loaded loaded(code); !loaded.is_gone() && !code.users) {
        GilReleased released(true);
        status = unload_after_launches(loaded);
    }
    if (!status) Py_RETURN_NONE;
    code.unloaded = false; // so that a later call tries again
    return raise_status(*code.runtime, status, "Module.unload()");
}

PyObject *begin_use(PyObject *self, PyObject *call) {
    const char *text = PyUnicode_AsUTF8(call);
    if (!text || !object_of(self).check(text)) return nullptr;
    ++object_of(self).users;
    Py_RETURN_NONE;
}

PyObject *end_use(PyObject *self, PyObject *) {
    object_of(self).end_use();
    Py_RETURN_NONE;
}

// memory(address, size): a variable of the code. It is a use of the code, until unload() ends it.
PyObject *memory(PyObject *self, PyObject *args) {
    unsigned long long address = 0;
    Py_ssize_t size = 0;
    if (!PyArg_ParseTuple(args, "Kn", &address, &size)) return nullptr;
    CodeObject &code = object_of(self);
    if (!code.check("Module.array()")) return nullptr;
    const arrays::StreamArgument home = arrays::stream_on(arrays::current_stream(), code.device);
    const auto buffer =
        arrays::Buffer::make(*code.runtime, arrays::Buffer::Kind::foreign, reinterpret_cast<void *>(address),
                             static_cast<std::size_t>(size), code.device, home, Reference::borrow(self));
    if (!buffer) return nullptr;
    ++code.users;
    code.launched = true; // graphs may copy from and to it, too
    buffer->keep_loan({[](void *used) { static_cast<CodeObject *>(used)->end_use(); }, &code});
    buffer->end_with(&code);
    return arrays::make_device_memory(buffer);
}

PyObject *get_handle(PyObject *self, void *) { return PyLong_FromVoidPtr(object_of(self).handle); }
PyObject *get_library(PyObject *self, void *) {
    void *library = object_of(self).library;
    return library ? PyLong_FromVoidPtr(library) : Py_NewRef(Py_None);
}
PyObject *get_device(PyObject *self, void *) { return PyLong_FromLong(object_of(self).device); }
PyObject *get_unloaded(PyObject *self, void *) { return PyBool_FromLong(object_of(self).unloaded); }

PyMethodDef methods[] = {
    {"unload", unload, METH_NOARGS,
     "unload($self)\n--\n\nWaits for the launches of its kernels, then unloads the code. Code that a graph "
     "captured stays until the last such graph is gone. A second call does nothing."},
    {"begin_use", begin_use, METH_O,
     "begin_use($self, call, /)\n--\n\nPostpones unload() until end_use(). Raises ValueError if the code was unloaded, "
     "GPUError if its device was reset."},
    {"memory", memory, METH_VARARGS,
     "memory($self, address, size, /)\n--\n\nA variable of the code, as a DeviceMemory that ends with unload(). Raises "
     "ValueError, GPUError."},
    {"end_use", end_use, METH_NOARGS, "end_use($self)\n--\n\nEnds what begin_use() began."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"handle", get_handle, nullptr, "The driver's module, as an int.", nullptr},
    {"library", get_library, nullptr, "The driver's library, as an int, or None.", nullptr},
    {"device", get_device, nullptr, "The device that has the code.", nullptr},
    {"unloaded", get_unloaded, nullptr, "Whether unload() was called.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

} // namespace

bool CodeObject::check(const char *call) const {
    if (unloaded) {
        PyErr_Format(PyExc_ValueError, "%s: the module was unloaded", call);
        return false;
    }
    if (!ended()) return true;
    raise_status(*runtime, runtime->codes.context_is_destroyed, "%s", call);
    return false;
}

void CodeObject::end_use() {
    if (!--users && unloaded) unload_finally(*this);
}

Reference CodeObject::use_object() {
    const auto end = [](PyObject *capsule) {
        PyObject *code = static_cast<PyObject *>(PyCapsule_GetPointer(capsule, nullptr));
        object_of(code).end_use();
        Py_DECREF(code);
    };
    auto *self = reinterpret_cast<PyObject *>(this);
    Reference capsule(PyCapsule_New(self, nullptr, end));
    if (!capsule) return {};
    Py_INCREF(self);
    ++users;
    return capsule;
}

PyTypeObject *code_type() {
    if (type) return type;
    PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(construct)},
                           {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
                           {Py_tp_methods, methods},
                           {Py_tp_getset, properties},
                           {Py_tp_doc, const_cast<char *>("Code(handle, unload, device, library=None)\n--\n\n"
                                                          "Loaded code, unloaded with its last user.")},
                           {0, nullptr}};
    return type = make_type("PyGPU._core.kernels.Code", sizeof(CodeObject), Py_TPFLAGS_DEFAULT, slots);
}

CodeObject *code_object(PyObject *object) {
    return Py_TYPE(object) == type ? reinterpret_cast<CodeObject *>(object) : nullptr;
}

} // namespace pygpu::kernels
