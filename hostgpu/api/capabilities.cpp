// What devices can do with memory of others, and what they lack.
#include "api/api.hpp"

#include "base/call.hpp"
#include "device/device.hpp"
#include "device/facts.hpp"
#include "image/formats.hpp"

#include <algorithm>

namespace pygpu::host::api {
namespace {

constexpr int operations = 14; // of CUatomicOperation, in cuda.h

Status lack_all(unsigned *capabilities, const int *asked, unsigned count) {
    if (std::any_of(asked, asked + count, [](int one) { return one < 0 || one >= operations; }))
        return Status::invalid_value;
    std::fill_n(capabilities, count, 0u);
    return Status::success;
}

} // namespace

// None natively, as cudaDevAttrHostNativeAtomicSupported says.
Status DeviceGetHostAtomicCapabilities(unsigned *capabilities, const int *asked, unsigned count, int device) {
    if (!capabilities || !asked || !count) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    return lack_all(capabilities, asked, count);
}

// None, as two H200 answer.
Status DeviceGetP2PAtomicCapabilities(unsigned *capabilities, const int *asked, unsigned count, int source,
                                      int destination) {
    if (!capabilities || !asked || !count) return Status::invalid_value;
    if (!is_device(source) || !is_device(destination) || source == destination) return Status::invalid_device;
    return lack_all(capabilities, asked, count);
}

// What other devices have written to a host device's memory (GPUDirect RDMA) is there already.
Status DeviceFlushGPUDirectRDMAWrites(int target, int scope) {
    constexpr int to_owner = 100, to_all = 200;
    return target || (scope != to_owner && scope != to_all) ? Status::invalid_value : Status::success;
}

Status DeviceGetTexture1DLinearMaxWidth(std::size_t *width, const Channels *format, int device) {
    if (!width || !format) return Status::invalid_value;
    if (!element_bytes(*format))
        return current_vendor() == Vendor::cuda ? Status::invalid_channel_descriptor : Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    *width = static_cast<std::size_t>(facts().texture_linear);
    return Status::success;
}

} // namespace pygpu::host::api
