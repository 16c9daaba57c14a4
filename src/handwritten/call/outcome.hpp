// What a call came to, in Python's form: (value, …, error), or the values alone in the raising form.
#pragma once

#include "binding/function_record.hpp"
#include "binding/mode.hpp"
#include "binding/status_type.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

inline constexpr std::size_t most_outputs = 12;

// Takes the references in `values`, one for each output; a null among them is a failed conversion, whose
// exception is set. One function for each count, shared by all calls that have it.
template <std::size_t count>
[[gnu::noinline]] PyObject *outcome(const BindingMode &mode, const FunctionRecord &record, int status,
                                    PyObject **values);

// The raising form of it, and of a call without outputs.
PyObject *checked_outcome(const BindingMode &mode, const FunctionRecord &record, int status,
                          PyObject **values, std::size_t count);

// Both forms of a status that is all there is.
[[gnu::hot]] PyObject *status_alone(const BindingMode &mode, const FunctionRecord &record, int status);

// Both forms for a call that failed and left none of its outputs behind: each is None.
PyObject *failure(const BindingMode &mode, const FunctionRecord &record, int status, std::size_t count);

// The entry without which a function has nothing to return, for one that gives no status. Written by the
// generator.
template <auto Wrapper> struct Required;
template <auto Wrapper>
concept HasRequired = requires { Required<Wrapper>::entry(); };

// Raises GPUError for it, in both forms. Always null.
PyObject *raise_absent(const BindingMode &mode, const FunctionRecord &record, int status);

// Lets go of the references; returns null.
PyObject *drop(PyObject **values, std::size_t count);

template <std::size_t count>
PyObject *outcome(const BindingMode &mode, const FunctionRecord &record, int status, PyObject **values) {
    if (mode.raising) return checked_outcome(mode, record, status, values, count);
    PyObject *tuple = PyTuple_New(count + 1);
    if (!tuple) return drop(values, count);
    bool converted = true;
    for (std::size_t at = 0; at < count; ++at) {
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(at), values[at]);
        converted = converted && values[at];
    }
    PyObject *error = converted ? mode.errors->get(status) : nullptr;
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(count), error);
    if (!error) Py_CLEAR(tuple);
    return tuple;
}

} // namespace pygpu
