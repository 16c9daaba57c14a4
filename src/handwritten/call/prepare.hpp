// What happens before a call's arguments are converted, and after C has answered. All functions share this
// code.
#pragma once

#include "binding/argument_context.hpp"
#include "binding/function_record.hpp"
#include "binding/mode.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// Takes the place of the number of outputs for a function that gives no status.
inline constexpr unsigned short no_status = static_cast<unsigned short>(-1);

// How many parameters a function has, and how many outputs beside the status, as Python sees it.
struct Shape {
    unsigned short parameters;
    unsigned short outputs;
};

// Arranges the arguments, loads the library, and does what finalisers postponed. Then `args` has one argument
// for each parameter. If the call is refused, it returns null; `slots[0]` is then the result of the call, or
// null with an exception set. `slots` has room for one more than there are parameters.
[[gnu::hot]] const BindingMode *prepare(const FunctionRecord &record, PyObject *self, PyObject *const *&args,
                                        Py_ssize_t nargs, PyObject *keywords, PyObject **slots, Shape shape);

// The default of the parameter that `context` names. The function has `count` parameters.
long long fallback_of(const ArgumentContext &context, std::size_t count);

// Whether the call succeeded. To be asked once, after C has answered: if the failure is going to be raised,
// this also removes it from the runtime's last error.
[[gnu::hot]] bool has_succeeded(const BindingMode &mode, const FunctionRecord &record, int status);

// has_succeeded() and status_alone() for a call that gives only a status and leaves nothing else to be done.
[[gnu::hot]] PyObject *settle(const BindingMode &mode, const FunctionRecord &record, int status);

} // namespace pygpu
