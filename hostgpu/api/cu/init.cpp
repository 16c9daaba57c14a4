// The driver API's beginning, its version, its codes, and its functions by name.
#include "api/cu/implemented.hpp"

#include "api/cu/old_forms.hpp"
#include "base/error_texts.hpp"
#include "base/own_library.hpp"
#include "base/process.hpp"
#include "cuda_driver/enumerators.hpp"
#include "device/device.hpp"
#include "guard/guard.hpp"
#include "host_apis.hpp"

#include <algorithm>
#include <climits>
#include <string_view>

namespace pygpu::host::cu {
namespace {

// "cuMemcpyHtoD" of "cuMemcpyHtoD_v2_ptds": how a program asks for a function.
std::string_view asked_as(std::string_view symbol) {
    if (symbol.ends_with("_ptsz") || symbol.ends_with("_ptds")) symbol.remove_suffix(5);
    const std::size_t number = symbol.rfind("_v");
    return number == symbol.npos || number + 3 != symbol.size() ? symbol : symbol.substr(0, number);
}

// The form of a function that a release of the driver had; one of another release where that one had none;
// null for an unknown function. `since` gets the release that brought it. The first of the present forms
// follows the last old form at once, though its own `since` may name a later release, whose headers were
// read.
const Call *form_of(std::string_view name, int version, bool per_thread, int &since) {
    const Call *best = nullptr;
    int ended = 0, first = INT_MAX;
    const auto consider = [&](const Call &one, int its_since) {
        if (asked_as(one.symbol) != name || (one.until && version >= one.until)) return;
        const bool there = its_since <= version, best_there = since <= version;
        const bool better = there != best_there ? there : there ? its_since > since : its_since < since;
        if (best && (its_since == since ? one.per_thread != per_thread : !better)) return;
        best = &one;
        since = its_since;
    };
    for (const Call *one = old_forms; one->symbol; ++one) {
        if (asked_as(one->symbol) == name) ended = std::max(ended, one->until);
        consider(*one, one->since);
    }
    for (const Call *one = exported; one->symbol; ++one) {
        if (asked_as(one->symbol) == name) first = std::min(first, one->since);
    }
    for (const Call *one = exported; one->symbol; ++one)
        consider(*one, ended && one->since == first ? ended : one->since);
    return best;
}

} // namespace

Status Init(unsigned flags) {
    if (flags) return Status::invalid_value;
    if (!device_count()) return no_device();
    begin_use();
    process.initialized = true;
    return Status::success;
}

Status DriverGetVersion(int *version) {
    if (!version) return Status::invalid_value;
    *version = release_number;
    return Status::success;
}

Status GetErrorName(int code, const char **name) {
    if (!name) return Status::invalid_value;
    const ErrorText *entry = find_error(error_texts, code);
    *name = entry ? entry->name : nullptr;
    return entry ? Status::success : Status::invalid_value;
}

Status GetErrorString(int code, const char **text) {
    if (!text) return Status::invalid_value;
    const ErrorText *entry = find_error(error_texts, code);
    *text = entry ? entry->text : nullptr;
    return entry ? Status::success : Status::invalid_value;
}

// An H200's driver returns success even for an unknown name.
Status GetProcAddress(const char *symbol, void **function, int version, unsigned long long flags,
                      int *query_result) {
    constexpr auto known = static_cast<unsigned long long>(c::CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) |
                           static_cast<unsigned long long>(c::CU_GET_PROC_ADDRESS_LEGACY_STREAM);
    if (!symbol || !function || flags & ~known || version > release_number) return Status::invalid_value;
    const bool per_thread = flags & static_cast<unsigned>(c::CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    int since = 0;
    const Call *best = form_of(symbol, version, per_thread, since);
    const bool too_old = best && version < since;
    *function = best && !too_old ? own_symbol(best->symbol) : nullptr;
    const auto reported = !best     ? c::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
                          : too_old ? c::CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                    : c::CU_GET_PROC_ADDRESS_SUCCESS;
    if (query_result) *query_result = static_cast<int>(reported);
    return Status::success;
}

} // namespace pygpu::host::cu
