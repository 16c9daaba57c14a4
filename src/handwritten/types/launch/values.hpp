// The arguments of a kernel, from Python objects: what stands behind the `void **` of a launch.
#pragma once

#include "binding/argument_context.hpp"
#include "convert/memory.hpp"
#include "python/reference.hpp"
#include "types/launch/scalar_layout.hpp"

#include <Python.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace pygpu {

// Accepts None, the address of a `void **`, a buffer of addresses, a sequence of values that know their
// size in C, and (values, types). Everything stays alive as long as this object; C copies the arguments at
// the launch.
class LaunchValues {
public:
    LaunchValues() = default;
    LaunchValues(const LaunchValues &) = delete;
    LaunchValues &operator=(const LaunchValues &) = delete;
    ~LaunchValues() {
        if (owned_ || rest_) end();
    }

    [[gnu::hot]] bool load(PyObject *object, const ArgumentContext &context);
    // The same for a call that is made at once, so that scalars may be copied now.
    bool load_at_once(PyObject *object, const ArgumentContext &context) {
        return copy_scalars(object) || load(object, context);
    }
    // What C gets; null where there are no values.
    void **pointers() const {
        if (!counted_) return given_;
        return count_ ? const_cast<void **>(&columns_->pointer) : nullptr;
    }
    // Whether the values themselves are known. Behind an address, only C knows them.
    bool counted() const { return counted_; }
    std::span<const std::size_t> sizes() const { return {&columns_[room_].size, count_}; }

    // For adding values one by one: reserve room for all, then add each. What is added must live as long as
    // this object.
    [[gnu::hot]] void reserve(std::size_t count);
    [[gnu::hot]] bool load_value(PyObject *value, const ArgumentContext &context);
    // About the value that was loaded last: its kind, what lies in its memory, and the stream that its
    // __cuda_array_interface__ names, or null.
    ScalarKind scalar() const { return scalar_; }
    Element element() const { return element_; } // of memory, as far as its object says it
    Reference take_producer() { return rest_ ? std::move(rest_->producer) : Reference(); }
    [[gnu::hot]] void add_pointer(void *pointer);
    void add_bytes(const void *data, std::size_t size); // copies up to 8 bytes

private:
    union Word {
        void *pointer;
        std::size_t size;
        PyObject *object;
    };

    // Only few launches need these.
    struct Rest {
        std::unique_ptr<Word[]> columns;
        std::deque<Py_buffer> pinned;
        std::vector<std::unique_ptr<Memory>> memory;
        std::vector<Reference> instances; // values made of the given types
        Reference producer;
    };

    bool load_address(PyObject *object, const ArgumentContext &context);
    bool load_addresses(PyObject *object, const ArgumentContext &context);
    [[gnu::hot]] bool load_values(const ArgumentContext &context);
    bool load_pairs(PyObject *types, const ArgumentContext &context);
    bool load_typed(PyObject *value, PyObject *type, const ArgumentContext &context);
    bool load_c_scalar(PyObject *value);
    bool load_buffer(PyObject *value, const ArgumentContext &context);
    bool load_memory(PyObject *value, const ArgumentContext &context);
    [[gnu::hot]] bool copy_scalars(PyObject *object);
    [[gnu::hot]] void take(PyObject *values);
    [[gnu::hot]] void add(const void *data, std::size_t size);
    [[gnu::hot]] void *&add_word(std::size_t size); // in this object: an address, a handle or copied bytes
    Rest &rest();
    [[gnu::hot]] void end();

    // Four columns of `room_` words each: the pointers that C gets, the sizes, words that these pointers may
    // point to, and owned references to the given objects.
    static constexpr std::size_t most_inside = 16;
    Word inside_[4 * most_inside]; // uninitialised
    Word *columns_ = inside_;
    std::size_t room_ = 0, count_ = 0, words_ = 0, owned_ = 0;
    std::unique_ptr<Rest> rest_;
    void **given_ = nullptr;
    ScalarKind scalar_ = ScalarKind::unknown;
    Element element_;
    bool counted_ = false;
};

} // namespace pygpu
