// Sharing the base of statuses between extension modules, each of which has its own copy of this code.
#include "binding/status_base.hpp"

#include "python/reference.hpp"

namespace pygpu {
namespace {

// C's types alone, so that modules of different compilers agree.
struct Shared {
    int version;
    PyTypeObject *status;
};

constexpr int version = 1;
constexpr const char *capsule_name = "PyGPU._core._shared";

Shared own{version, nullptr};
PyTypeObject *base = nullptr;

} // namespace

bool share_status_base(PyObject *core) {
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

PyTypeObject *status_base() {
    if (base) return base;
    auto *shared = static_cast<Shared *>(PyCapsule_Import(capsule_name, 0));
    if (!shared) return nullptr;
    if (shared->version != version) {
        PyErr_Format(PyExc_ImportError,
                     "PyGPU._core shares version %d of its types, this module takes %d: install both anew",
                     shared->version, version);
        return nullptr;
    }
    return base = shared->status;
}

bool is_status_object(PyObject *object) { return base && Py_TYPE(object)->tp_base == base; }

} // namespace pygpu
