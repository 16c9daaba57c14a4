// What a call needs before its arguments are converted, and calls that are refused
// whatever their arguments are: by release, by library, at exit.
#include "call/prepare.hpp"

#include "binding/arguments.hpp"
#include "binding/mode.hpp"
#include "call/outcome.hpp"
#include "python/exit.hpp"
#include "python/later.hpp"
#include "runtime/library.hpp"

#include <atomic>

namespace pygpu {
namespace {

// Gives the status of a call that is refused; 0 if the call may be made. False with the exception set.
bool find_status(const BindingMode &mode, const FunctionRecord &record, int &status) {
    if (mode.since == BindingMode::never) {
        status = mode.api->statuses.not_supported; // the record's API is the other vendor's
        return true;
    }
    if (record.gil == Gil::release && waits_may_never_end()) {
        status = record.api.statuses.not_permitted;
        return true;
    }
    // This comes before the conversion, because loading the library may run Python code and decides the
    // layout of structs.
    if (!record.api.ready() && !ensure_loaded(record.api, record.name, mode.host)) return false;
    if (mode.since && record.api.ready() && record.api.release_number < mode.since) {
        status = record.api.statuses.not_supported;
        return true;
    }
    if (has_postponed()) do_postponed();
    return true;
}

// The result of a call that is refused. `allowed` says whether the call may be made.
PyObject *refusal(const BindingMode &mode, const FunctionRecord &record, Shape shape, bool &allowed) {
    int status = 0;
    const bool decided = find_status(mode, record, status);
    allowed = decided && !status;
    if (!status) return nullptr;
    return shape.outputs == no_status ? raise_absent(mode, record, status)
                                      : failure(mode, record, status, shape.outputs);
}

// Most calls need none of this. Each condition has its own hint, so that the usual path has no jump.
bool needs_preparing(const BindingMode &mode, const FunctionRecord &record) {
    if (!record.api.ready()) [[unlikely]]
        return true;
    if (mode.since || has_postponed()) [[unlikely]]
        return true;
    return record.gil == Gil::release && waits_may_never_end();
}

} // namespace

const BindingMode *prepare(const FunctionRecord &record, PyObject *self, PyObject *const *&args,
                           Py_ssize_t nargs, PyObject *keywords, PyObject **slots, Shape shape) {
    if (nargs != shape.parameters || keywords || record.positional < shape.parameters) [[unlikely]] {
        if (!arrange(record, self, args, nargs, keywords, slots, shape.parameters)) {
            slots[0] = nullptr;
            return nullptr;
        }
        args = slots;
    }
    const BindingMode &mode = mode_of(self);
    if (needs_preparing(mode, record)) [[unlikely]] {
        bool allowed = false;
        PyObject *const instead = refusal(mode, record, shape, allowed);
        if (!allowed) {
            slots[0] = instead;
            return nullptr;
        }
    }
    return &mode;
}

long long fallback_of(const ArgumentContext &context, std::size_t count) {
    const auto fallbacks = context.record.fallbacks;
    return fallbacks[context.index + fallbacks.size() - count];
}

bool has_succeeded(const BindingMode &mode, const FunctionRecord &record, int status) {
    const bool success = record.api.statuses.succeeded(status);
    // Only a call that can wait, and that succeeded, has certainly started the driver.
    if (record.gil == Gil::release && success) record.api.called.store(true, std::memory_order_relaxed);
    if (!success && mode.raising && record.checked != Checked::status) [[unlikely]]
        forget_last_error(record.api.own, status);
    return success;
}

PyObject *settle(const BindingMode &mode, const FunctionRecord &record, int status) {
    has_succeeded(mode, record, status);
    return status_alone(mode, record, status);
}

} // namespace pygpu
