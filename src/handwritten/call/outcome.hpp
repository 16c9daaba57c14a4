// The result of a call in Python's form: (value, …, error), or the values alone in the raising form.
#pragma once

#include "binding/function_record.hpp"
#include "binding/mode.hpp"
#include "binding/status_type.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

inline constexpr std::size_t most_outputs = 12;

// Takes over the references in `values`, one for each output. A null among them is a failed conversion, with
// the exception set. There is one function for each count, which all calls with this count share.
template <std::size_t count>
[[gnu::noinline]] PyObject *outcome(const BindingMode &mode, const FunctionRecord &record, int status,
                                    PyObject **values);

// The raising form of outcome(), and of a call without outputs.
PyObject *checked_outcome(const BindingMode &mode, const FunctionRecord &record, int status,
                          PyObject **values, std::size_t count);

// The result of a call that gives only a status, in both forms.
[[gnu::hot]] PyObject *status_alone(const BindingMode &mode, const FunctionRecord &record, int status);

// The result of a call that failed and gives no outputs, in both forms: each output is None.
PyObject *failure(const BindingMode &mode, const FunctionRecord &record, int status, std::size_t count);

// For a function that gives no status: the entry point without which it has nothing to return. Written by the
// generator.
template <auto Wrapper> struct Required;
template <auto Wrapper>
concept HasRequired = requires { Required<Wrapper>::entry(); };

// Raises GPUError, in both forms, for a function that can't be called and gives no status. Always returns
// null.
PyObject *raise_absent(const BindingMode &mode, const FunctionRecord &record, int status);

// Releases the references; returns null.
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
