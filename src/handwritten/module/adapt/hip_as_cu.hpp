// The CUDA driver's forms of functions on HIP, for functions of HIP that have other parameters or outputs.
//
// As in hip_as_cuda.hpp. If both APIs have the same form, the functions here call the ones there.
#pragma once

#include "hip_runtime/context.hpp"
#include "hip_runtime/error.hpp"
#include "hip_runtime/memory.hpp"
#include "hip_runtime/occupancy.hpp"
#include "hip_runtime/stream_m.hpp"
#include "module/adapt/hip_as_cuda.hpp"

#include <cstdint>

namespace pygpu::hip {

extern PortableApi portable_cu;

namespace portable {

inline Outputs<hipCtx_t, hipError_t> cuCtxCreate(Unexpressed ctxCreateParams, unsigned int flags,
                                                 hipDevice_t dev) {
    if (ctxCreateParams.is_set) return {nullptr, unsupported};
    return hipCtxCreate(flags, dev);
}

inline hipError_t cuEventRecordWithFlags(hipEvent_t hEvent, hipStream_t hStream, unsigned int flags) {
    return cudaEventRecordWithFlags(hEvent, hStream, flags);
}

// CUDA's name for HIP's code, as the error object has it.
inline Outputs<const char *, hipError_t> cuGetErrorName(hipError_t error) {
    const StatusType *errors = portable_cu.errors();
    const char *name = errors ? errors->code_name(static_cast<int>(error)) : nullptr;
    return {name, name ? hipSuccess : hipErrorInvalidValue};
}

inline hipError_t cuGraphAddDependencies(hipGraph_t hGraph, Array<Node> from, Array<Node> to,
                                         Unexpressed edgeData, size_t numDependencies) {
    return cudaGraphAddDependencies(hGraph, from, to, edgeData, numDependencies);
}

inline hipError_t cuGraphRemoveDependencies(hipGraph_t hGraph, Array<Node> from, Array<Node> to,
                                            Unexpressed edgeData, size_t numDependencies) {
    return cudaGraphRemoveDependencies(hGraph, from, to, edgeData, numDependencies);
}

inline Outputs<Node, Received<hipGraphNodeParams>, hipError_t>
cuGraphAddNode(hipGraph_t hGraph, Array<Node> dependencies, Unexpressed dependencyData,
               size_t numDependencies, Received<hipGraphNodeParams> nodeParams) {
    return cudaGraphAddNode(hGraph, dependencies, dependencyData, numDependencies, nodeParams);
}

inline Outputs<Nodes, Nodes, Lacking, hipError_t> cuGraphGetEdges(hipGraph_t hGraph, Count<size_t> numEdges) {
    return cudaGraphGetEdges(hGraph, numEdges);
}

inline Outputs<hipGraphExec_t, hipError_t> cuGraphInstantiate(hipGraph_t hGraph, unsigned long long flags) {
    return hipGraphInstantiateWithFlags(hGraph, flags);
}

inline hipError_t cuGraphKernelNodeCopyAttributes(Node dst, Node src) {
    return cudaGraphKernelNodeCopyAttributes(dst, src);
}

inline Outputs<Nodes, Lacking, hipError_t> cuGraphNodeGetDependencies(Node hNode,
                                                                      Count<size_t> numDependencies) {
    return cudaGraphNodeGetDependencies(hNode, numDependencies);
}

inline Outputs<Nodes, Lacking, hipError_t> cuGraphNodeGetDependentNodes(Node hNode,
                                                                        Count<size_t> numDependentNodes) {
    return cudaGraphNodeGetDependentNodes(hNode, numDependentNodes);
}

inline hipError_t cuMemAdvise(Address devPtr, size_t count, hipMemoryAdvise advice, hipMemLocation location) {
    return cudaMemAdvise(devPtr, count, advice, location);
}

inline hipError_t cuMemPrefetchAsync(Address devPtr, size_t count, hipMemLocation location,
                                     unsigned int flags, hipStream_t hStream) {
    return cudaMemPrefetchAsync(devPtr, count, location, flags, hStream);
}

// CUDA finds out by the addresses where memory lies.
inline hipError_t cuMemcpy(Writable dst, Readable src, size_t ByteCount) {
    return entries.hipMemcpy(dst, src, ByteCount, hipMemcpyDefault);
}

inline hipError_t cuMemcpyAsync(Writable dst, Readable src, size_t ByteCount, hipStream_t hStream) {
    return entries.hipMemcpyAsync(dst, src, ByteCount, hipMemcpyDefault, hStream);
}

inline hipError_t cuMemsetD32(Writable dstDevice, unsigned int ui, size_t N) {
    return entries.hipMemsetD32(dstDevice, static_cast<int>(ui), N);
}

inline hipError_t cuMemsetD32Async(Writable dstDevice, unsigned int ui, size_t N, hipStream_t hStream) {
    return entries.hipMemsetD32Async(dstDevice, static_cast<int>(ui), N, hStream);
}

inline Outputs<int, int, hipError_t> cuOccupancyMaxPotentialBlockSize(hipFunction_t func,
                                                                      Address blockSizeToDynamicSMemSize,
                                                                      size_t dynamicSMemSize,
                                                                      int blockSizeLimit) {
    if (static_cast<const void *>(blockSizeToDynamicSMemSize)) return {0, 0, unsupported};
    return hipModuleOccupancyMaxPotentialBlockSize(func, dynamicSMemSize, blockSizeLimit);
}

inline Outputs<int, int, hipError_t>
cuOccupancyMaxPotentialBlockSizeWithFlags(hipFunction_t func, Address blockSizeToDynamicSMemSize,
                                          size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags) {
    if (static_cast<const void *>(blockSizeToDynamicSMemSize)) return {0, 0, unsupported};
    return hipModuleOccupancyMaxPotentialBlockSizeWithFlags(func, dynamicSMemSize, blockSizeLimit, flags);
}

inline Outputs<hipStreamCaptureStatus, unsigned long long, hipGraph_t, Nodes, Lacking, hipError_t>
cuStreamGetCaptureInfo(hipStream_t hStream) {
    return cudaStreamGetCaptureInfo(hStream);
}

inline hipError_t cuStreamUpdateCaptureDependencies(hipStream_t hStream, Array<Node> dependencies,
                                                    Unexpressed dependencyData, size_t numDependencies,
                                                    unsigned int flags) {
    return cudaStreamUpdateCaptureDependencies(hStream, dependencies, dependencyData, numDependencies, flags);
}

// CUDA compares all bits.
inline hipError_t cuStreamWaitValue32(hipStream_t stream, Readable addr, std::uint32_t value,
                                      unsigned int flags) {
    return hipStreamWaitValue32(stream, addr, value, flags, UINT32_MAX);
}

inline hipError_t cuStreamWaitValue64(hipStream_t stream, Readable addr, std::uint64_t value,
                                      unsigned int flags) {
    return hipStreamWaitValue64(stream, addr, value, flags, UINT64_MAX);
}

} // namespace portable
} // namespace pygpu::hip
