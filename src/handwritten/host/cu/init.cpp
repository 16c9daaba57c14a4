// The driver API's beginning, its version, its codes, and its functions by name.
#include "host/cu/implemented.hpp"

#include "cuda_driver/enumerators.hpp"
#include "host/core/device.hpp"
#include "host/core/error_texts.hpp"
#include "host/core/guard.hpp"
#include "host/core/process.hpp"

#include <dlfcn.h>
#include <string_view>

namespace pygpu::host::cu {
namespace {

// The address of a function of this library.
void *own_symbol(const char *name) {
    static void *const library = [] {
        Dl_info here{};
        return dladdr(&exported, &here) ? dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    }();
    return library ? dlsym(library, name) : nullptr;
}

} // namespace

Status Init(unsigned flags) {
    if (flags) return Status::invalid_value;
    if (!device_count()) return Status::no_device;
    process.begin();
    process.initialized = true;
    return Status::success;
}

Status DriverGetVersion(int *version) {
    if (!version) return Status::invalid_value;
    *version = c::release_number;
    return Status::success;
}

Status GetErrorName(int code, const char **name) {
    if (!name) return Status::invalid_value;
    const ErrorText *found = find_error(error_texts, code);
    *name = found ? found->name : nullptr;
    return found ? Status::success : Status::invalid_value;
}

Status GetErrorString(int code, const char **text) {
    if (!text) return Status::invalid_value;
    const ErrorText *found = find_error(error_texts, code);
    *text = found ? found->text : nullptr;
    return found ? Status::success : Status::invalid_value;
}

// There is only the newest form of each function: a request for an older version finds none.
Status GetProcAddress(const char *symbol, void **function, int version, unsigned long long flags,
                      int *found) {
    constexpr auto known = static_cast<unsigned long long>(c::CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) |
                           static_cast<unsigned long long>(c::CU_GET_PROC_ADDRESS_LEGACY_STREAM);
    if (!symbol || !function || flags & ~known) return Status::invalid_value;
    const bool per_thread = flags & static_cast<unsigned>(c::CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    const Call *best = nullptr;
    for (const Call *one = exported; one->symbol; ++one) {
        if (one->name() != std::string_view(symbol)) continue;
        if (!best || one->per_thread == per_thread) best = one;
    }
    const bool too_old = best && version < best->since;
    *function = best && !too_old ? own_symbol(best->symbol) : nullptr;
    const auto told = !best     ? c::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
                      : too_old ? c::CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                : c::CU_GET_PROC_ADDRESS_SUCCESS;
    if (found) *found = static_cast<int>(told);
    return Status::success; // an H200's driver returns it even for an unknown name
}

} // namespace pygpu::host::cu
