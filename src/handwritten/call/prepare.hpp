// What comes before a call's arguments are converted, and after C has answered: the same code for all
// functions.
#pragma once

#include "binding/argument_context.hpp"
#include "binding/function_record.hpp"
#include "binding/mode.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// How many outputs stand beside the status; `no_status` for a function that gives none.
inline constexpr unsigned short no_status = static_cast<unsigned short>(-1);

// Of a function, as Python sees it.
struct Shape {
    unsigned short parameters;
    unsigned short outputs;
};

// Arranges the arguments, loads the library, and does what finalisers postponed: `args` has then one for each
// parameter. Null for a call that isn't made: `slots[0]` is what it returns, null with an exception set.
// `slots` has room for one more than there are parameters.
[[gnu::hot]] const BindingMode *prepare(const FunctionRecord &record, PyObject *self, PyObject *const *&args,
                                        Py_ssize_t given, PyObject *keywords, PyObject **slots, Shape shape);

// The default of a parameter that was left out, which is one of `count`.
long long fallback_of(const ArgumentContext &context, std::size_t count);

// Whether the call succeeded; to be asked once C has answered. Where its failure is raised, it is no last
// error any more.
[[gnu::hot]] bool has_succeeded(const BindingMode &mode, const FunctionRecord &record, int status);

// Both forms of a status that is all there is, of a call that leaves nothing else to be done.
[[gnu::hot]] PyObject *settle(const BindingMode &mode, const FunctionRecord &record, int status);

} // namespace pygpu
