// An owning reference to a Python object, for code on the C API.
#pragma once

#include <Python.h>

#include <utility>

namespace pygpu {

class Reference {
public:
    Reference() = default;
    explicit Reference(PyObject *stolen) : object_(stolen) {}
    Reference(Reference &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Reference &operator=(Reference &&other) noexcept {
        if (this != &other) Py_XSETREF(object_, std::exchange(other.object_, nullptr));
        return *this;
    }
    Reference(const Reference &) = delete;
    Reference &operator=(const Reference &) = delete;
    ~Reference() { Py_XDECREF(object_); }

    static Reference borrow(PyObject *object) { return Reference(Py_XNewRef(object)); }

    PyObject *get() const { return object_; }
    PyObject *release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

private:
    PyObject *object_ = nullptr;
};

} // namespace pygpu
