// HIP's contexts: each stands for a device, as in AMD's runtime.
#include "api/hip/implemented.hpp"

#include "base/thread.hpp"
#include "device/device.hpp"

#include <vector>

namespace pygpu::host::hip {
namespace {

// The devices whose contexts this thread has pushed.
std::vector<int> &pushed() {
    thread_local std::vector<int> devices;
    return devices;
}

c::hipCtx_t context_of(int number) { return reinterpret_cast<c::hipCtx_t>(&device(number)); }

// -1 for what is no context.
int device_of(c::hipCtx_t context) {
    for (int number = 0; number < device_count(); ++number) {
        if (context_of(number) == context) return number;
    }
    return -1;
}

void make_current(int number) {
    thread().device = number;
    device(number).active = true;
}

} // namespace

// The flags, whatever they are, become the device's.
Status CtxCreate(c::hipCtx_t *context, unsigned flags, int number) {
    if (!context || !is_device(number)) return Status::invalid_value;
    device(number).hip_flags = flags;
    *context = context_of(number);
    pushed().push_back(number);
    make_current(number);
    return Status::success;
}

Status CtxDestroy(c::hipCtx_t context) {
    const int number = device_of(context);
    if (number < 0) return Status::invalid_value;
    if (!pushed().empty() && pushed().back() == number) pushed().pop_back();
    return Status::success;
}

Status CtxPushCurrent(c::hipCtx_t context) {
    const int number = device_of(context);
    if (number < 0) return Status::device_uninitialized; // "invalid context" in HIP
    pushed().push_back(number);
    make_current(number);
    return Status::success;
}

Status CtxPopCurrent(c::hipCtx_t *context) {
    if (pushed().empty()) return Status::device_uninitialized;
    if (context) *context = context_of(pushed().back());
    pushed().pop_back();
    if (!pushed().empty()) make_current(pushed().back());
    return Status::success;
}

Status CtxSetCurrent(c::hipCtx_t context) {
    const int number = device_of(context);
    if (context && number < 0) return Status::device_uninitialized;
    if (!pushed().empty()) pushed().pop_back();
    if (!context) return Status::success;
    pushed().push_back(number);
    make_current(number);
    return Status::success;
}

Status CtxGetCurrent(c::hipCtx_t *context) {
    if (!context) return Status::invalid_value;
    *context = context_of(thread().device);
    return Status::success;
}

Status DevicePrimaryCtxGetState(int number, unsigned *flags, int *active) {
    if (!is_device(number)) return Status::invalid_device;
    if (flags) *flags = 0;
    if (active) *active = device(number).active;
    return Status::success;
}

Status DevicePrimaryCtxRetain(c::hipCtx_t *context, int number) {
    if (!is_device(number)) return Status::invalid_device;
    if (!context) return Status::invalid_value;
    *context = context_of(number);
    return Status::success;
}

Status DevicePrimaryCtxRelease(int number) {
    return is_device(number) ? Status::success : Status::invalid_device;
}

// AMD's does nothing either: DeviceReset resets.
Status DevicePrimaryCtxReset(int number) {
    return is_device(number) ? Status::success : Status::invalid_device;
}

Status DevicePrimaryCtxSetFlags(int number, unsigned) {
    return is_device(number) ? Status::context_already_in_use : Status::invalid_device;
}

// hip_peer.cpp: peers are enabled by device.
Status CtxEnablePeerAccess(c::hipCtx_t, unsigned) { return Status::success; }
Status CtxDisablePeerAccess(c::hipCtx_t) { return Status::success; }

Status CtxSetCacheConfig(int config) {
    constexpr int equal = 3;
    return config < 0 || config > equal ? Status::invalid_value : Status::not_supported;
}

} // namespace pygpu::host::hip
