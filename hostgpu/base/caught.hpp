// Statuses of exceptions: none may reach a C caller, or end a thread.
#pragma once

#include "base/status.hpp"

#include <exception>

namespace pygpu::host {

// Thrown to end a call with a status, from functions that return none.
struct Refused final : std::exception {
    explicit Refused(Status status) : status(status) {}
    Status status;
};

// The status that C gets for an exception: there is no memory or no thread, say.
Status status_of(const std::exception &thrown);

// What the body returns, or the status of its exception.
template <class Body> Status caught(Body body) noexcept {
    try {
        return body();
    } catch (const std::exception &thrown) {
        return status_of(thrown);
    }
}

} // namespace pygpu::host
