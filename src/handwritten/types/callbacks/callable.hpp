// Callables that C calls: telling them from C functions, and calling them.
#pragma once

#include "convert/memory.hpp"
#include "types/callbacks/registry.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// Whether an object is a Python callable and not itself a C function.
bool is_python_callable(PyObject *object);
bool load_c_function(PyObject *object, const ArgumentContext &context, Memory &memory);

// Calls the callable, and takes over the references to its arguments. A null argument is a failed conversion.
// Every exception goes to sys.unraisablehook.
void call_from_c(Called &called, PyObject **arguments, std::size_t count);

// The range of results that C accepts.
struct Results {
    long long least, greatest;
};

// The same if C uses the callable's result. A number in the range `known` is stored in `result`, and None is
// stored as 0. Any other result goes to sys.unraisablehook as an exception, and `result` stays as it is.
void call_from_c(Called &called, PyObject **arguments, std::size_t count, const Results &known,
                 long long &result);

// The same without arguments, for a callable that returns up to `count` numbers that are not negative: one
// int, a tuple of them, or None for zeros. After any other result they are all 0.
void call_for_numbers(Called &called, long long *numbers, std::size_t count);

// The trampoline of callables that get only their user data, such as host functions.
void call_with_data(void *token);

} // namespace pygpu
