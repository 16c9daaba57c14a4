// Devices, as the driver API asks for them.
#include "api/cu/implemented.hpp"

#include "api/cuda/attributes.hpp"
#include "device/device.hpp"
#include "device/facts.hpp"

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

Status DeviceComputeCapability(int *major, int *minor, int device) {
    if (!major || !minor) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    *major = facts().major;
    *minor = facts().minor;
    return Status::success;
}

} // namespace pygpu::host::cu
