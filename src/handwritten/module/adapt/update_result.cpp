// What Python sees of the struct: CUDA's names, HIP's enumerators and handles.
#include "module/adapt/update_result.hpp"

#include "cuda_runtime/traits.hpp"
#include "hip_runtime/names.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pygpu {
namespace hip::portable {
namespace {

constexpr Field node(const char *name, std::uint32_t offset) {
    return {.name = name,
            .type = "cudaGraphNode_t",
            .offset = offset,
            .size = sizeof(hipGraphNode_t),
            .index = handle_at::hipGraphNode_t,
            .role = Role::handle};
}

constexpr Field fields[] = {
    {.name = "result",
     .type = "cudaGraphExecUpdateResult",
     .offset = offsetof(UpdateResult, result),
     .size = sizeof(UpdateResult::result),
     .index = enum_at::hipGraphExecUpdateResult,
     .scalar = Scalar::u32,
     .role = Role::enumeration},
    node("errorNode", offsetof(UpdateResult, errorNode)),
    node("errorFromNode", offsetof(UpdateResult, errorFromNode)),
};
constexpr Layout layouts[] = {{sizeof(UpdateResult), fields}};

// A pickle of it is one of CUDA's.
const StructTables tables{"PyGPU", cuda::api, enums, handles, structs};

} // namespace

StructClass *struct_named(const char *cuda) {
    const std::string_view name(cuda);
    const bool known = name == "cudaGraphExecUpdateResultInfo" || name == "cudaGraphExecUpdateResultInfo_st";
    return known ? &struct_class<UpdateResult>() : nullptr;
}

} // namespace hip::portable

template <> StructClass &struct_class<hip::portable::UpdateResult>() {
    static StructClass only{hip::portable::tables, "cudaGraphExecUpdateResultInfo",
                            "cudaGraphExecUpdateResultInfo_st", StructClass::Kind::plain,
                            hip::portable::layouts};
    return only;
}

} // namespace pygpu
