// Which status stands for an exception.
#include "base/caught.hpp"

#include <new>
#include <stdexcept>
#include <system_error>

namespace pygpu::host {

Status status_of(const std::exception &thrown) {
    if (const auto *refused = dynamic_cast<const Refused *>(&thrown)) return refused->status;
    if (dynamic_cast<const std::system_error *>(&thrown)) return Status::operating_system; // no thread
    const bool memory =
        dynamic_cast<const std::bad_alloc *>(&thrown) || dynamic_cast<const std::length_error *>(&thrown);
    return memory ? Status::memory_allocation : Status::unknown;
}

} // namespace pygpu::host
