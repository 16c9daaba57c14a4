// What HIP's attributes and properties say of a host device.
#include "host/hip/implemented.hpp"

#include "hip_runtime/enumerators.hpp"
#include "host/core/device.hpp"
#include "host/core/facts.hpp"

#include <cstring>

namespace pygpu::host::hip {
namespace {

// What isn't listed a host device hasn't got: 0.
int attribute_of(int attribute, int device) {
    const Facts &all = facts();
    switch (static_cast<c::hipDeviceAttribute_t>(attribute)) {
    case c::hipDeviceAttributeAsyncEngineCount:
        return 1;
    case c::hipDeviceAttributeCanMapHostMemory:
        return 1;
    case c::hipDeviceAttributeCanUseHostPointerForRegisteredMem:
        return 1;
    case c::hipDeviceAttributeClockRate:
        return all.clock_khz;
    case c::hipDeviceAttributeConcurrentKernels:
        return 1;
    case c::hipDeviceAttributeConcurrentManagedAccess:
        return 1;
    case c::hipDeviceAttributeDeviceOverlap:
        return 1;
    case c::hipDeviceAttributeL2CacheSize:
        return all.cache_bytes;
    case c::hipDeviceAttributeManagedMemory:
        return 1;
    case c::hipDeviceAttributeMaxBlocksPerMultiProcessor:
        return 1;
    case c::hipDeviceAttributeMaxBlockDimX:
        return all.threads;
    case c::hipDeviceAttributeMaxBlockDimY:
        return all.threads;
    case c::hipDeviceAttributeMaxBlockDimZ:
        return all.block_z;
    case c::hipDeviceAttributeMaxGridDimX:
        return all.grid_x;
    case c::hipDeviceAttributeMaxGridDimY:
        return all.grid_yz;
    case c::hipDeviceAttributeMaxGridDimZ:
        return all.grid_yz;
    case c::hipDeviceAttributeMaxTexture1DWidth:
        return all.texture_1d;
    case c::hipDeviceAttributeMaxTexture2DWidth:
        return all.texture_2d;
    case c::hipDeviceAttributeMaxTexture2DHeight:
        return all.texture_2d;
    case c::hipDeviceAttributeMaxTexture3DWidth:
        return all.texture_3d;
    case c::hipDeviceAttributeMaxTexture3DHeight:
        return all.texture_3d;
    case c::hipDeviceAttributeMaxTexture3DDepth:
        return all.texture_3d;
    case c::hipDeviceAttributeMaxThreadsDim:
        return all.threads;
    case c::hipDeviceAttributeMaxThreadsPerBlock:
        return all.threads;
    case c::hipDeviceAttributeMaxThreadsPerMultiProcessor:
        return all.threads;
    case c::hipDeviceAttributeMaxPitch:
        return all.pitch;
    case c::hipDeviceAttributeMultiprocessorCount:
        return all.cores;
    case c::hipDeviceAttributeMaxRegistersPerBlock:
        return all.registers;
    case c::hipDeviceAttributeMaxRegistersPerMultiprocessor:
        return all.registers;
    case c::hipDeviceAttributeMaxSharedMemoryPerBlock:
        return all.shared;
    case c::hipDeviceAttributeSharedMemPerBlockOptin:
        return all.shared;
    case c::hipDeviceAttributeSharedMemPerMultiprocessor:
        return all.shared;
    case c::hipDeviceAttributeStreamPrioritiesSupported:
        return 1;
    case c::hipDeviceAttributeSurfaceAlignment:
        return all.alignment;
    case c::hipDeviceAttributeTextureAlignment:
        return all.alignment;
    case c::hipDeviceAttributeTexturePitchAlignment:
        return all.pitch_alignment;
    case c::hipDeviceAttributeTotalConstantMemory:
        return all.constant;
    case c::hipDeviceAttributeUnifiedAddressing:
        return 1;
    case c::hipDeviceAttributeWarpSize:
        return all.warp;
    case c::hipDeviceAttributeMemoryPoolsSupported:
        return 1;
    case c::hipDeviceAttributeHostRegisterSupported:
        return 1;
    case c::hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
        return all.shared;
    case c::hipDeviceAttributeCanUseStreamWaitValue:
        return 1;
    case c::hipDeviceAttributePhysicalMultiProcessorCount:
        return all.cores;
    case c::hipDeviceAttributeIsLargeBar:
        return 1;
    case c::hipDeviceAttributeTotalGlobalMem:
        return static_cast<int>(all.memory > 0x7fffffff ? 0x7fffffff : all.memory);
    case c::hipDeviceAttributePciBusId:
        return device + 1;
    default:
        return 0;
    }
}

void fill(c::hipDeviceProp_t &to, int device) {
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
    to.clockRate = to.clockInstructionRate = all.clock_khz;
    to.maxSharedMemoryPerMultiProcessor = static_cast<size_t>(all.shared);
    to.isLargeBar = 1;
    std::strcpy(to.gcnArchName, "host");
}

} // namespace

Status Init(unsigned flags) {
    if (flags) return Status::invalid_value;
    return device_count() ? Status::success : Status::no_device;
}

Status DeviceGet(int *device, int ordinal) {
    if (!device) return Status::invalid_value;
    if (!is_device(ordinal)) return Status::invalid_device;
    *device = ordinal;
    return Status::success;
}

Status DeviceGetName(char *name, int size, int device) {
    if (!name || size <= 0) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    device_name(device, name, static_cast<std::size_t>(size));
    return Status::success;
}

Status DeviceTotalMem(std::size_t *bytes, int device) {
    if (!bytes) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    *bytes = facts().memory;
    return Status::success;
}

Status DeviceGetUuid(c::hipUUID *uuid, int device) {
    if (!uuid) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    unsigned char bytes[16];
    device_uuid(device, bytes);
    std::memcpy(uuid->bytes, bytes, sizeof bytes);
    return Status::success;
}

Status DeviceComputeCapability(int *major, int *minor, int device) {
    if (!major || !minor) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    *major = *minor = 0;
    return Status::success;
}

// All are alike: the first is as good as any.
Status ChooseDevice(int *device, const c::hipDeviceProp_t *wanted) {
    if (!device || !wanted) return Status::invalid_value;
    if (!device_count()) return Status::no_device;
    *device = 0;
    return Status::success;
}

Status GetDeviceProperties(c::hipDeviceProp_t *properties, int device) {
    if (!properties) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    std::memset(static_cast<void *>(properties), 0, sizeof *properties);
    fill(*properties, device);
    return Status::success;
}

Status DeviceGetAttribute(int *value, int attribute, int device) {
    if (!value) return Status::invalid_value;
    if (attribute < 0 || attribute >= static_cast<int>(c::hipDeviceAttributeVendorSpecificBegin))
        return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    *value = attribute_of(attribute, device);
    return Status::success;
}

} // namespace pygpu::host::hip
