// Loading the library before a call, and calls that are refused.
#include "call/prepare.hpp"

namespace pygpu {

bool prepare(const BindingMode &mode, const FunctionRecord &record, int &status) {
    if (mode.since == BindingMode::never) {
        status = record.api.statuses.not_supported;
        return true;
    }
    if (record.gil == Gil::release && waits_may_never_end()) {
        status = record.api.statuses.not_permitted;
        return true;
    }
    // Before conversion: finding the library may run Python code, and decides how structs are laid out.
    if (!record.api.ready() && !ensure_loaded(record.api, record.name, mode.host)) return false;
    if (mode.since && record.api.ready() && record.api.release_number < mode.since) {
        status = record.api.statuses.not_supported;
        return true;
    }
    if (has_postponed()) do_postponed();
    return true;
}

} // namespace pygpu
