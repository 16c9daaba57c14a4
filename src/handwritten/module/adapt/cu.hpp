// Adaptors from today's forms to the older forms of an older CUDA driver, as in cuda.hpp.
#pragma once

#include "cuda_driver/entries.hpp"
#include "cuda_driver/traits.hpp"
#include "module/adapt/older.hpp"

namespace pygpu::cu::adapt {

inline CUresult cuCtxCreate_until_12_9(CUcontext *pctx, CUctxCreateParams *ctxCreateParams,
                                       unsigned int flags, CUdevice dev) {
    if (!ctxCreateParams) return entries.cuCtxCreate_until_12_9(pctx, flags, dev);
    // The parameters for graphics interop (cigParams) are newer than cuCtxCreate_v3, which limits processors.
    if (ctxCreateParams->cigParams) return static_cast<CUresult>(api.statuses.not_supported);
    return entries.cuCtxCreate_v3(pctx, ctxCreateParams->execAffinityParams,
                                  ctxCreateParams->numExecAffinityParams, flags, dev);
}

inline constexpr auto cuGraphExecUpdate_until_11_8 = [](auto... arguments) {
    return update_exec(entries.cuGraphExecUpdate_until_11_8, arguments...);
};
inline constexpr auto cuMemAdvise_until_12_9 = [](auto... arguments) {
    return advise(api, entries.cuMemAdvise_until_12_9, arguments...);
};

} // namespace pygpu::cu::adapt
