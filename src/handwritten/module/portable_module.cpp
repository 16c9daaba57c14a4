// Names of one vendor served by another: what each stands for, and the modules that offer them.
#include "module/portable_module.hpp"

#include "binding/mode.hpp"
#include "module/adapt/update_result.hpp"
#include "module/portable.hpp"
#include "python/reference.hpp"
#include "python/spelled.hpp"
#include "types/structs/struct_class.hpp"

#include <cstring>
#include <string>

namespace pygpu {
namespace {

// The value of CUDA's name on HIP; nullptr without an exception where HIP has none.
PyObject *portable_value(const BindingMode &mode, const Directory &hip, const char *cuda_name) {
    if (std::string(cuda_name).starts_with("cudaError")) {
        for (const char *name : {"cudaError", "cudaError_t"}) {
            if (!std::strcmp(cuda_name, name))
                return Py_NewRef(reinterpret_cast<PyObject *>(mode.errors->type()));
        }
    }
    if (StructClass *kind = hip::portable::struct_named(cuda_name))
        return Py_XNewRef(reinterpret_cast<PyObject *>(kind->type()));
    Api &api = hip.errors.api();
    if (portable_spans(cuda_name).size() > 1 && !api.ready()) { // only the library can tell which
        if (!ensure_loaded(api, cuda_name, mode.host)) return nullptr;
    }
    const PortableName *named = portable_name(cuda_name);
    if (!named) return nullptr;
    const Name *name = hip.find(named->hip);
    if (!name) { // a value of CUDA's own
        const Directory &cuda = cuda::vendor().directory;
        name = cuda.find(named->hip);
        return name ? cuda.object_of(*name) : nullptr;
    }
    if (name->kind == Name::error) return mode.errors->get(static_cast<int>(name->value));
    return hip.lookup(named->hip, mode.host);
}

PyObject *lazy_attribute(PyObject *module, PyObject *name) {
    const char *text = spelled(name);
    if (!text) return raise_missing(module, name);
    PyObject *found = portable_value(mode_of(module), hip::vendor().directory, text);
    if (found) found = portable_type(found);
    if (found && PyObject_SetAttr(module, name, found)) Py_CLEAR(found);
    if (found || PyErr_Occurred()) return found;
    if (cuda::vendor().directory.find(text))
        return PyErr_Format(PyExc_AttributeError, "no attribute '%s': HIP has no counterpart of it", text);
    return raise_missing(module, name);
}

PyMethodDef lazy = {"__getattr__", lazy_attribute, METH_O, nullptr};
PyMethodDef refusing = {"__getattr__", raise_missing, METH_O, nullptr};

// The portable names on HIP: made when HIP turns out to be the backend.
PyObject *make_on_hip(bool raising) {
    const char *name = raising ? "PyGPU.checked" : "PyGPU";
    Reference module(make_portable_on_hip(name, name, raising));
    Reference missing(module ? PyCFunction_New(raising ? &refusing : &lazy, module.get()) : nullptr);
    if (!missing || PyObject_SetAttrString(module.get(), "__getattr__", missing.get())) return nullptr;
    return module.release();
}

// The portable names where the host runtime may stand in for a missing GPU.
PyObject *make_on_host(bool raising) {
    const char *name = raising ? "PyGPU.checked" : "PyGPU";
    return make_api_module(cuda::vendor(), name, "CUDA's names, served by the host runtime.", raising, true);
}

} // namespace

const HandleClass *cuda_counterpart(const HandleClass &kind) {
    const bool own = &kind.api() == &cuda::vendor().api;
    const char *name = own ? kind.name() : cuda_name_of(kind.name());
    for (const HandleClass &one : cuda::vendor().directory.handles) {
        if (name && !std::strcmp(name, one.name())) return &one;
    }
    return nullptr;
}

PyObject *portable(PyObject *core, const char *backend, bool raising) {
    const bool on_hip = !std::strcmp(backend, "hip");
    if (on_hip || !std::strcmp(backend, "host")) {
        static PyObject *modules[2][2]; // kept for ever: statics end after the interpreter
        PyObject *&known = modules[on_hip][raising];
        if (!known) {
            Reference made(on_hip ? make_on_hip(raising) : make_on_host(raising));
            if (!known) known = made.release(); // else another thread was quicker
        }
        return Py_XNewRef(known);
    }
    Reference cuda(PyObject_GetAttrString(core, "cuda"));
    return cuda && raising ? PyObject_GetAttrString(cuda.get(), "checked") : cuda.release();
}

} // namespace pygpu
