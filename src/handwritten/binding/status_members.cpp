// list(cudaError_t), len(), `in`, cudaError_t["cudaSuccess"] and __members__.
#include "binding/status_members.hpp"

#include "binding/status_type.hpp"
#include "python/boolean.hpp"
#include "python/heap_type.hpp"
#include "python/reference.hpp"

namespace pygpu {
namespace {

StatusType *status_of(PyObject *self) {
    StatusType *kind = StatusType::of(reinterpret_cast<PyTypeObject *>(self));
    if (!kind) PyErr_SetString(PyExc_TypeError, "this class of statuses was never made whole");
    return kind;
}

// One object for each code, by code; names that share a code share the object.
Reference members_of(PyObject *self) {
    StatusType *kind = status_of(self);
    Reference all(kind ? PyList_New(0) : nullptr);
    const StatusCode *before = nullptr;
    for (const StatusCode &one : all ? kind->codes() : std::span<const StatusCode>()) {
        const bool again = before && before->code == one.code;
        before = &one;
        if (again) continue;
        const Reference member(kind->get(one.code));
        if (!member || PyList_Append(all.get(), member.get())) return {};
    }
    return all;
}

PyObject *iterate(PyObject *self) {
    const Reference all = members_of(self);
    return all ? PyObject_GetIter(all.get()) : nullptr;
}

PyObject *iterate_backwards(PyObject *self, PyObject *) {
    const Reference all = members_of(self);
    if (!all || PyList_Reverse(all.get())) return nullptr;
    return PyObject_GetIter(all.get());
}

Py_ssize_t length(PyObject *self) {
    const Reference all = members_of(self);
    return all ? PyList_GET_SIZE(all.get()) : -1;
}

// A status of this class or an int, if its code has a name.
int contains(PyObject *self, PyObject *object) {
    const StatusType *kind = status_of(self);
    if (!kind) return -1;
    if (Py_TYPE(object) == kind->type()) return kind->code_name(StatusType::code_of(object)) != nullptr;
    if (!PyLong_Check(object) || is_bool(object)) return 0;
    int overflow = 0;
    const long code = PyLong_AsLongAndOverflow(object, &overflow);
    return !overflow && code == static_cast<int>(code) && kind->code_name(static_cast<int>(code));
}

PyObject *by_name(PyObject *self, PyObject *name) {
    StatusType *kind = status_of(self);
    if (!kind) return nullptr;
    for (const StatusCode &one : kind->codes()) {
        if (PyUnicode_Check(name) && !PyUnicode_CompareWithASCIIString(name, one.name))
            return kind->get(one.code);
    }
    PyErr_SetObject(PyExc_KeyError, name);
    return nullptr;
}

PyObject *members(PyObject *self, void *) {
    StatusType *kind = status_of(self);
    const Reference all(kind ? PyDict_New() : nullptr);
    for (const StatusCode &one : all ? kind->codes() : std::span<const StatusCode>()) {
        const Reference member(kind->get(one.code));
        if (!member || PyDict_SetItemString(all.get(), one.name, member.get())) return nullptr;
    }
    return all ? PyDictProxy_New(all.get()) : nullptr;
}

PyMethodDef methods[] = {{"__reversed__", iterate_backwards, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {{"__members__", members, nullptr,
                             "all names, also those that share a code, with their statuses", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject *make_meta() {
    const TypeTable table{.iterate = iterate,
                          .length = length,
                          .subscript = by_name,
                          .contains = contains,
                          .methods = methods,
                          .properties = properties,
                          .doc = "The class of status classes, which are iterable.",
                          .base = &PyType_Type,
                          .open = true};
    return make_type("PyGPU._core.StatusClass", 0, 0, table);
}

} // namespace

bool give_members(PyTypeObject *type) {
    static PyTypeObject *meta = nullptr; // guarded by the GIL
    if (!meta && !(meta = make_meta())) return false;
    Py_INCREF(meta);
    Py_SET_TYPE(reinterpret_cast<PyObject *>(type), meta); // PyType_FromMetaclass() came with Python 3.12
    return true;
}

} // namespace pygpu
