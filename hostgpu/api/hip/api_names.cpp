// The numbers that AMD's tracers give the functions: hipamd/include/hip/amd_detail/hip_prof_str.h of
// ROCm/clr, as of ROCm 6. Later releases only add numbers.
#include "api/hip/implemented.hpp"

#include <iterator>

namespace pygpu::host::hip {
namespace {

constexpr const char *names[] = {
#include "api/hip/api_names.inc"
};

} // namespace

const char *ApiName(unsigned number) {
    const char *name = number && number <= std::size(names) ? names[number - 1] : nullptr;
    return name ? name : "unknown";
}

} // namespace pygpu::host::hip
