// Callables that C calls: telling them from C functions, and calling them.
#pragma once

#include "convert/memory.hpp"
#include "types/callbacks/registry.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// Whether an object is to be called from C: a callable that is not itself a C function.
bool is_python_callable(PyObject *object);
bool load_c_function(PyObject *object, const ArgumentContext &context, Memory &memory);

// Calls the callable with these arguments, new references; a null among them is a failed conversion. What
// goes wrong goes to sys.unraisablehook.
void call_from_c(Called &called, PyObject **arguments, std::size_t count);

// The numbers that C takes as the result.
struct Results {
    long long least, greatest;
};

// The same for a callable whose result C looks at: it is stored where it is a number that C can take, or
// None, which is 0; what isn't goes to sys.unraisablehook, too.
void call_from_c(Called &called, PyObject **arguments, std::size_t count, const Results &known,
                 long long &result);

// The C function in front of callables that get their user data alone, as host functions do.
void call_with_data(void *token);

} // namespace pygpu
