// What comes before a call's arguments are converted, and after C has answered: the same code for all
// functions.
#pragma once

#include "binding/function_record.hpp"
#include "binding/mode.hpp"
#include "python/exit.hpp"
#include "python/later.hpp"
#include "runtime/api.hpp"

#include <Python.h>

#include <atomic>
#include <cstddef>

namespace pygpu {

// How many outputs stand beside the status; `no_status` for a function that gives none.
inline constexpr std::size_t no_status = static_cast<std::size_t>(-1);

// Most calls need nothing of what prepare() does. One hint for each, so that the usual way has no jump.
inline bool needs_preparing(const BindingMode &mode, const FunctionRecord &record) {
    if (!record.api.ready()) [[unlikely]]
        return true;
    if (mode.since || has_postponed()) [[unlikely]]
        return true;
    return record.gil == Gil::release && waits_may_never_end();
}

// Loads the library, and does what finalisers postponed. False for a call that isn't made: `refusal` is then
// what it returns, null with an exception set.
bool prepare(const BindingMode &mode, const FunctionRecord &record, std::size_t outputs, PyObject *&refusal);

// Whether the call succeeded; to be asked once C has answered.
inline bool has_succeeded(const FunctionRecord &record, int status) {
    const bool success = record.api.statuses.succeeded(status);
    // Only a call that can wait and went through has started the driver.
    if (record.gil == Gil::release && success) record.api.called.store(true, std::memory_order_relaxed);
    return success;
}

} // namespace pygpu
