// Exports the old forms of the driver's functions. Types: cuda.h of CUDA 13.0, where it defines
// __CUDA_API_VERSION_INTERNAL. Codes: what an H200's driver 13.0 answers.
#include "api/cu/old_forms.hpp"

#include "api/cu/implemented.hpp"
#include "api/cu/translate.hpp"
#include "cuda_driver/enumerators.hpp"
#include "guard/guard.hpp"

#include <algorithm>
#include <climits>

namespace pygpu::cu {

using CUdeviceptr_v1 = unsigned;
struct CUDA_MEMCPY2D_v1;
struct CUDA_MEMCPY3D_v1;
struct CUDA_ARRAY_DESCRIPTOR_v1;
struct CUDA_ARRAY3D_DESCRIPTOR_v1;

struct CUDA_KERNEL_NODE_PARAMS_v1 {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ;
    unsigned blockDimX, blockDimY, blockDimZ;
    unsigned sharedMemBytes;
    void **kernelParams;
    void **extra;
};
static_assert(sizeof(CUDA_KERNEL_NODE_PARAMS_v1) == 56);

} // namespace pygpu::cu

namespace pygpu::host::cu {
namespace {

// The forms of before CUDA 3.2 have addresses and sizes of 32 bits. They work in contexts with such
// addresses, which no device of more memory can have: the functions return this, and set their results to 0.
template <class... Results> Status no_narrow_context(Results *...results) {
    ((results ? void(*results = {}) : void()), ...);
    return Status::invalid_context;
}

Status CtxCreate_v1(c::CUcontext *context) {
    return context ? Status::memory_allocation : Status::invalid_value;
}

Status DeviceTotalMem_v1(unsigned *bytes, int device) {
    std::size_t all = 0;
    const Status status = DeviceTotalMem(bytes ? &all : nullptr, device);
    if (status == Status::success) *bytes = static_cast<unsigned>(std::min<std::size_t>(all, UINT_MAX));
    return status;
}

// A place by number: the host's is -1 (CU_DEVICE_CPU).
Location place_of(int number) { return number < 0 ? Location{on_host, 0} : Location{on_device, number}; }

// An unknown function's address stays as it is.
Status GetProcAddress_v1(const char *symbol, void **function, int version, unsigned long long flags) {
    void *address = nullptr;
    int query_result = 0;
    const Status status =
        GetProcAddress(symbol, function ? &address : nullptr, version, flags, &query_result);
    if (status != Status::success) return status;
    if (!address) return Status::not_found;
    *function = address;
    return Status::success;
}

Status GraphInstantiate_v1(ExecutableTag **executable, GraphTag *graph, c::CUgraphNode *node, char *log,
                           std::size_t size) {
    if (node) *node = nullptr;
    if (log && size) *log = '\0';
    return GraphInstantiateWithFlags(executable, graph, 0);
}

Status GraphExecUpdate_v1(ExecutableTag *executable, GraphTag *graph, c::CUgraphNode *node,
                          c::CUgraphExecUpdateResult *result) {
    if (!result) return Status::invalid_value;
    c::CUgraphExecUpdateResultInfo info{};
    const Status status = GraphExecUpdate(executable, graph, &info);
    *result = info.result;
    if (node) *node = info.errorNode;
    return status;
}

// Calls with the present form of a kernel's node: neither a kernel of any context nor a context is there.
template <class Call> Status widened(const c::CUDA_KERNEL_NODE_PARAMS_v1 *parameters, Call call) {
    if (!parameters) return call(static_cast<const c::CUDA_KERNEL_NODE_PARAMS *>(nullptr));
    const c::CUDA_KERNEL_NODE_PARAMS wide{parameters->func,
                                          parameters->gridDimX,
                                          parameters->gridDimY,
                                          parameters->gridDimZ,
                                          parameters->blockDimX,
                                          parameters->blockDimY,
                                          parameters->blockDimZ,
                                          parameters->sharedMemBytes,
                                          parameters->kernelParams,
                                          parameters->extra,
                                          nullptr,
                                          nullptr};
    return call(&wide);
}

enum Form {
#define OLD(symbol, ...) symbol##_form,
#include "api/cu/old_forms.inc"
#undef OLD
};

} // namespace
} // namespace pygpu::host::cu

namespace pygpu::cu {

using namespace host::cu;
using host::Status, host::wait_32, host::wait_64, host::write_32, host::write_64;

#define OLD(symbol, name, since, until, guard, per_thread, parameters, call)                                 \
    extern "C" __attribute__((visibility("default"))) CUresult symbol parameters {                           \
        return host::guarded<CUresult>(old_forms[symbol##_form], [&] { return call; });                      \
    }
#include "api/cu/old_forms.inc"
#undef OLD

} // namespace pygpu::cu

namespace pygpu::host::cu {

#define OLD(symbol, name, since, until, guard, per_thread, ...)                                              \
    {#symbol, #name, Vendor::cu, Guard::guard, per_thread, true, since, until},
constinit const Call old_forms[] = {
#include "api/cu/old_forms.inc"
    {},
};
#undef OLD

} // namespace pygpu::host::cu
