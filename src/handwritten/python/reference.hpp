// An owning reference to a Python object, for code on the C API.
#pragma once

#include "python/exit.hpp"

#include <Python.h>

#include <utility>

namespace pygpu {

// For destructors, which also run while CPython ends the thread (see exit.hpp).
void end_object(PyObject *object) noexcept; // the last reference
inline void release_object(PyObject *object) noexcept {
    if (!object) return;
    park_if_overtaken();
    if (Py_REFCNT(object) != 1)
        Py_DECREF(object);
    else
        end_object(object);
}
void release_buffer(Py_buffer &view) noexcept;

class Reference {
public:
    Reference() = default;
    explicit Reference(PyObject *stolen) : object_(stolen) {}
    Reference(Reference &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Reference &operator=(Reference &&other) noexcept {
        if (this != &other) release_object(std::exchange(object_, std::exchange(other.object_, nullptr)));
        return *this;
    }
    Reference(const Reference &) = delete;
    Reference &operator=(const Reference &) = delete;
    ~Reference() { release_object(object_); }

    static Reference borrow(PyObject *object) { return Reference(Py_XNewRef(object)); }

    PyObject *get() const { return object_; }
    PyObject *release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

private:
    PyObject *object_ = nullptr;
};

} // namespace pygpu
