// Copies through page-locked pieces, by one thread or several.
//
// The runtimes bring ordinary memory through page-locked pieces with one thread, which is slower than the
// bus. Here each of some threads brings its share through two pieces of its own: while one is on the bus, it
// copies the other, picking the elements of a strided side one by one.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/transfer/host.hpp"
#include "arrays/transfer/watch.hpp"

#include <cstddef>

namespace pygpu::arrays {

// Copies all elements of the host's side, in their order, to or from one run of device memory: in the order
// of the stream, done when it returns. A watch that says stop ends it with success. GIL released.
int copy_by_pieces(const Runtime &runtime, Scope &scope, Stream stream, char *device, const HostSide &host,
                   bool up, int threads, Watch *watch);

} // namespace pygpu::arrays
