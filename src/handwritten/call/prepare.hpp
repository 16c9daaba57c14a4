// What comes before a call's arguments are converted. Most calls need nothing of it.
#pragma once

#include "binding/function_record.hpp"
#include "binding/mode.hpp"
#include "python/exit.hpp"
#include "python/later.hpp"
#include "runtime/api.hpp"

namespace pygpu {

// One hint for each, so that the usual way has no jump.
inline bool needs_preparing(const BindingMode &mode, const FunctionRecord &record) {
    if (!record.api.ready()) [[unlikely]]
        return true;
    if (mode.since || has_postponed()) [[unlikely]]
        return true;
    return record.gil == Gil::release && waits_may_never_end();
}

// Loads the library, does what finalisers postponed, and gives the status of a call that isn't made, 0 for
// one that is. False with the exception set.
bool prepare(const BindingMode &mode, const FunctionRecord &record, int &status);

} // namespace pygpu
