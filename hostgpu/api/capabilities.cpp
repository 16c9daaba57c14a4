// What devices can do with memory of others, and what they lack.
#include "api/api.hpp"

#include "device/device.hpp"
#include "device/facts.hpp"
#include "image/formats.hpp"

#include <algorithm>

namespace pygpu::host::api {
namespace {

// CUatomicOperation and CUatomicOperationCapability of cuda.h.
constexpr int first_float = 10, last_float = 12, operations = 14;
constexpr unsigned of_signed = 1, of_unsigned = 2, reduces = 4, of_32_bits = 8, of_64_bits = 16;

template <class Can> Status fill(unsigned *capabilities, const int *asked, unsigned count, Can can) {
    if (std::any_of(asked, asked + count, [](int one) { return one < 0 || one >= operations; }))
        return Status::invalid_value;
    std::transform(asked, asked + count, capabilities, can);
    return Status::success;
}

} // namespace

// None natively, as cudaDevAttrHostNativeAtomicSupported says.
Status DeviceGetHostAtomicCapabilities(unsigned *capabilities, const int *asked, unsigned count, int device) {
    if (!capabilities || !asked || !count) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    return fill(capabilities, asked, count, [](int) { return 0u; });
}

Status DeviceGetP2PAtomicCapabilities(unsigned *capabilities, const int *asked, unsigned count, int source,
                                      int destination) {
    if (!capabilities || !asked || !count) return Status::invalid_value;
    if (!is_device(source) || !is_device(destination) || source == destination) return Status::invalid_device;
    return fill(capabilities, asked, count, [](int one) {
        const bool is_float = one >= first_float && one <= last_float;
        return (is_float ? 0u : of_signed | of_unsigned) | reduces | of_32_bits | of_64_bits;
    });
}

// Other devices don't write to a host device's memory (GPUDirect RDMA).
Status DeviceFlushGPUDirectRDMAWrites(int target, int scope) {
    constexpr int to_owner = 100, to_all = 200;
    return target || (scope != to_owner && scope != to_all) ? Status::invalid_value : Status::not_supported;
}

Status DeviceGetTexture1DLinearMaxWidth(std::size_t *width, const Channels *format, int device) {
    if (!width || !format || !element_bytes(*format)) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    *width = static_cast<std::size_t>(facts().texture_linear);
    return Status::success;
}

} // namespace pygpu::host::api
