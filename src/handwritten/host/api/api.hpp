// The functions that CUDA and HIP share, under their names without prefix. Status and meaning: the vendors'
// manuals.
#pragma once

#include "host/api/types.hpp"
#include "host/core/status.hpp"

namespace pygpu::host::api {

// Devices
Status GetDeviceCount(int *count);
Status GetDevice(int *number);
Status SetDevice(int number);
Status SetValidDevices(int *numbers, int count);
Status DeviceReset();
Status DeviceSynchronize();
Status GetDeviceFlags(unsigned *flags);
Status SetDeviceFlags(unsigned flags);
Status DeviceGetLimit(std::size_t *value, int limit);
Status DeviceSetLimit(int limit, std::size_t value);
Status DeviceGetCacheConfig(int *config);
Status DeviceSetCacheConfig(int config);
Status DeviceGetSharedMemConfig(int *config);
Status DeviceSetSharedMemConfig(int config);
Status DeviceGetPCIBusId(char *text, int size, int number);
Status DeviceGetByPCIBusId(int *number, const char *text);
Status DeviceGetStreamPriorityRange(int *least, int *greatest);

// Errors and versions
Status GetLastError(int vendor);
Status PeekAtLastError(int vendor);

// Memory
Status Malloc(void **pointer, std::size_t size);
Status Free(void *pointer);
Status MemGetInfo(std::size_t *free, std::size_t *total);
Status Memset(void *pointer, int value, std::size_t count);
Status Memcpy(void *to, const void *from, std::size_t count, int kind);

} // namespace pygpu::host::api
