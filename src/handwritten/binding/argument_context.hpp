// Which function and parameter a value belongs to, and which field inside it: for messages.
#pragma once

#include <Python.h>

#include <cstddef>
#include <string>

namespace pygpu {

struct FunctionRecord;

// One step into a value: a field, or an item of an array. Steps live on the stack; each points to the step
// outside of it.
struct FieldPath {
    const FieldPath *outer = nullptr;
    const char *field = nullptr;
    Py_ssize_t item = -1;
    const char *meaning = nullptr; // the enumerator that decides what the value is

    std::string text() const;            // "extent.width", "attrs[1].id"
    const char *nearest_meaning() const; // of this step or one before it, or null
};

struct ArgumentContext {
    const FunctionRecord &record;
    std::size_t index;
    PyObject *self; // the called module, which decides the names in messages; null outside a call
    const FieldPath *path = nullptr;

    const char *function() const;
    std::string parameter() const;
    // "cudaMemcpy3D(): parameter 'p': field 'extent.width'", "cudaLaunchKernel(): parameter 'args[1]'", or
    // "cudaExtent.width" outside a call.
    std::string text() const;

    ArgumentContext within(const FieldPath &step) const { return {record, index, self, &step}; }
    // A context that belongs to no call. `none` is the record that its API has for this; the first step names
    // the struct.
    static ArgumentContext outside(const FunctionRecord &none, const FieldPath &step) {
        return {none, 0, nullptr, &step};
    }
};

} // namespace pygpu
