// What HIP's attributes and properties say of a host device, and its own checks: hip_device.cpp,
// hip_device_runtime.cpp and hip_peer.cpp of ROCm/clr's hipamd/src, as of ROCm 6.
#include "api/device_facts.hpp"
#include "api/hip/implemented.hpp"
#include "device/device.hpp"
#include "hip_runtime/enumerators.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace pygpu::host::hip {
namespace {

constexpr Attribute attributes[] = {
    fixed(c::hipDeviceAttributeAsyncEngineCount, 1),
    fixed(c::hipDeviceAttributeCanMapHostMemory, 1),
    fixed(c::hipDeviceAttributeCanUseHostPointerForRegisteredMem, 1),
    fact(c::hipDeviceAttributeClockRate, &Facts::clock_khz),
    fact(c::hipDeviceAttributeWallClockRate, &Facts::clock_khz),
    fact(c::hipDeviceAttributeMemoryClockRate, &Facts::memory_khz),
    fact(c::hipDeviceAttributeMemoryBusWidth, &Facts::memory_bits),
    fixed(c::hipDeviceAttributeConcurrentKernels, 1),
    fixed(c::hipDeviceAttributeConcurrentManagedAccess, 1),
    fixed(c::hipDeviceAttributeDeviceOverlap, 1),
    fact(c::hipDeviceAttributeL2CacheSize, &Facts::cache_bytes),
    fixed(c::hipDeviceAttributeManagedMemory, 1),
    fixed(c::hipDeviceAttributeMaxBlocksPerMultiProcessor, 1),
    fact(c::hipDeviceAttributeMaxBlockDimX, &Facts::threads),
    fact(c::hipDeviceAttributeMaxBlockDimY, &Facts::threads),
    fact(c::hipDeviceAttributeMaxBlockDimZ, &Facts::block_z),
    fact(c::hipDeviceAttributeMaxGridDimX, &Facts::grid_x),
    fact(c::hipDeviceAttributeMaxGridDimY, &Facts::grid_yz),
    fact(c::hipDeviceAttributeMaxGridDimZ, &Facts::grid_yz),
    fact(c::hipDeviceAttributeMaxTexture1DWidth, &Facts::texture_1d),
    fact(c::hipDeviceAttributeMaxTexture2DWidth, &Facts::texture_2d),
    fact(c::hipDeviceAttributeMaxTexture2DHeight, &Facts::texture_2d),
    fact(c::hipDeviceAttributeMaxTexture3DWidth, &Facts::texture_3d),
    fact(c::hipDeviceAttributeMaxTexture3DHeight, &Facts::texture_3d),
    fact(c::hipDeviceAttributeMaxTexture3DDepth, &Facts::texture_3d),
    fact(c::hipDeviceAttributeMaxThreadsPerBlock, &Facts::threads),
    fact(c::hipDeviceAttributeMaxThreadsPerMultiProcessor, &Facts::threads),
    fact(c::hipDeviceAttributeMaxPitch, &Facts::pitch),
    fact(c::hipDeviceAttributeMultiprocessorCount, &Facts::cores),
    fact(c::hipDeviceAttributeMaxRegistersPerBlock, &Facts::registers),
    fact(c::hipDeviceAttributeMaxRegistersPerMultiprocessor, &Facts::registers),
    fact(c::hipDeviceAttributeMaxSharedMemoryPerBlock, &Facts::shared),
    fact(c::hipDeviceAttributeSharedMemPerBlockOptin, &Facts::shared),
    fact(c::hipDeviceAttributeSharedMemPerMultiprocessor, &Facts::shared),
    fixed(c::hipDeviceAttributeStreamPrioritiesSupported, 1),
    fact(c::hipDeviceAttributeSurfaceAlignment, &Facts::alignment),
    fact(c::hipDeviceAttributeTextureAlignment, &Facts::alignment),
    fixed(c::hipDeviceAttributeTexturePitchAlignment, row_alignment),
    fact(c::hipDeviceAttributeTotalConstantMemory, &Facts::constant),
    fixed(c::hipDeviceAttributeUnifiedAddressing, 1),
    fact(c::hipDeviceAttributeWarpSize, &Facts::warp),
    fixed(c::hipDeviceAttributeMemoryPoolsSupported, 1),
    fixed(c::hipDeviceAttributeVirtualMemoryManagementSupported, 1),
    fixed(c::hipDeviceAttributeCanUseStreamWaitValue, 1),
    fixed(c::hipDeviceAttributeMemoryPoolSupportedHandleTypes, 1), // POSIX file descriptors
    fixed(c::hipDeviceAttributeHostRegisterSupported, 1),
    fact(c::hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, &Facts::shared),
    fact(c::hipDeviceAttributePhysicalMultiProcessorCount, &Facts::cores),
    fixed(c::hipDeviceAttributeIsLargeBar, 1),
    fixed(c::hipDeviceAttributeImageSupport, 1),
    fixed(c::hipDeviceAttributeDirectManagedMemAccessFromHost, 1),
};

// Further attributes that AMD's runtime knows: a host device has none of them.
constexpr c::hipDeviceAttribute_t not_here[] = {
    c::hipDeviceAttributeEccEnabled,
    c::hipDeviceAttributeAccessPolicyMaxWindowSize,
    c::hipDeviceAttributeComputeMode,
    c::hipDeviceAttributeComputePreemptionSupported,
    c::hipDeviceAttributeCooperativeLaunch,
    c::hipDeviceAttributeCooperativeMultiDeviceLaunch,
    c::hipDeviceAttributeGlobalL1CacheSupported,
    c::hipDeviceAttributeHostNativeAtomicSupported,
    c::hipDeviceAttributeIntegrated,
    c::hipDeviceAttributeIsMultiGpuBoard,
    c::hipDeviceAttributeKernelExecTimeout,
    c::hipDeviceAttributeLocalL1CacheSupported,
    c::hipDeviceAttributeLuidDeviceNodeMask,
    c::hipDeviceAttributeComputeCapabilityMajor,
    c::hipDeviceAttributeComputeCapabilityMinor,
    c::hipDeviceAttributeMaxSurface1D,
    c::hipDeviceAttributeMaxTexture1DLinear,
    c::hipDeviceAttributeMaxTexture1DMipmap,
    c::hipDeviceAttributeMaxTextureCubemap,
    c::hipDeviceAttributeMultiGpuBoardGroupID,
    c::hipDeviceAttributePageableMemoryAccess,
    c::hipDeviceAttributePageableMemoryAccessUsesHostPageTables,
    c::hipDeviceAttributePciDeviceId,
    c::hipDeviceAttributePciDomainID,
    c::hipDeviceAttributePersistingL2CacheMaxSize,
    c::hipDeviceAttributeReservedSharedMemPerBlock,
    c::hipDeviceAttributeHdpMemFlushCntl,
    c::hipDeviceAttributeHdpRegFlushCntl,
    c::hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc,
    c::hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim,
    c::hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim,
    c::hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem,
    c::hipDeviceAttributeAsicRevision,
    c::hipDeviceAttributeFineGrainSupport,
};

} // namespace

Status Init(unsigned flags) {
    if (flags) return Status::invalid_value;
    return device_count() ? Status::success : no_device();
}

Status DeviceGet(int *device, int ordinal) {
    if (!device) return Status::invalid_value;
    if (!is_device(ordinal)) return Status::invalid_device;
    *device = ordinal;
    return Status::success;
}

Status DeviceGetName(char *name, int size, int device) {
    if (!is_device(device)) return Status::invalid_device;
    if (!name || size <= 0) return Status::invalid_value;
    device_name(device, name, static_cast<std::size_t>(size));
    return Status::success;
}

Status DeviceTotalMem(std::size_t *bytes, int device) {
    if (!is_device(device)) return Status::invalid_device;
    if (!bytes) return Status::invalid_value;
    *bytes = facts().memory;
    return Status::success;
}

Status DeviceGetUuid(c::hipUUID *uuid, int device) {
    if (!is_device(device)) return Status::invalid_device;
    if (!uuid) return Status::invalid_value;
    unsigned char bytes[16];
    device_uuid(device, bytes);
    std::memcpy(uuid->bytes, bytes, sizeof bytes);
    return Status::success;
}

Status DeviceComputeCapability(int *major, int *minor, int device) {
    if (!is_device(device)) return Status::invalid_device;
    if (!major || !minor) return Status::invalid_value;
    *major = *minor = 0;
    return Status::success;
}

Status ChooseDevice(int *device, const c::hipDeviceProp_t *wanted) { return choose_device(device, wanted); }

Status GetDeviceProperties(c::hipDeviceProp_t *properties, int device) {
    if (!properties) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    fill(*properties, device);
    properties->clockRate = properties->clockInstructionRate = facts().clock_khz;
    properties->memoryClockRate = facts().memory_khz;
    properties->maxSharedMemoryPerMultiProcessor = static_cast<std::size_t>(facts().shared);
    properties->isLargeBar = properties->directManagedMemAccessFromHost = 1;
    properties->texturePitchAlignment = static_cast<std::size_t>(row_alignment);
    std::strcpy(properties->gcnArchName, "host");
    return Status::success;
}

Status DeviceGetAttribute(int *value, int attribute, int device) {
    if (!value) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    switch (static_cast<c::hipDeviceAttribute_t>(attribute)) {
    case c::hipDeviceAttributePciBusId:
        *value = pci_bus(device);
        return Status::success;
    case c::hipDeviceAttributeTotalGlobalMem: // as much as an int holds
        *value = static_cast<int>(std::min<std::size_t>(facts().memory, INT_MAX));
        return Status::success;
    default:
        if (attribute_of(attributes, attribute, *value)) return Status::success;
        if (std::ranges::find(not_here, static_cast<c::hipDeviceAttribute_t>(attribute)) ==
            std::end(not_here))
            return Status::invalid_value;
        *value = 0;
        return Status::success;
    }
}

namespace {

constexpr unsigned scheduling = 7, spin = 1, map_host = 8, resize = 16;

} // namespace

// AMD's devices spin unless told otherwise, and remember nothing but how to wait.
Status GetDeviceFlags(unsigned *flags) {
    if (!flags) return Status::invalid_value;
    if (!device_count()) return no_device();
    *flags = current_device().hip_flags;
    return Status::success;
}

Status SetDeviceFlags(unsigned flags) {
    if (!device_count()) return no_device();
    if (std::popcount(flags & scheduling) > 1 || flags & ~(scheduling | map_host | resize))
        return Status::invalid_value;
    current_device().hip_flags = flags & scheduling;
    return Status::success;
}

// HIP numbers three limits like CUDA; AMD's runtime has two of these. The limits of scratch memory aren't
// supported.
constexpr int last_limit = static_cast<int>(c::hipLimitMallocHeapSize);

Status DeviceGetLimit(std::size_t *value, int limit) {
    if (!value || limit < 0 || limit > last_limit) return Status::invalid_value;
    if (limit == static_cast<int>(c::hipLimitPrintfFifoSize)) return Status::unsupported_limit;
    return api::DeviceGetLimit(value, limit);
}

Status DeviceSetLimit(int limit, std::size_t value) {
    if (limit < 0 || limit > last_limit) return Status::invalid_value;
    if (limit == static_cast<int>(c::hipLimitPrintfFifoSize)) return Status::unsupported_limit;
    return api::DeviceSetLimit(limit, value);
}

// There is no cache to configure, whatever is asked for.
Status DeviceGetCacheConfig(int *config) {
    if (!config) return Status::invalid_value;
    *config = 0;
    return Status::success;
}

Status DeviceSetCacheConfig(int) { return Status::success; }

// What doesn't fit is cut off, and the call fails.
Status DeviceGetPCIBusId(char *text, int size, int device) {
    if (!is_device(device)) return Status::invalid_device;
    if (!text || size <= 0) return Status::invalid_value;
    char full[16];
    pci_bus_id(device, full);
    const int length = std::snprintf(text, static_cast<std::size_t>(size), "%s", full);
    return length < size ? Status::success : Status::invalid_value;
}

// All four parts are required; an unknown device is an invalid value.
Status DeviceGetByPCIBusId(int *device, const char *text) {
    if (!device || !text) return Status::invalid_value;
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    if (std::sscanf(text, "%4x:%2x:%2x.%1x", &domain, &bus, &slot, &function) != 4)
        return Status::invalid_value;
    return api::DeviceGetByPCIBusId(device, text) == Status::success ? Status::success
                                                                     : Status::invalid_value;
}

// A device is no peer of itself, whether it exists or not.
Status DeviceCanAccessPeer(int *can, int device, int peer) {
    if (!can) return Status::invalid_value;
    if (device != peer) return api::DeviceCanAccessPeer(can, device, peer);
    *can = 0;
    return Status::success;
}

Status DeviceEnablePeerAccess(int peer, unsigned flags) {
    const Status status = api::DeviceEnablePeerAccess(peer, flags);
    return status == Status::peer_access_unsupported ? Status::invalid_device : status;
}

Status DeviceDisablePeerAccess(int peer) {
    return peer == current_device().number ? Status::invalid_device : api::DeviceDisablePeerAccess(peer);
}

// HIP numbers them from 0 on.
Status DeviceGetP2PAttribute(int *value, int attribute, int source, int destination) {
    const bool known =
        attribute >= 0 && attribute <= static_cast<int>(c::hipDevP2PAttrHipArrayAccessSupported);
    return api::DeviceGetP2PAttribute(value, known ? attribute + 1 : 0, source, destination);
}

// hip_peer.cpp of ROCm/clr. The devices' numbers are those of a PCI bus: see DeviceGetPCIBusId().
Status ExtGetLinkTypeAndHopCount(int one, int other, unsigned *type, unsigned *hops) {
    constexpr unsigned pcie = 2; // HSA_AMD_LINK_INFO_TYPE_PCIE
    if (!type || !hops || one == other || one < 0 || other < 0) return Status::invalid_value;
    if (!is_device(one) || !is_device(other)) return Status::invalid_device;
    *type = pcie;
    *hops = 1;
    return Status::success;
}

} // namespace pygpu::host::hip
