// What only CUDA has, or has in a form of its own; all else is host::api's.
#pragma once

#include "cuda_runtime/types.hpp"
#include "host/api/api.hpp"

namespace pygpu::host::cuda {

using namespace host::api;
namespace c = ::pygpu::cuda;

Status InitDevice(int device, unsigned device_flags, unsigned flags);
Status GetDeviceProperties(c::cudaDeviceProp *properties, int device);
Status DeviceGetAttribute(int *value, int attribute, int device);

Status RuntimeGetVersion(int *version);
Status DriverGetVersion(int *version);
Status GetLastError();
Status PeekAtLastError();
const char *GetErrorName(int code);
const char *GetErrorString(int code);

} // namespace pygpu::host::cuda
