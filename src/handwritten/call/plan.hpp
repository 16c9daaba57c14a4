// What the code that all calls share knows of one function.
#pragma once

#include "binding/function_record.hpp"
#include "binding/mode.hpp"
#include "call/conversion.hpp"
#include "convert/buffer_size.hpp"

#include <Python.h>

#include <cstddef>
#include <initializer_list>

namespace pygpu {

class AnyEntry;

// What a wrapper returns, without its type.
struct Answer {
    std::size_t bytes, alignment;
    unsigned short outputs; // beside the status; or no_status
    bool is_void;
    bool is_status; // a status alone
    // Makes Python's form of the result. Null for a status alone.
    PyObject *(*make)(const BindingMode &mode, const FunctionRecord &record, const void *result,
                      bool succeeded);
    const void *(*made)(const void *result); // the handle that C made, if that is the first output
    void (*end)(void *result);
    void (*note)(trace::Items &items, const void *result); // for a trace; null for a status alone
};

// How much the converters of a call hold.
struct HeldSizes {
    const ArgumentContext &context;
    const Parameters &parameters;
    const std::byte *converters;

    // Whether each of these has the size that it needs; ValueError otherwise.
    bool reach(std::initializer_list<SizeRequirement> needs) const;
};

// What some functions check once their arguments are converted; null for what there is not. The first two set
// the exception if they return false.
struct Checks {
    bool (*together)(std::byte *converters, const ArgumentContext &context) = nullptr;
    bool (*sizes)(std::byte *converters, const HeldSizes &held) = nullptr;
    const AnyEntry &(*required)() = nullptr; // without this there is nothing to return
};

// Calls the wrapper with the converted arguments, and returns the status, or 0. Writes what else it returns
// to `result`.
using Invoke = int(std::byte *converters, void *result);

// The whole path of a call: prepare it, convert, release the GIL, call, build the result. What it needs to
// know comes as arguments, because a table of them for each function would be larger than the code that
// passes them: each pointer in a table is relocated.
[[gnu::hot]] PyObject *run_call(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords,
                                const FunctionRecord &record, const Parameters &parameters,
                                const Answer &answer, Invoke *invoke, const Checks *checks);

} // namespace pygpu
