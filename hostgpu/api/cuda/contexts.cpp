// Execution contexts: green contexts, and those of whole devices.
#include "api/cuda/implemented.hpp"

#include "base/context.hpp"
#include "device/device.hpp"

namespace pygpu::host::cuda {

Status DeviceGetExecutionCtx(ContextTag **context, int device) {
    if (!context) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    *context = static_cast<ContextTag *>(primary_context(device)->handle);
    return Status::success;
}

} // namespace pygpu::host::cuda
