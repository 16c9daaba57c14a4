// Direct access between devices that are peers: without it a copy between them takes the slow way around.
#pragma once

#include "arrays/runtime/runtime.hpp"
#include "arrays/runtime/scope.hpp"

namespace pygpu::arrays {

// Memory of one device, as a copy between two comes to it.
struct Side {
    int device;
    bool pool; // of PyGPU's pool, which has an access of its own
};

// Lets each of two devices reach the other one's memory, once, where they are peers. What others of the
// process enabled stays as it is. Failure leaves the slow way. GIL given away.
void open_link(const Runtime &runtime, Scope &scope, const Side &one, const Side &other);

} // namespace pygpu::arrays
