// The arguments of a kernel, from Python objects: what stands behind the `void **` of a launch.
#pragma once

#include "binding/argument_context.hpp"
#include "convert/memory.hpp"
#include "python/reference.hpp"
#include "types/launch/scalar_layout.hpp"
#include "types/launch/short_array.hpp"

#include <Python.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
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
    // What C gets; null where there are no values.
    void **pointers() const {
        if (!counted_) return given_;
        return sizes().empty() ? nullptr : const_cast<void **>(values_.data());
    }
    // Whether the values themselves are known; an address leaves them to C.
    bool counted() const { return counted_; }
    std::span<const std::size_t> sizes() const { return sizes_.all(); }

    // One by one: room for all, then each. What is added must live as long as this object.
    void reserve(std::size_t count);
    bool load_value(PyObject *value, const ArgumentContext &context);
    // Of the value that was loaded last: what it says of itself, and the stream that its
    // __cuda_array_interface__ names, or null.
    Written written() const { return written_; }
    Reference take_producer() { return std::move(producer_); }
    void add_pointer(void *pointer);
    void add_bytes(const void *data, std::size_t size); // copied, up to 8 of them

private:
    template <class T> using Array = ShortArray<T, 16>;

    bool load_address(PyObject *object, const ArgumentContext &context);
    bool load_values(const ArgumentContext &context);
    bool load_pairs(PyObject *types, const ArgumentContext &context);
    bool load_typed(PyObject *value, PyObject *type, const ArgumentContext &context);
    bool load_buffer(PyObject *value, const ArgumentContext &context);
    bool load_memory(PyObject *value, const ArgumentContext &context);
    void take(PyObject *values);
    void add(const void *data, std::size_t size);

    Array<PyObject *> given_values_; // owned
    Array<void *> values_;
    Array<std::size_t> sizes_;
    Array<void *> words_; // addresses, handles and copied bytes: `values_` points here
    Array<Py_buffer> pinned_;
    std::vector<std::unique_ptr<Memory>> memory_;
    std::vector<Reference> made_; // values of the types given
    void **given_ = nullptr;
    Reference producer_;
    Written written_ = Written::unknown;
    bool counted_ = false;
};

} // namespace pygpu
