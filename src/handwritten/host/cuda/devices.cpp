// What CUDA's attributes and properties say of a host device.
#include "host/cuda/implemented.hpp"

#include "cuda_runtime/enumerators.hpp"
#include "host/api/device_facts.hpp"
#include "host/cuda/attributes.hpp"

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
    fact(c::cudaDevAttrMaxTexture2DLayeredWidth, &Facts::texture_2d),
    fact(c::cudaDevAttrMaxTexture2DLayeredHeight, &Facts::texture_2d),
    fact(c::cudaDevAttrMaxTexture2DLayeredLayers, &Facts::layers),
    fact(c::cudaDevAttrMaxTexture1DMipmappedWidth, &Facts::texture_mipmap),
    fact(c::cudaDevAttrMaxTexture2DMipmappedWidth, &Facts::texture_mipmap),
    fact(c::cudaDevAttrMaxTexture2DMipmappedHeight, &Facts::texture_mipmap),
    fact(c::cudaDevAttrMaxTextureCubemapWidth, &Facts::texture_cubemap),
    fact(c::cudaDevAttrMaxTextureCubemapLayeredWidth, &Facts::texture_cubemap),
    fact(c::cudaDevAttrMaxTextureCubemapLayeredLayers, &Facts::cubemap_layers),
    fact(c::cudaDevAttrSurfaceAlignment, &Facts::alignment),
    fixed(c::cudaDevAttrConcurrentKernels, 1),
    fact(c::cudaDevAttrL2CacheSize, &Facts::cache_bytes),
    fact(c::cudaDevAttrMaxThreadsPerMultiProcessor, &Facts::threads),
    fixed(c::cudaDevAttrAsyncEngineCount, 1),
    fixed(c::cudaDevAttrUnifiedAddressing, 1),
    fact(c::cudaDevAttrTexturePitchAlignment, &Facts::pitch_alignment),
    fixed(c::cudaDevAttrStreamPrioritiesSupported, 1),
    fact(c::cudaDevAttrMaxSharedMemoryPerMultiprocessor, &Facts::shared_most),
    fact(c::cudaDevAttrMaxRegistersPerMultiprocessor, &Facts::registers),
    fixed(c::cudaDevAttrManagedMemory, 1),
    fixed(c::cudaDevAttrConcurrentManagedAccess, 1),
    fixed(c::cudaDevAttrCanUseHostPointerForRegisteredMem, 1),
    fixed(c::cudaDevAttrHostRegisterSupported, 1),
    fixed(c::cudaDevAttrMaxBlocksPerMultiprocessor, 1),
    fact(c::cudaDevAttrMaxSharedMemoryPerBlockOptin, &Facts::shared_most),
    fixed(c::cudaDevAttrMemoryPoolsSupported, 1),
    fact(c::cudaDevAttrComputeCapabilityMajor, &Facts::major),
    fact(c::cudaDevAttrComputeCapabilityMinor, &Facts::minor),
    fixed(c::cudaDevAttrCooperativeLaunch, 1),
    fixed(c::cudaDevAttrHostNumaId, -1),
};

int as_int(c::cudaDeviceAttr attribute) { return static_cast<int>(attribute); }

} // namespace

Status InitDevice(int device, unsigned, unsigned) {
    return is_device(device) ? Status::success : Status::invalid_device;
}

// As if no profiler listens.
Status ProfilerStart() { return Status::success; }
Status ProfilerStop() { return Status::success; }

// No cache here persists.
Status CtxResetPersistingL2Cache() { return Status::success; }

Status ChooseDevice(int *device, const c::cudaDeviceProp *wanted) { return choose_device(device, wanted); }

Status GetDeviceProperties(c::cudaDeviceProp *properties, int device) {
    if (!properties) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    fill(*properties, device);
    properties->major = facts().major;
    properties->minor = facts().minor;
    properties->cooperativeLaunch = 1;
    properties->sharedMemPerMultiprocessor = properties->sharedMemPerBlockOptin =
        static_cast<std::size_t>(facts().shared_most);
    properties->hostNumaId = -1;
    properties->maxTexture1DMipmap = properties->maxTexture2DMipmap[0] = properties->maxTexture2DMipmap[1] =
        facts().texture_mipmap;
    properties->maxTextureCubemap = properties->maxTextureCubemapLayered[0] = facts().texture_cubemap;
    properties->maxTextureCubemapLayered[1] = facts().cubemap_layers;
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
