// The driver API's functions by name, as the runtime gives them.
#include "api/cuda/implemented.hpp"

#include "api/cu/entry_points.hpp"
#include "base/call.hpp"
#include "cuda_runtime/enumerators.hpp"

namespace pygpu::host::cuda {

Status GetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                    unsigned long long flags, int *query_result) {
    if (!flags) // by default as the caller was compiled
        flags = static_cast<unsigned>(thread().per_thread ? c::cudaEnablePerThreadDefaultStream
                                                          : c::cudaEnableLegacyStream);
    return cu::GetProcAddress(symbol, function, static_cast<int>(version), flags, query_result);
}

// Programs of CUDA 13 have no such function, so the form is that of the last release before.
Status GetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *query_result) {
    return GetDriverEntryPointByVersion(symbol, function, 12090, flags, query_result);
}

} // namespace pygpu::host::cuda
