// CUDA's struct of what updating an executable graph came to, on HIP, whose function gives its members.
#pragma once

#include "hip_runtime/traits.hpp"

namespace pygpu {
namespace hip::portable {

// As cudaGraphExecUpdateResultInfo has them. HIP doesn't tell where an edge came from.
struct UpdateResult {
    hipGraphExecUpdateResult result;
    hipGraphNode_t errorNode;
    hipGraphNode_t errorFromNode;
};

// The class of this name that stands for CUDA's, borrowed; null for another name.
PyTypeObject *own_struct(const char *cuda);

} // namespace hip::portable

template <> inline constexpr bool is_c_struct<hip::portable::UpdateResult> = true;
template <> StructClass &struct_class<hip::portable::UpdateResult>();

} // namespace pygpu
