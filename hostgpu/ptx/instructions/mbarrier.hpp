// The part of mbarriers that asynchronous copies use.
#pragma once

#include "ptx/machine/machine.hpp"
#include "ptx/read/decoder.hpp"

namespace pygpu::host::ptx {

// So many bytes of a copy have arrived, for the mbarrier at that address of the host. Null, with the launch
// failed, where there is none.
const Instr *complete_bytes(const Instr *i, Warp &w, unsigned lane, std::uint64_t at, std::uint32_t bytes);
// cp.async.mbarrier.arrive
void decode_copies_arrive(Decoder &d);

} // namespace pygpu::host::ptx
