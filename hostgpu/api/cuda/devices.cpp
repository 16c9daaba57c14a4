// What CUDA's attributes and properties say of a host device.
#include "api/cuda/attributes.hpp"
#include "api/cuda/implemented.hpp"
#include "api/device_facts.hpp"
#include "cuda_runtime/enumerators.hpp"
#include "device/device.hpp"

namespace pygpu::host::cuda {
namespace {

constexpr Attribute attributes[] = {
    fact(c::cudaDevAttrMaxThreadsPerBlock, &Facts::threads),
    fact(c::cudaDevAttrMaxBlockDimX, &Facts::threads),
    fact(c::cudaDevAttrMaxBlockDimY, &Facts::threads),
    fact(c::cudaDevAttrMaxBlockDimZ, &Facts::block_z),
    fact(c::cudaDevAttrMaxGridDimX, &Facts::grid_x),
    fact(c::cudaDevAttrMaxGridDimY, &Facts::grid_yz),
    fact(c::cudaDevAttrMaxGridDimZ, &Facts::grid_yz),
    fact(c::cudaDevAttrMaxSharedMemoryPerBlock, &Facts::shared),
    fact(c::cudaDevAttrTotalConstantMemory, &Facts::constant),
    fact(c::cudaDevAttrWarpSize, &Facts::warp),
    fact(c::cudaDevAttrMaxPitch, &Facts::pitch),
    fact(c::cudaDevAttrMaxRegistersPerBlock, &Facts::registers),
    fact(c::cudaDevAttrClockRate, &Facts::clock_khz),
    fact(c::cudaDevAttrTextureAlignment, &Facts::alignment),
    fixed(c::cudaDevAttrGpuOverlap, 1),
    fact(c::cudaDevAttrMultiProcessorCount, &Facts::cores),
    fixed(c::cudaDevAttrCanMapHostMemory, 1),
    fact(c::cudaDevAttrMaxTexture1DWidth, &Facts::texture_1d),
    fact(c::cudaDevAttrMaxTexture2DWidth, &Facts::texture_2d),
    fact(c::cudaDevAttrMaxTexture2DHeight, &Facts::texture_2d),
    fact(c::cudaDevAttrMaxTexture3DWidth, &Facts::texture_3d),
    fact(c::cudaDevAttrMaxTexture3DHeight, &Facts::texture_3d),
    fact(c::cudaDevAttrMaxTexture3DDepth, &Facts::texture_3d),
    fact(c::cudaDevAttrMaxTexture1DLayeredWidth, &Facts::texture_layered),
    fact(c::cudaDevAttrMaxTexture1DLayeredLayers, &Facts::layers),
    fact(c::cudaDevAttrMaxTexture2DLayeredWidth, &Facts::texture_layered),
    fact(c::cudaDevAttrMaxTexture2DLayeredHeight, &Facts::texture_layered),
    fact(c::cudaDevAttrMaxTexture2DLayeredLayers, &Facts::layers),
    fact(c::cudaDevAttrMaxTexture1DMipmappedWidth, &Facts::texture_mipmap),
    fact(c::cudaDevAttrMaxTexture2DMipmappedWidth, &Facts::texture_mipmap),
    fact(c::cudaDevAttrMaxTexture2DMipmappedHeight, &Facts::texture_mipmap),
    fact(c::cudaDevAttrMaxTextureCubemapWidth, &Facts::texture_cubemap),
    fact(c::cudaDevAttrMaxTextureCubemapLayeredWidth, &Facts::texture_cubemap),
    fact(c::cudaDevAttrMaxTextureCubemapLayeredLayers, &Facts::cubemap_layers),
    fact(c::cudaDevAttrMaxTexture2DGatherWidth, &Facts::texture_gather),
    fact(c::cudaDevAttrMaxTexture2DGatherHeight, &Facts::texture_gather),
    fact(c::cudaDevAttrMaxTexture3DWidthAlt, &Facts::texture_3d_flat),
    fact(c::cudaDevAttrMaxTexture3DHeightAlt, &Facts::texture_3d_flat),
    fact(c::cudaDevAttrMaxTexture3DDepthAlt, &Facts::texture_3d_deep),
    fact(c::cudaDevAttrMaxTexture1DLinearWidth, &Facts::texture_linear),
    fact(c::cudaDevAttrMaxTexture2DLinearWidth, &Facts::texture_2d),
    fact(c::cudaDevAttrMaxTexture2DLinearHeight, &Facts::texture_2d),
    fact(c::cudaDevAttrMaxTexture2DLinearPitch, &Facts::linear_pitch),
    fact(c::cudaDevAttrMaxSurface1DWidth, &Facts::surface_1d),
    fact(c::cudaDevAttrMaxSurface2DWidth, &Facts::texture_2d),
    fact(c::cudaDevAttrMaxSurface2DHeight, &Facts::texture_2d),
    fact(c::cudaDevAttrMaxSurface3DWidth, &Facts::texture_3d),
    fact(c::cudaDevAttrMaxSurface3DHeight, &Facts::texture_3d),
    fact(c::cudaDevAttrMaxSurface3DDepth, &Facts::texture_3d),
    fact(c::cudaDevAttrMaxSurface1DLayeredWidth, &Facts::texture_layered),
    fact(c::cudaDevAttrMaxSurface1DLayeredLayers, &Facts::layers),
    fact(c::cudaDevAttrMaxSurface2DLayeredWidth, &Facts::texture_layered),
    fact(c::cudaDevAttrMaxSurface2DLayeredHeight, &Facts::texture_layered),
    fact(c::cudaDevAttrMaxSurface2DLayeredLayers, &Facts::layers),
    fact(c::cudaDevAttrMaxSurfaceCubemapWidth, &Facts::texture_cubemap),
    fact(c::cudaDevAttrMaxSurfaceCubemapLayeredWidth, &Facts::texture_cubemap),
    fact(c::cudaDevAttrMaxSurfaceCubemapLayeredLayers, &Facts::cubemap_layers),
    fact(c::cudaDevAttrSurfaceAlignment, &Facts::alignment),
    fixed(c::cudaDevAttrConcurrentKernels, 1),
    fact(c::cudaDevAttrL2CacheSize, &Facts::cache_bytes),
    fact(c::cudaDevAttrMaxThreadsPerMultiProcessor, &Facts::threads_at_once),
    fact(c::cudaDevAttrAsyncEngineCount, &Facts::copy_engines),
    fixed(c::cudaDevAttrUnifiedAddressing, 1),
    fact(c::cudaDevAttrTexturePitchAlignment, &Facts::pitch_alignment),
    fixed(c::cudaDevAttrStreamPrioritiesSupported, 1),
    fact(c::cudaDevAttrMaxSharedMemoryPerMultiprocessor, &Facts::shared_all),
    fact(c::cudaDevAttrReservedSharedMemoryPerBlock, &Facts::shared_reserved),
    fixed(c::cudaDevAttrGlobalL1CacheSupported, 1),
    fixed(c::cudaDevAttrLocalL1CacheSupported, 1),
    fact(c::cudaDevAttrMemoryClockRate, &Facts::memory_khz),
    fact(c::cudaDevAttrGlobalMemoryBusWidth, &Facts::memory_bits),
    fact(c::cudaDevAttrSingleToDoublePrecisionPerfRatio, &Facts::fp64_ratio),
    fixed(c::cudaDevAttrComputePreemptionSupported, 1),
    fixed(c::cudaDevAttrHostRegisterReadOnlySupported, 1),
    fixed(c::cudaDevAttrIpcEventSupport, 1),
    fixed(c::cudaDevAttrMemSyncDomainCount, 1),
    fact(c::cudaDevAttrMaxRegistersPerMultiprocessor, &Facts::registers),
    fixed(c::cudaDevAttrManagedMemory, 1),
    fixed(c::cudaDevAttrConcurrentManagedAccess, 1),
    fixed(c::cudaDevAttrCanUseHostPointerForRegisteredMem, 1),
    fixed(c::cudaDevAttrHostRegisterSupported, 1),
    fact(c::cudaDevAttrMaxBlocksPerMultiprocessor, &Facts::blocks_at_once),
    fact(c::cudaDevAttrMaxSharedMemoryPerBlockOptin, &Facts::shared_most),
    fixed(c::cudaDevAttrMemoryPoolsSupported, 1),
    fixed(c::cudaDevAttrMemoryPoolSupportedHandleTypes, 1), // POSIX file descriptors
    fixed(c::cudaDevAttrHostMemoryPoolsSupported, 1),
    fixed(c::cudaDevAttrHostNumaMemoryPoolsSupported, 1),
    fixed(c::cudaDevAttrReserved92, 1),  // CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1
    fixed(c::cudaDevAttrReserved93, 1),  // CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1
    fixed(c::cudaDevAttrReserved94, 1),  // CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1
    fixed(c::cudaDevAttrReserved122, 1), // CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS
    fixed(c::cudaDevAttrReserved123, 1), // CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR
    fixed(102, 1), // CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, which the runtime doesn't name
    fixed(103, 1), // CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
    fixed(c::cudaDevAttrReserved141, 1), // CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
    fixed(c::cudaDevAttrReserved145, 1), // CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
    fact(c::cudaDevAttrComputeCapabilityMajor, &Facts::major),
    fact(c::cudaDevAttrComputeCapabilityMinor, &Facts::minor),
    fact(c::cudaDevAttrEccEnabled, &Facts::ecc),
    fixed(c::cudaDevAttrCooperativeLaunch, 1),
    fixed(c::cudaDevAttrHostNumaId, -1),
};

int as_int(c::cudaDeviceAttr attribute) { return static_cast<int>(attribute); }

int fact_of(c::cudaDeviceAttr attribute) {
    int value = 0;
    attribute_of(attributes, as_int(attribute), value);
    return value;
}

// The fields that only CUDA has.
void set_by_attributes(c::cudaDeviceProp &to) {
    to.cooperativeLaunch = fact_of(c::cudaDevAttrCooperativeLaunch);
    to.computePreemptionSupported = fact_of(c::cudaDevAttrComputePreemptionSupported);
    to.globalL1CacheSupported = fact_of(c::cudaDevAttrGlobalL1CacheSupported);
    to.localL1CacheSupported = fact_of(c::cudaDevAttrLocalL1CacheSupported);
    to.hostRegisterReadOnlySupported = fact_of(c::cudaDevAttrHostRegisterReadOnlySupported);
    to.memoryPoolSupportedHandleTypes =
        static_cast<unsigned>(fact_of(c::cudaDevAttrMemoryPoolSupportedHandleTypes));
    to.ECCEnabled = fact_of(c::cudaDevAttrEccEnabled);
    to.ipcEventSupported = fact_of(c::cudaDevAttrIpcEventSupport);
    const auto size_of = [](c::cudaDeviceAttr attribute) {
        return static_cast<std::size_t>(fact_of(attribute));
    };
    to.sharedMemPerBlockOptin = size_of(c::cudaDevAttrMaxSharedMemoryPerBlockOptin);
    to.sharedMemPerMultiprocessor = size_of(c::cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    to.reservedSharedMemPerBlock = size_of(c::cudaDevAttrReservedSharedMemoryPerBlock);
    const auto fill = [](auto &field, auto... names) {
        int *next = reinterpret_cast<int *>(&field);
        static_assert(sizeof field == sizeof...(names) * sizeof(int));
        ((*next++ = fact_of(names)), ...);
    };
    fill(to.maxTexture1DMipmap, c::cudaDevAttrMaxTexture1DMipmappedWidth);
    fill(to.maxTexture2DMipmap, c::cudaDevAttrMaxTexture2DMipmappedWidth,
         c::cudaDevAttrMaxTexture2DMipmappedHeight);
    fill(to.maxTexture2DLinear, c::cudaDevAttrMaxTexture2DLinearWidth, c::cudaDevAttrMaxTexture2DLinearHeight,
         c::cudaDevAttrMaxTexture2DLinearPitch);
    fill(to.maxTexture2DGather, c::cudaDevAttrMaxTexture2DGatherWidth,
         c::cudaDevAttrMaxTexture2DGatherHeight);
    fill(to.maxTexture3DAlt, c::cudaDevAttrMaxTexture3DWidthAlt, c::cudaDevAttrMaxTexture3DHeightAlt,
         c::cudaDevAttrMaxTexture3DDepthAlt);
    fill(to.maxTexture1DLayered, c::cudaDevAttrMaxTexture1DLayeredWidth,
         c::cudaDevAttrMaxTexture1DLayeredLayers);
    fill(to.maxTextureCubemap, c::cudaDevAttrMaxTextureCubemapWidth);
    fill(to.maxTextureCubemapLayered, c::cudaDevAttrMaxTextureCubemapLayeredWidth,
         c::cudaDevAttrMaxTextureCubemapLayeredLayers);
    fill(to.maxSurface1D, c::cudaDevAttrMaxSurface1DWidth);
    fill(to.maxSurface2D, c::cudaDevAttrMaxSurface2DWidth, c::cudaDevAttrMaxSurface2DHeight);
    fill(to.maxSurface3D, c::cudaDevAttrMaxSurface3DWidth, c::cudaDevAttrMaxSurface3DHeight,
         c::cudaDevAttrMaxSurface3DDepth);
    fill(to.maxSurface1DLayered, c::cudaDevAttrMaxSurface1DLayeredWidth,
         c::cudaDevAttrMaxSurface1DLayeredLayers);
    fill(to.maxSurface2DLayered, c::cudaDevAttrMaxSurface2DLayeredWidth,
         c::cudaDevAttrMaxSurface2DLayeredHeight, c::cudaDevAttrMaxSurface2DLayeredLayers);
    fill(to.maxSurfaceCubemap, c::cudaDevAttrMaxSurfaceCubemapWidth);
    fill(to.maxSurfaceCubemapLayered, c::cudaDevAttrMaxSurfaceCubemapLayeredWidth,
         c::cudaDevAttrMaxSurfaceCubemapLayeredLayers);
}

} // namespace

Status InitDevice(int device, unsigned, unsigned) {
    return is_device(device) ? Status::success : Status::invalid_device;
}

Status ChooseDevice(int *device, const c::cudaDeviceProp *wanted) { return choose_device(device, wanted); }

Status GetDeviceProperties(c::cudaDeviceProp *properties, int device) {
    if (!properties) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    fill(*properties, device);
    properties->major = facts().major;
    properties->minor = facts().minor;
    properties->hostNumaId = -1;
    properties->maxThreadsPerMultiProcessor = facts().threads_at_once;
    properties->maxBlocksPerMultiProcessor = facts().blocks_at_once;
    properties->asyncEngineCount = facts().copy_engines;
    set_by_attributes(*properties);
    return Status::success;
}

Status DeviceGetAttribute(int *value, int attribute, int device) {
    return device_attribute(value, attribute, device);
}

Status device_attribute(int *value, int attribute, int device) {
    if (!value) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    if (attribute < as_int(c::cudaDevAttrMaxThreadsPerBlock) || attribute >= as_int(c::cudaDevAttrMax))
        return Status::invalid_value;
    const bool bus = attribute == as_int(c::cudaDevAttrPciBusId);
    *value = bus ? pci_bus(device) : 0; // a host device has nothing that isn't listed
    attribute_of(attributes, attribute, *value);
    return Status::success;
}

} // namespace pygpu::host::cuda
