// What HIP's attributes and properties say of a host device.
#include "host/hip/implemented.hpp"

#include "hip_runtime/enumerators.hpp"
#include "host/api/device_facts.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

namespace pygpu::host::hip {
namespace {

constexpr Attribute attributes[] = {
    fixed(c::hipDeviceAttributeAsyncEngineCount, 1),
    fixed(c::hipDeviceAttributeCanMapHostMemory, 1),
    fixed(c::hipDeviceAttributeCanUseHostPointerForRegisteredMem, 1),
    told(c::hipDeviceAttributeClockRate, &Facts::clock_khz),
    fixed(c::hipDeviceAttributeConcurrentKernels, 1),
    fixed(c::hipDeviceAttributeConcurrentManagedAccess, 1),
    fixed(c::hipDeviceAttributeDeviceOverlap, 1),
    told(c::hipDeviceAttributeL2CacheSize, &Facts::cache_bytes),
    fixed(c::hipDeviceAttributeManagedMemory, 1),
    fixed(c::hipDeviceAttributeMaxBlocksPerMultiProcessor, 1),
    told(c::hipDeviceAttributeMaxBlockDimX, &Facts::threads),
    told(c::hipDeviceAttributeMaxBlockDimY, &Facts::threads),
    told(c::hipDeviceAttributeMaxBlockDimZ, &Facts::block_z),
    told(c::hipDeviceAttributeMaxGridDimX, &Facts::grid_x),
    told(c::hipDeviceAttributeMaxGridDimY, &Facts::grid_yz),
    told(c::hipDeviceAttributeMaxGridDimZ, &Facts::grid_yz),
    told(c::hipDeviceAttributeMaxTexture1DWidth, &Facts::texture_1d),
    told(c::hipDeviceAttributeMaxTexture2DWidth, &Facts::texture_2d),
    told(c::hipDeviceAttributeMaxTexture2DHeight, &Facts::texture_2d),
    told(c::hipDeviceAttributeMaxTexture3DWidth, &Facts::texture_3d),
    told(c::hipDeviceAttributeMaxTexture3DHeight, &Facts::texture_3d),
    told(c::hipDeviceAttributeMaxTexture3DDepth, &Facts::texture_3d),
    told(c::hipDeviceAttributeMaxThreadsDim, &Facts::threads),
    told(c::hipDeviceAttributeMaxThreadsPerBlock, &Facts::threads),
    told(c::hipDeviceAttributeMaxThreadsPerMultiProcessor, &Facts::threads),
    told(c::hipDeviceAttributeMaxPitch, &Facts::pitch),
    told(c::hipDeviceAttributeMultiprocessorCount, &Facts::cores),
    told(c::hipDeviceAttributeMaxRegistersPerBlock, &Facts::registers),
    told(c::hipDeviceAttributeMaxRegistersPerMultiprocessor, &Facts::registers),
    told(c::hipDeviceAttributeMaxSharedMemoryPerBlock, &Facts::shared),
    told(c::hipDeviceAttributeSharedMemPerBlockOptin, &Facts::shared),
    told(c::hipDeviceAttributeSharedMemPerMultiprocessor, &Facts::shared),
    fixed(c::hipDeviceAttributeStreamPrioritiesSupported, 1),
    told(c::hipDeviceAttributeSurfaceAlignment, &Facts::alignment),
    told(c::hipDeviceAttributeTextureAlignment, &Facts::alignment),
    told(c::hipDeviceAttributeTexturePitchAlignment, &Facts::pitch_alignment),
    told(c::hipDeviceAttributeTotalConstantMemory, &Facts::constant),
    fixed(c::hipDeviceAttributeUnifiedAddressing, 1),
    told(c::hipDeviceAttributeWarpSize, &Facts::warp),
    fixed(c::hipDeviceAttributeMemoryPoolsSupported, 1),
    fixed(c::hipDeviceAttributeHostRegisterSupported, 1),
    told(c::hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, &Facts::shared),
    fixed(c::hipDeviceAttributeCanUseStreamWaitValue, 1),
    told(c::hipDeviceAttributePhysicalMultiProcessorCount, &Facts::cores),
    fixed(c::hipDeviceAttributeIsLargeBar, 1),
};

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

Status ChooseDevice(int *device, const c::hipDeviceProp_t *wanted) { return choose_device(device, wanted); }

Status GetDeviceProperties(c::hipDeviceProp_t *properties, int device) {
    if (!properties) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    fill(*properties, device);
    properties->clockRate = properties->clockInstructionRate = facts().clock_khz;
    properties->maxSharedMemoryPerMultiProcessor = static_cast<std::size_t>(facts().shared);
    properties->isLargeBar = 1;
    std::strcpy(properties->gcnArchName, "host");
    return Status::success;
}

Status DeviceGetAttribute(int *value, int attribute, int device) {
    if (!value) return Status::invalid_value;
    if (attribute < 0 || attribute >= static_cast<int>(c::hipDeviceAttributeVendorSpecificBegin))
        return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    switch (static_cast<c::hipDeviceAttribute_t>(attribute)) {
    case c::hipDeviceAttributePciBusId:
        *value = pci_bus(device);
        break;
    case c::hipDeviceAttributeTotalGlobalMem: // as much as an int tells
        *value = static_cast<int>(std::min<std::size_t>(facts().memory, INT_MAX));
        break;
    default:
        *value = attribute_of(attributes, attribute);
    }
    return Status::success;
}

} // namespace pygpu::host::hip
