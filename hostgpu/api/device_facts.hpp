// What both APIs report of a host device: attributes, which each API numbers in its own way, and properties,
// whose fields have the same names.
#pragma once

#include "device/device.hpp"
#include "device/facts.hpp"

#include <cstring>

namespace pygpu::host {

// One attribute: a fact, or the same value for all devices.
struct Attribute {
    int number;
    int Facts::*fact;
    int value;
};

template <class Number> constexpr Attribute fact(Number number, int Facts::*member) {
    return {static_cast<int>(number), member, 0};
}
template <class Number> constexpr Attribute fixed(Number number, int value) {
    return {static_cast<int>(number), nullptr, value};
}

// The value of an attribute; false for one that isn't listed.
template <std::size_t Count> bool attribute_of(const Attribute (&attributes)[Count], int number, int &value) {
    for (const Attribute &one : attributes) {
        if (one.number != number) continue;
        value = one.fact ? facts().*one.fact : one.value;
        return true;
    }
    return false;
}

// Sets the fields that both APIs have, all others to 0.
template <class Properties> void fill(Properties &to, int device) {
    const Facts &all = facts();
    std::memset(static_cast<void *>(&to), 0, sizeof to);
    device_name(device, to.name, sizeof to.name);
    unsigned char uuid[16];
    device_uuid(device, uuid);
    std::memcpy(to.uuid.bytes, uuid, sizeof uuid);
    to.totalGlobalMem = all.memory;
    to.sharedMemPerBlock = to.sharedMemPerMultiprocessor = to.sharedMemPerBlockOptin =
        static_cast<std::size_t>(all.shared);
    to.regsPerBlock = to.regsPerMultiprocessor = all.registers;
    to.warpSize = all.warp;
    to.memPitch = static_cast<std::size_t>(all.pitch);
    to.maxThreadsPerBlock = to.maxThreadsPerMultiProcessor = all.threads;
    to.maxThreadsDim[0] = to.maxThreadsDim[1] = all.threads;
    to.maxThreadsDim[2] = all.block_z;
    to.maxGridSize[0] = all.grid_x;
    to.maxGridSize[1] = to.maxGridSize[2] = all.grid_yz;
    to.totalConstMem = static_cast<std::size_t>(all.constant);
    to.textureAlignment = to.surfaceAlignment = static_cast<std::size_t>(all.alignment);
    to.texturePitchAlignment = static_cast<std::size_t>(all.pitch_alignment);
    to.multiProcessorCount = all.cores;
    to.maxTexture1D = all.texture_1d;
    to.maxTexture2D[0] = to.maxTexture2D[1] = all.texture_2d;
    to.maxTexture3D[0] = to.maxTexture3D[1] = to.maxTexture3D[2] = all.texture_3d;
    to.maxTexture2DLayered[0] = to.maxTexture2DLayered[1] = all.texture_layered;
    to.maxTexture2DLayered[2] = all.layers;
    to.memoryBusWidth = all.memory_bits;
    to.pciBusID = pci_bus(device);
    to.l2CacheSize = all.cache_bytes;
    to.canMapHostMemory = to.concurrentKernels = to.asyncEngineCount = to.unifiedAddressing =
        to.streamPrioritiesSupported = to.managedMemory = to.concurrentManagedAccess =
            to.canUseHostPointerForRegisteredMem = to.hostRegisterSupported = to.memoryPoolsSupported =
                to.maxBlocksPerMultiProcessor = 1;
}

// All devices are alike: the first is as good as any.
template <class Properties> Status choose_device(int *device, const Properties *wanted) {
    if (!device || !wanted) return Status::invalid_value;
    if (!device_count()) return no_device();
    *device = 0;
    return Status::success;
}

} // namespace pygpu::host
