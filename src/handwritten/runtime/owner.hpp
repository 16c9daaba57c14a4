// Who owns something that lives on a device: this process, until that device is reset.
#pragma once

#include "runtime/generation.hpp"

namespace pygpu {

class Owner {
public:
    Owner() = default; // this process owns nothing
    explicit Owner(int device) : owns_(true), device_(device), generation_(generation_of(device)) {}

    bool owns() const { return owns_; }
    // Whether the owned object still exists. If not, forget it without a call.
    bool may_end_it() const { return owns_ && generation_ == generation_of(device_); }

private:
    bool owns_ = false;
    int device_ = 0;
    DeviceGeneration generation_{};
};

} // namespace pygpu
