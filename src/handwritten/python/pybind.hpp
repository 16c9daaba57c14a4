// pybind11, for classes and functions that are not hot. docs/decisions/c-api-beside-pybind11.md says which.
//
// Code bound by it throws; what it calls on the C API returns null or false with an exception set.
#pragma once

// PyGPU's classes are in a table of their own, which no other package's pybind11 reads or changes.
#define PYBIND11_COMPILER_TYPE "pygpu"
#include <pybind11/pybind11.h>

#include <exception>
#include <new>

namespace pygpu {

namespace py = pybind11;

// Throws the exception that is set, if a function on the C API failed.
inline void throw_unless(bool fine) {
    if (!fine) throw py::error_already_set();
}
template <class T> T &deref_or_throw(T *pointer) {
    throw_unless(pointer);
    return *pointer;
}
inline py::object or_throw(PyObject *stolen) {
    throw_unless(stolen);
    return py::reinterpret_steal<py::object>(stolen);
}

// Throws a Python exception; the format is PyErr_Format's.
template <class... Values>
[[noreturn]] void raise(PyObject *type, const char *format, const Values &...values) {
    PyErr_Format(type, format, values...);
    throw py::error_already_set();
}

// The other way: calls a function that throws for a caller on the C API, which gets null.
template <class Function> auto null_if_thrown(Function function) -> decltype(function()) {
    try {
        return function();
    } catch (py::error_already_set &error) {
        error.restore();
    } catch (const std::bad_alloc &) {
        PyErr_NoMemory();
    } catch (const std::exception &error) { // pybind11's own
        PyErr_SetString(PyExc_SystemError, error.what());
    }
    return nullptr;
}

// Python code can reach pybind11's own types by `__mro__` and `__self__`. Called, they would end the process
// by an exception that leaves C++.
inline void refuse_to_make_bare_objects() {
    for (PyTypeObject *type : {reinterpret_cast<PyTypeObject *>(py::detail::get_internals().instance_base),
                               py::detail::get_function_record_PyTypeObject()}) {
        py::delattr(reinterpret_cast<PyObject *>(type), "__init__");
        type->tp_new = [](PyTypeObject *wanted, PyObject *, PyObject *) {
            return PyErr_Format(PyExc_TypeError, "cannot create '%s' instances", wanted->tp_name);
        };
    }
}

} // namespace pygpu
