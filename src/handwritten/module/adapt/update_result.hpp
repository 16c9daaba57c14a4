// CUDA's struct with the result of updating an executable graph, on HIP. HIP's function has separate outputs
// for its members.
#pragma once

#include "hip_runtime/traits.hpp"

namespace pygpu {
namespace hip::portable {

// The members of cudaGraphExecUpdateResultInfo. HIP doesn't give errorFromNode.
struct UpdateResult {
    hipGraphExecUpdateResult result;
    hipGraphNode_t errorNode;
    hipGraphNode_t errorFromNode;
};

// The class for a struct of CUDA with this name, borrowed; null for another name.
PyTypeObject *own_struct(const char *cuda);

} // namespace hip::portable

template <> inline constexpr bool is_c_struct<hip::portable::UpdateResult> = true;
template <> StructClass &struct_class<hip::portable::UpdateResult>();

} // namespace pygpu
