// Direct access between devices that are peers: without it a copy between them takes the slow way around.
#pragma once

#include "arrays/base/scope.hpp"

namespace pygpu::arrays {

// Memory of one device, as a copy between two comes to it.
struct Side {
    int device;
    bool pool; // of PyGPU's pool, which has an access of its own
};

// Lets each of two devices reach the other one's memory, once, where they are peers. What others of the
// process enabled stays as it is. Failure leaves the slow way; the status is that of the scope's device,
// which is as before. GIL released.
int open_link(Scope &scope, const Side &one, const Side &other);

// Whether rows can go from one device to another in one call.
bool rows_go_between(Scope &scope, int from, int to);

} // namespace pygpu::arrays
