// The path of a call, from Python's arguments to the result.
#pragma once

#include "binding/argument_context.hpp"
#include "binding/function_record.hpp"
#include "binding/mode.hpp"
#include "call/outcome.hpp"
#include "call/prepare.hpp"
#include "call/traced.hpp"
#include "python/gil.hpp"
#include "runtime/api.hpp"
#include "trace/on.hpp"

#include <Python.h>

#include <atomic>
#include <exception>

namespace pygpu {

// `steps` knows the types of the function's arguments and result: of one function (call/hot.hpp), or of any
// one by tables (call/run.cpp). `slots` has room for one more than there are parameters.
template <class Steps>
[[gnu::always_inline]] inline PyObject *follow_path(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                                    PyObject *keywords, const FunctionRecord &record,
                                                    Shape shape, PyObject **slots, Steps &steps) {
    const BindingMode *const prepared = prepare(record, self, args, nargs, keywords, slots, shape);
    if (!prepared) return slots[0];
    const BindingMode &mode = *prepared;

    ArgumentContext context{record, 0, self};
    if (!steps.load(args, context) || !steps.check(context)) return nullptr;
    if (const int status = steps.absence()) [[unlikely]]
        return raise_absent(mode, record, status);

    const bool release = record.gil == Gil::release || !record.api.called.load(std::memory_order_relaxed);
    Traced traced;
    if (trace::is_on()) [[unlikely]]
        steps.begin(traced, record, args);
    try {
        int status = 0;
        {
            const GilReleased released(release);
            status = steps.invoke();
            if (traced.begun()) [[unlikely]]
                status = steps.end(traced, status);
        }
        traced.report();
        if (steps.is_settled()) return traced.passed(settle(mode, record, status), mode.raising);
        const bool success = steps.is_void() || has_succeeded(mode, record, status);
        steps.finish(success);
        return traced.passed(steps.make(mode, record, status, success), mode.raising);
    } catch (const std::exception &) { // no memory for an output
        return traced.passed(PyErr_NoMemory(), mode.raising);
    }
}

} // namespace pygpu
