// The part of mbarriers that asynchronous copies use.
#pragma once

#include "ptx/read/decoder.hpp"

namespace pygpu::host::ptx {

// cp.async.mbarrier.arrive
void decode_copies_arrive(Decoder &d);

} // namespace pygpu::host::ptx
