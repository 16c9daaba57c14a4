// Entering and leaving a stretch of internal calls.
#include "arrays/runtime/scope.hpp"

#include <cstdint>

namespace pygpu::arrays {
namespace {

// Nothing sets the last error but a failing call: where one is known that fails so, it is made.
void fail_with(const Runtime &runtime, int status) {
    void *pointer = nullptr;
    switch (status) {
    case invalid_value:
        runtime.malloc(nullptr, 1);
        break;
    case out_of_memory:
        if (!runtime.malloc(&pointer, SIZE_MAX / 4)) runtime.free(pointer);
        break;
    case invalid_device:
        runtime.set_device(-1);
        break;
    default:
        break;
    }
}

} // namespace

Scope::Scope(const Runtime &runtime, int device) : runtime_(runtime) {
    last_error_ = runtime.peek_last_error();
    relaxed_ = !(*this)(runtime.relax_capture(&mode_));
    status_ = (*this)(runtime.get_device(&device_));
    if (status_) return;
    before_ = device_;
    if (device != current) status_ = change(device);
}

int Scope::change(int device) {
    if (device == device_) return success;
    const int status = (*this)(runtime_.set_device(device));
    if (!status) device_ = device;
    return status;
}

Scope::~Scope() {
    if (device_ != before_) (*this)(runtime_.set_device(before_));
    if (relaxed_) (*this)(runtime_.relax_capture(&mode_));
    if (!failed_) return;
    runtime_.get_last_error();
    if (last_error_) fail_with(runtime_, last_error_);
}

} // namespace pygpu::arrays
