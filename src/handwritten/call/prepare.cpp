// Loading the library before a call, and calls that are refused.
#include "call/prepare.hpp"

#include "call/outcome.hpp"

namespace pygpu {
namespace {

// Gives the status of a call that isn't made, 0 for one that is. False with the exception set.
bool find_status(const BindingMode &mode, const FunctionRecord &record, int &status) {
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

} // namespace

bool prepare(const BindingMode &mode, const FunctionRecord &record, std::size_t outputs, PyObject *&refusal) {
    refusal = nullptr;
    int status = 0;
    if (!find_status(mode, record, status)) return false;
    if (!status) return true;
    refusal =
        outputs == no_status ? raise_absent(mode, record, status) : failure(mode, record, status, outputs);
    return false;
}

} // namespace pygpu
