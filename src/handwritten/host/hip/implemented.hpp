// What only HIP has, or has in a form of its own; all else is host::api's.
#pragma once

#include "hip_runtime/types.hpp"
#include "host/api/api.hpp"

namespace pygpu::host::hip {

using namespace host::api;
namespace c = ::pygpu::hip;

Status Init(unsigned flags);
Status DeviceGet(int *device, int ordinal);
Status DeviceGetName(char *name, int size, int device);
Status DeviceTotalMem(std::size_t *bytes, int device);
Status DeviceGetUuid(c::hipUUID *uuid, int device);
Status DeviceComputeCapability(int *major, int *minor, int device);
Status GetDeviceProperties(c::hipDeviceProp_t *properties, int device);
Status DeviceGetAttribute(int *value, int attribute, int device);

Status RuntimeGetVersion(int *version);
Status DriverGetVersion(int *version);
Status GetLastError();
Status ExtGetLastError();
Status PeekAtLastError();
const char *GetErrorName(int code);
const char *GetErrorString(int code);
Status DrvGetErrorName(int code, const char **name);
Status DrvGetErrorString(int code, const char **text);

} // namespace pygpu::host::hip
