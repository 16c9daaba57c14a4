// What asynchronous copies have of mbarriers.
#pragma once

#include "host/ptx/decoder.hpp"

namespace pygpu::host::ptx {

// cp.async.mbarrier.arrive
void decode_copies_arrive(Decoder &d);

} // namespace pygpu::host::ptx
