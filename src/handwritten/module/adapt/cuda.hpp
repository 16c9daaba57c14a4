// Today's forms on a CUDA runtime that has older ones, where the generator can't compose them.
//
// Each has the newest prototype and calls the form that ended with the release in its name; the loader puts
// it where the library's own function would be. What the older form can't express is ErrorNotSupported.
#pragma once

#include "cuda_runtime/entries.hpp"
#include "cuda_runtime/traits.hpp"
#include "module/adapt/older.hpp"

namespace pygpu::cuda::adapt {

inline constexpr auto cudaGraphExecUpdate_until_11_8 = [](auto... given) {
    return update_exec(entries.cudaGraphExecUpdate_until_11_8, given...);
};
inline constexpr auto cudaMemAdvise_until_12_9 = [](auto... given) {
    return advise(api, entries.cudaMemAdvise_until_12_9, given...);
};

} // namespace pygpu::cuda::adapt
