// What CUDA's attributes and properties say of a host device.
#include "host/cuda/implemented.hpp"

#include "cuda_runtime/enumerators.hpp"
#include "host/core/device.hpp"
#include "host/core/facts.hpp"

#include <cstring>

namespace pygpu::host::cuda {
namespace {

int as_int(c::cudaDeviceAttr attribute) { return static_cast<int>(attribute); }

// What isn't listed a host device hasn't got: 0.
int attribute_of(int attribute, int device) {
    const Facts &all = facts();
    switch (static_cast<c::cudaDeviceAttr>(attribute)) {
    case c::cudaDevAttrMaxThreadsPerBlock:
        return all.threads;
    case c::cudaDevAttrMaxBlockDimX:
        return all.threads;
    case c::cudaDevAttrMaxBlockDimY:
        return all.threads;
    case c::cudaDevAttrMaxBlockDimZ:
        return all.block_z;
    case c::cudaDevAttrMaxGridDimX:
        return all.grid_x;
    case c::cudaDevAttrMaxGridDimY:
        return all.grid_yz;
    case c::cudaDevAttrMaxGridDimZ:
        return all.grid_yz;
    case c::cudaDevAttrMaxSharedMemoryPerBlock:
        return all.shared;
    case c::cudaDevAttrTotalConstantMemory:
        return all.constant;
    case c::cudaDevAttrWarpSize:
        return all.warp;
    case c::cudaDevAttrMaxPitch:
        return all.pitch;
    case c::cudaDevAttrMaxRegistersPerBlock:
        return all.registers;
    case c::cudaDevAttrClockRate:
        return all.clock_khz;
    case c::cudaDevAttrTextureAlignment:
        return all.alignment;
    case c::cudaDevAttrGpuOverlap:
        return 1;
    case c::cudaDevAttrMultiProcessorCount:
        return all.cores;
    case c::cudaDevAttrIntegrated:
        return 0;
    case c::cudaDevAttrCanMapHostMemory:
        return 1;
    case c::cudaDevAttrMaxTexture1DWidth:
        return all.texture_1d;
    case c::cudaDevAttrMaxTexture2DWidth:
        return all.texture_2d;
    case c::cudaDevAttrMaxTexture2DHeight:
        return all.texture_2d;
    case c::cudaDevAttrMaxTexture3DWidth:
        return all.texture_3d;
    case c::cudaDevAttrMaxTexture3DHeight:
        return all.texture_3d;
    case c::cudaDevAttrMaxTexture3DDepth:
        return all.texture_3d;
    case c::cudaDevAttrMaxTexture2DLayeredWidth:
        return all.texture_2d;
    case c::cudaDevAttrMaxTexture2DLayeredHeight:
        return all.texture_2d;
    case c::cudaDevAttrMaxTexture2DLayeredLayers:
        return all.layers;
    case c::cudaDevAttrSurfaceAlignment:
        return all.alignment;
    case c::cudaDevAttrConcurrentKernels:
        return 1;
    case c::cudaDevAttrL2CacheSize:
        return all.cache_bytes;
    case c::cudaDevAttrMaxThreadsPerMultiProcessor:
        return all.threads;
    case c::cudaDevAttrAsyncEngineCount:
        return 1;
    case c::cudaDevAttrUnifiedAddressing:
        return 1;
    case c::cudaDevAttrTexturePitchAlignment:
        return all.pitch_alignment;
    case c::cudaDevAttrStreamPrioritiesSupported:
        return 1;
    case c::cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return all.shared;
    case c::cudaDevAttrMaxRegistersPerMultiprocessor:
        return all.registers;
    case c::cudaDevAttrManagedMemory:
        return 1;
    case c::cudaDevAttrPageableMemoryAccess:
        return 0;
    case c::cudaDevAttrConcurrentManagedAccess:
        return 1;
    case c::cudaDevAttrCanUseHostPointerForRegisteredMem:
        return 1;
    case c::cudaDevAttrHostRegisterSupported:
        return 1;
    case c::cudaDevAttrMaxBlocksPerMultiprocessor:
        return 1;
    case c::cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return all.shared;
    case c::cudaDevAttrMemoryPoolsSupported:
        return 1;
    case c::cudaDevAttrHostNumaId:
        return -1;
    case c::cudaDevAttrPciBusId:
        return device + 1;
    default:
        return 0;
    }
}

void fill(c::cudaDeviceProp &to, int device) {
    const Facts &all = facts();
    device_name(device, to.name, sizeof to.name);
    unsigned char uuid[16];
    device_uuid(device, uuid);
    std::memcpy(to.uuid.bytes, uuid, sizeof uuid);
    to.totalGlobalMem = all.memory;
    to.sharedMemPerBlock = to.sharedMemPerMultiprocessor = to.sharedMemPerBlockOptin =
        static_cast<size_t>(all.shared);
    to.regsPerBlock = to.regsPerMultiprocessor = all.registers;
    to.warpSize = all.warp;
    to.memPitch = static_cast<size_t>(all.pitch);
    to.maxThreadsPerBlock = to.maxThreadsPerMultiProcessor = all.threads;
    to.maxThreadsDim[0] = to.maxThreadsDim[1] = all.threads;
    to.maxThreadsDim[2] = all.block_z;
    to.maxGridSize[0] = all.grid_x;
    to.maxGridSize[1] = to.maxGridSize[2] = all.grid_yz;
    to.totalConstMem = static_cast<size_t>(all.constant);
    to.textureAlignment = to.surfaceAlignment = static_cast<size_t>(all.alignment);
    to.texturePitchAlignment = static_cast<size_t>(all.pitch_alignment);
    to.multiProcessorCount = all.cores;
    to.maxTexture1D = all.texture_1d;
    to.maxTexture2D[0] = to.maxTexture2D[1] = all.texture_2d;
    to.maxTexture3D[0] = to.maxTexture3D[1] = to.maxTexture3D[2] = all.texture_3d;
    to.maxTexture2DLayered[0] = to.maxTexture2DLayered[1] = all.texture_2d;
    to.maxTexture2DLayered[2] = all.layers;
    to.pciBusID = device + 1;
    to.l2CacheSize = all.cache_bytes;
    to.canMapHostMemory = to.concurrentKernels = to.asyncEngineCount = to.unifiedAddressing =
        to.streamPrioritiesSupported = to.managedMemory = to.concurrentManagedAccess =
            to.canUseHostPointerForRegisteredMem = to.hostRegisterSupported = to.memoryPoolsSupported =
                to.maxBlocksPerMultiProcessor = 1;
    to.hostNumaId = -1;
}

} // namespace

Status InitDevice(int device, unsigned, unsigned) {
    return is_device(device) ? Status::success : Status::invalid_device;
}

// As where no profiler listens.
Status ProfilerStart() { return Status::success; }
Status ProfilerStop() { return Status::success; }

// No cache here persists.
Status CtxResetPersistingL2Cache() { return Status::success; }

// All are alike: the first is as good as any.
Status ChooseDevice(int *device, const c::cudaDeviceProp *wanted) {
    if (!device || !wanted) return Status::invalid_value;
    if (!device_count()) return Status::no_device;
    *device = 0;
    return Status::success;
}

Status GetDeviceProperties(c::cudaDeviceProp *properties, int device) {
    if (!properties) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    std::memset(static_cast<void *>(properties), 0, sizeof *properties);
    fill(*properties, device);
    return Status::success;
}

Status DeviceGetAttribute(int *value, int attribute, int device) {
    if (!value) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    if (attribute < as_int(c::cudaDevAttrMaxThreadsPerBlock) || attribute >= as_int(c::cudaDevAttrMax))
        return Status::invalid_value;
    *value = attribute_of(attribute, device);
    return Status::success;
}

} // namespace pygpu::host::cuda
