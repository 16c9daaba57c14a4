// An owned reference to a Python object, and what Python.h lacks in older versions.
#pragma once

#include <Python.h>

#include <utility>

namespace pygpu::detail {

class reference {
public:
    reference() = default;
    explicit reference(PyObject *owned) : object_(owned) {}
    reference(reference &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    reference &operator=(reference &&other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~reference() { Py_XDECREF(object_); }

    PyObject *get() const { return object_; }
    PyObject *release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

private:
    PyObject *object_ = nullptr;
};

// Puts the current exception aside as long as it lives, because finalisers may run anywhere.
class exception_aside {
public:
    exception_aside() { PyErr_Fetch(&type_, &value_, &traceback_); }
    exception_aside(const exception_aside &) = delete;
    exception_aside &operator=(const exception_aside &) = delete;
    ~exception_aside() { PyErr_Restore(type_, value_, traceback_); }

private:
    PyObject *type_, *value_, *traceback_;
};

// An attribute, or null. No exception is set if the object has no such attribute.
inline reference attribute(PyObject *object, const char *name) {
    reference attribute(PyObject_GetAttrString(object, name));
    if (!attribute && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return attribute;
}

} // namespace pygpu::detail
