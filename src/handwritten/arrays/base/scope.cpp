// Entering and leaving a scope of internal calls.
#include "arrays/base/scope.hpp"

#include "python/exit.hpp"
#include "runtime/api.hpp"

namespace pygpu::arrays {

Scope::Scope(const Runtime &runtime, int device) : runtime_(runtime), guard_(runtime.api.own) {
    status_ = (*this)(runtime.get_device(&device_));
    if (status_) return;
    before_ = device_;
    if (waits_may_never_end())
        status_ = runtime.api.statuses.not_permitted;
    else if (device != current)
        status_ = change(device);
}

int Scope::change(int device) {
    if (device == device_) return success;
    const int status = (*this)(runtime_.set_device(device));
    if (!status) device_ = device;
    return status;
}

void Scope::suspend() {
    if (device_ != before_) (*this)(runtime_.set_device(before_));
}

int Scope::resume() {
    (*this)(runtime_.get_device(&before_));
    return device_ == before_ ? success : (*this)(runtime_.set_device(device_));
}

Scope::~Scope() {
    if (device_ != before_) (*this)(runtime_.set_device(before_));
}

} // namespace pygpu::arrays
