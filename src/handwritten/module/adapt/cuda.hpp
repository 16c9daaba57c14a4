// Adaptors from today's forms of functions to the older forms of an older CUDA runtime. Only those that the
// generator can't compose are here.
//
// Each adaptor has the newest prototype, and calls the form that ended with the release in its name. The
// loader uses it instead of the library's own function. If the older form can't express the arguments, the
// adaptor returns ErrorNotSupported.
#pragma once

#include "cuda_runtime/entries.hpp"
#include "cuda_runtime/traits.hpp"
#include "module/adapt/older.hpp"

namespace pygpu::cuda::adapt {

inline constexpr auto cudaGraphExecUpdate_until_11_8 = [](auto... arguments) {
    return update_exec(entries.cudaGraphExecUpdate_until_11_8, arguments...);
};
inline constexpr auto cudaMemAdvise_until_12_9 = [](auto... arguments) {
    return advise(api, entries.cudaMemAdvise_until_12_9, arguments...);
};

} // namespace pygpu::cuda::adapt
