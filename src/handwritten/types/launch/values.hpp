// The arguments of a kernel, from Python objects: what stands behind the `void **` of a launch.
#pragma once

#include "binding/argument_context.hpp"
#include "convert/memory.hpp"
#include "python/reference.hpp"

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pygpu {

// Taken are None, the address of a `void **`, a ctypes array of pointers, a sequence of values that know
// their size in C, and (values, types). All lives as long as this object; C copies it at the launch.
class LaunchValues {
public:
    LaunchValues() = default;
    LaunchValues(const LaunchValues &) = delete;
    LaunchValues &operator=(const LaunchValues &) = delete;
    ~LaunchValues();

    bool load(PyObject *object, const ArgumentContext &context);
    // What C gets.
    void **pointers() const { return counted_ ? const_cast<void **>(values_.data()) : given_; }
    // Whether the values themselves are known; an address leaves them to C.
    bool counted() const { return counted_; }
    const std::vector<std::size_t> &sizes() const { return sizes_; }

private:
    bool load_address(PyObject *object, const ArgumentContext &context);
    bool load_values(PyObject *values, const ArgumentContext &context);
    bool load_pairs(PyObject *values, PyObject *types, const ArgumentContext &context);
    bool load_typed(PyObject *value, PyObject *type, const ArgumentContext &context);
    bool load_value(PyObject *value, const ArgumentContext &context);
    bool load_buffer(PyObject *value, const ArgumentContext &context);
    void reserve(std::size_t count);
    void add(const void *data, std::size_t size);
    void add_pointer(void *pointer);

    std::vector<void *> values_;
    std::vector<std::size_t> sizes_;
    std::vector<void *> addresses_; // of device memory and handles: `values_` points here
    std::vector<Py_buffer> pinned_;
    std::vector<std::unique_ptr<Memory>> memory_;
    std::vector<Reference> kept_; // the values
    void **given_ = nullptr;
    bool counted_ = false;
};

} // namespace pygpu
