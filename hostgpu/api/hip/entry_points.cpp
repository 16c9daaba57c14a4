// HIP's functions by name.
#include "api/hip/implemented.hpp"

#include "base/own_library.hpp"

#include <string>
#include <string_view>

namespace pygpu::host::hip {
namespace {

enum Found { found, not_found };
constexpr int newest = 701;

// The form for the default stream of each thread has a suffix, where there is one.
void *function_named(const std::string &symbol, bool per_thread) {
    if (!symbol.starts_with("hip")) return nullptr; // other exports are no part of HIP
    void *const of_thread = per_thread ? own_symbol((symbol + "_spt").c_str()) : nullptr;
    return of_thread ? of_thread : own_symbol(symbol.c_str());
}

// Two functions have another form since release 6. `version` is 100 times the major, plus the minor.
std::string symbol_of(const std::string &name, int version) {
    const bool has_forms = name == "hipGetDeviceProperties" || name == "hipChooseDevice";
    return has_forms && version >= 600 ? name + "R0600" : name;
}

Status look_up(const char *symbol, void **function, int version, unsigned long long flags, int *outcome) {
    constexpr unsigned long long legacy = 1, per_thread = 2;
    if (!symbol || !*symbol || !function || flags & ~(legacy | per_thread)) return Status::invalid_value;
    *function = function_named(symbol_of(symbol, version), flags & per_thread);
    if (outcome) *outcome = *function ? found : not_found;
    return *function ? Status::success : Status::invalid_value;
}

} // namespace

Status GetProcAddress(const char *symbol, void **function, int version, unsigned long long flags,
                      int *outcome) {
    return look_up(symbol, function, version, flags, outcome);
}

Status GetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *outcome) {
    return look_up(symbol, function, newest, flags, outcome);
}

} // namespace pygpu::host::hip
