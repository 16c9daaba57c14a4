// HIP's own checks of events: hipamd/src/hip_event.cpp of ROCm/clr, as of ROCm 6.
#include "api/hip/implemented.hpp"

#include "api/find.hpp"

#include <bit>

namespace pygpu::host::hip {

Status EventCreateWithFlags(EventTag **event, unsigned flags) {
    constexpr unsigned fences = 0xe0000000, others = 7; // of the fences at most one
    if (std::popcount(flags & fences) > 1 || flags & ~(fences | others)) return Status::invalid_value;
    return create_event(event, flags);
}

// In AMD's runtime only this call looks the event up; the others read freed memory.
Status EventDestroy(EventTag *event) {
    const Status status = api::EventDestroy(event);
    return event && status != Status::success ? Status::context_is_destroyed : status;
}

} // namespace pygpu::host::hip
