// Sharing by a capsule of PyGPU._core.
#include "binding/shared.hpp"

#include "python/reference.hpp"
#include "runtime/generation.hpp"

namespace pygpu {
namespace {

// Of C's types, so that modules of different compilers agree.
struct Shared {
    int version;
    PyTypeObject *status;
    Generations *generations;
};

constexpr int version = 2;
constexpr const char *capsule_name = "PyGPU._core._shared";

Shared own{version, nullptr, generations};
PyTypeObject *base = nullptr;

} // namespace

bool share(PyObject *core) {
    static PyType_Slot slots[] = {
        {Py_tp_doc,
         const_cast<char *>("A status code of some API: the base of cudaError, hipError and others.")},
        {0, nullptr}};
    static PyType_Spec spec{"PyGPU._core.Status", sizeof(StatusObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                            slots};
    base = own.status = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    if (!base) return false;
    Reference capsule(PyCapsule_New(&own, capsule_name, nullptr));
    return capsule && !PyObject_SetAttrString(core, "_shared", capsule.get());
}

bool take_shared() {
    if (base) return true;
    auto *shared = static_cast<Shared *>(PyCapsule_Import(capsule_name, 0));
    if (!shared) return false;
    if (shared->version != version) {
        PyErr_Format(PyExc_ImportError,
                     "PyGPU._core shares version %d of its types, this module takes %d: install both anew",
                     shared->version, version);
        return false;
    }
    generations = shared->generations;
    base = shared->status;
    return true;
}

PyTypeObject *status_base() { return base; }

bool is_status_object(PyObject *object) { return base && Py_TYPE(object)->tp_base == base; }

} // namespace pygpu
