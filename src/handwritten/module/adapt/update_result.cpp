// The Python class of the struct: CUDA's names with HIP's enumerators and handles.
#include "module/adapt/update_result.hpp"

#include "cuda_runtime/traits.hpp"
#include "hip_runtime/names.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pygpu {
namespace hip::portable {
namespace {

constexpr FieldRow node(std::uint32_t offset) {
    return {{.offset = offset,
             .size = sizeof(hipGraphNode_t),
             .index = handle_at::hipGraphNode_t,
             .role = Role::handle}};
}

constexpr FieldRow fields[] = {
    {{.offset = offsetof(UpdateResult, result),
      .size = sizeof(UpdateResult::result),
      .index = enum_at::hipGraphExecUpdateResult,
      .scalar = Scalar::u32,
      .role = Role::enumeration}},
    node(offsetof(UpdateResult, errorNode)),
    node(offsetof(UpdateResult, errorFromNode)),
};
constexpr FieldTable table = {fields, "result\0cudaGraphExecUpdateResult\0"
                                      "errorNode\0cudaGraphNode_t\0"
                                      "errorFromNode\0cudaGraphNode_t\0"};
constexpr Layout layouts[] = {{sizeof(UpdateResult), {}}};

// Its pickle is the same as a pickle of CUDA's struct.
const StructTables tables{"PyGPU", cuda::api, enums, handles, structs};

} // namespace

PyTypeObject *own_struct(const char *cuda) {
    const std::string_view name(cuda);
    const bool known = name == "cudaGraphExecUpdateResultInfo" || name == "cudaGraphExecUpdateResultInfo_st";
    return known ? struct_class<UpdateResult>().type() : nullptr;
}

} // namespace hip::portable

template <> StructClass &struct_class<hip::portable::UpdateResult>() {
    static StructClass only{hip::portable::tables,
                            "cudaGraphExecUpdateResultInfo",
                            "cudaGraphExecUpdateResultInfo_st",
                            StructClass::Members::plain,
                            hip::portable::table,
                            hip::portable::layouts};
    return only;
}

} // namespace pygpu
