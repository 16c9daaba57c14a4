// What CUDA's attributes and properties say of a host device.
#include "host/cuda/implemented.hpp"

#include "cuda_runtime/enumerators.hpp"
#include "host/api/device_facts.hpp"

namespace pygpu::host::cuda {
namespace {

constexpr Attribute attributes[] = {
    told(c::cudaDevAttrMaxThreadsPerBlock, &Facts::threads),
    told(c::cudaDevAttrMaxBlockDimX, &Facts::threads),
    told(c::cudaDevAttrMaxBlockDimY, &Facts::threads),
    told(c::cudaDevAttrMaxBlockDimZ, &Facts::block_z),
    told(c::cudaDevAttrMaxGridDimX, &Facts::grid_x),
    told(c::cudaDevAttrMaxGridDimY, &Facts::grid_yz),
    told(c::cudaDevAttrMaxGridDimZ, &Facts::grid_yz),
    told(c::cudaDevAttrMaxSharedMemoryPerBlock, &Facts::shared),
    told(c::cudaDevAttrTotalConstantMemory, &Facts::constant),
    told(c::cudaDevAttrWarpSize, &Facts::warp),
    told(c::cudaDevAttrMaxPitch, &Facts::pitch),
    told(c::cudaDevAttrMaxRegistersPerBlock, &Facts::registers),
    told(c::cudaDevAttrClockRate, &Facts::clock_khz),
    told(c::cudaDevAttrTextureAlignment, &Facts::alignment),
    fixed(c::cudaDevAttrGpuOverlap, 1),
    told(c::cudaDevAttrMultiProcessorCount, &Facts::cores),
    fixed(c::cudaDevAttrCanMapHostMemory, 1),
    told(c::cudaDevAttrMaxTexture1DWidth, &Facts::texture_1d),
    told(c::cudaDevAttrMaxTexture2DWidth, &Facts::texture_2d),
    told(c::cudaDevAttrMaxTexture2DHeight, &Facts::texture_2d),
    told(c::cudaDevAttrMaxTexture3DWidth, &Facts::texture_3d),
    told(c::cudaDevAttrMaxTexture3DHeight, &Facts::texture_3d),
    told(c::cudaDevAttrMaxTexture3DDepth, &Facts::texture_3d),
    told(c::cudaDevAttrMaxTexture2DLayeredWidth, &Facts::texture_2d),
    told(c::cudaDevAttrMaxTexture2DLayeredHeight, &Facts::texture_2d),
    told(c::cudaDevAttrMaxTexture2DLayeredLayers, &Facts::layers),
    told(c::cudaDevAttrSurfaceAlignment, &Facts::alignment),
    fixed(c::cudaDevAttrConcurrentKernels, 1),
    told(c::cudaDevAttrL2CacheSize, &Facts::cache_bytes),
    told(c::cudaDevAttrMaxThreadsPerMultiProcessor, &Facts::threads),
    fixed(c::cudaDevAttrAsyncEngineCount, 1),
    fixed(c::cudaDevAttrUnifiedAddressing, 1),
    told(c::cudaDevAttrTexturePitchAlignment, &Facts::pitch_alignment),
    fixed(c::cudaDevAttrStreamPrioritiesSupported, 1),
    told(c::cudaDevAttrMaxSharedMemoryPerMultiprocessor, &Facts::shared),
    told(c::cudaDevAttrMaxRegistersPerMultiprocessor, &Facts::registers),
    fixed(c::cudaDevAttrManagedMemory, 1),
    fixed(c::cudaDevAttrConcurrentManagedAccess, 1),
    fixed(c::cudaDevAttrCanUseHostPointerForRegisteredMem, 1),
    fixed(c::cudaDevAttrHostRegisterSupported, 1),
    fixed(c::cudaDevAttrMaxBlocksPerMultiprocessor, 1),
    told(c::cudaDevAttrMaxSharedMemoryPerBlockOptin, &Facts::shared),
    fixed(c::cudaDevAttrMemoryPoolsSupported, 1),
    fixed(c::cudaDevAttrHostNumaId, -1),
};

int as_int(c::cudaDeviceAttr attribute) { return static_cast<int>(attribute); }

} // namespace

Status InitDevice(int device, unsigned, unsigned) {
    return is_device(device) ? Status::success : Status::invalid_device;
}

// As where no profiler listens.
Status ProfilerStart() { return Status::success; }
Status ProfilerStop() { return Status::success; }

// No cache here persists.
Status CtxResetPersistingL2Cache() { return Status::success; }

Status ChooseDevice(int *device, const c::cudaDeviceProp *wanted) { return choose_device(device, wanted); }

Status GetDeviceProperties(c::cudaDeviceProp *properties, int device) {
    if (!properties) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    fill(*properties, device);
    properties->hostNumaId = -1;
    return Status::success;
}

Status DeviceGetAttribute(int *value, int attribute, int device) {
    if (!value) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    if (attribute < as_int(c::cudaDevAttrMaxThreadsPerBlock) || attribute >= as_int(c::cudaDevAttrMax))
        return Status::invalid_value;
    const bool bus = attribute == as_int(c::cudaDevAttrPciBusId);
    *value = bus ? pci_bus(device) : 0; // what isn't listed a host device hasn't got
    attribute_of(attributes, attribute, *value);
    return Status::success;
}

} // namespace pygpu::host::cuda
