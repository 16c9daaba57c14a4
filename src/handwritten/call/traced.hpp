// A call in the trace.
#pragma once

#include "binding/function_record.hpp"
#include "call/plan.hpp"
#include "trace/keep.hpp"
#include "trace/span.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// Follows one call of a function while calls are traced. Until begin() it costs nothing.
class Traced {
public:
    [[gnu::cold]] void begin(const FunctionRecord &record, const Parameters &parameters,
                             const std::byte *converters, PyObject *const *args);
    bool begun() const { return record_; }
    // After the call, without the GIL. Returns its status: that of the work which it queued, if faults are
    // located.
    [[gnu::cold]] int end(const Answer &answer, const void *result, int status);
    // After that, with the GIL.
    void report() const {
        if (fault_) [[unlikely]]
            report_fault();
    }
    // Passes the call's result on; null with an exception set if it raises. With the GIL.
    PyObject *passed(PyObject *result, bool raising) {
        if (kept_.begun()) [[unlikely]]
            kept_.end(status_, raising, result);
        return result;
    }

private:
    [[gnu::cold]] void report_fault() const;
    const void *address_of(std::initializer_list<const char *> names) const;

    const FunctionRecord *record_ = nullptr;
    const Parameters *parameters_ = nullptr;
    const std::byte *converters_ = nullptr;
    trace::Span span_;
    trace::KeptCall kept_;
    int status_ = 0, fault_ = 0;
};

} // namespace pygpu
