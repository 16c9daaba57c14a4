// Devices, as the driver API asks for them.
#include "api/cu/implemented.hpp"

#include "api/cuda/attributes.hpp"
#include "device/device.hpp"
#include "device/facts.hpp"
#include "image/formats.hpp"

#include <cstring>

namespace pygpu::host::cu {

Status DeviceGet(int *device, int ordinal) {
    if (!device) return Status::invalid_value;
    if (!is_device(ordinal)) return Status::invalid_device;
    *device = ordinal;
    return Status::success;
}

Status DeviceGetCount(int *count) {
    if (!count) return Status::invalid_value;
    *count = device_count();
    return Status::success;
}

Status DeviceGetName(char *name, int size, int device) {
    if (!name || size <= 0) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    device_name(device, name, static_cast<std::size_t>(size));
    return Status::success;
}

Status DeviceGetUuid(c::CUuuid *uuid, int device) {
    if (!uuid) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    unsigned char bytes[16];
    device_uuid(device, bytes);
    std::memcpy(uuid->bytes, bytes, sizeof bytes);
    return Status::success;
}

Status DeviceTotalMem(std::size_t *bytes, int device) {
    if (!bytes) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    *bytes = facts().memory;
    return Status::success;
}

Status DeviceGetAttribute(int *value, int attribute, int device) {
    return host::cuda::device_attribute(value, attribute, device);
}

Status DeviceGetProperties(c::CUdevprop *properties, int device) {
    if (!properties) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    const Facts &all = facts();
    *properties = {};
    properties->maxThreadsPerBlock = all.threads;
    properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = all.threads;
    properties->maxThreadsDim[2] = all.block_z;
    properties->maxGridSize[0] = all.grid_x;
    properties->maxGridSize[1] = properties->maxGridSize[2] = all.grid_yz;
    properties->sharedMemPerBlock = all.shared;
    properties->totalConstantMemory = all.constant;
    properties->SIMDWidth = all.warp;
    properties->memPitch = all.pitch;
    properties->regsPerBlock = all.registers;
    properties->clockRate = all.clock_khz;
    properties->textureAlign = all.alignment;
    return Status::success;
}

// Windows has these.
Status DeviceGetLuid(char *luid, unsigned *node_mask, int device) {
    if (!luid || !node_mask) return Status::invalid_value;
    return is_device(device) ? Status::not_supported : Status::invalid_device;
}

Status DeviceGetTexture1DLinearMaxWidth(std::size_t *width, int format, unsigned channels, int device) {
    Channels found{};
    if (!width || !channels_of(format, channels, found)) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    *width = static_cast<std::size_t>(facts().texture_linear);
    return Status::success;
}

Status DeviceComputeCapability(int *major, int *minor, int device) {
    if (!major || !minor) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    *major = facts().major;
    *minor = facts().minor;
    return Status::success;
}

} // namespace pygpu::host::cu
