// What the ways to share memory with other processes have in common.
#pragma once

#include "memory/shared_memory.hpp"

#include <mutex>

namespace pygpu::host {

// Sharing and opening are rare: one lock serves all.
std::mutex &sharing_mutex();

// Moves memory into pages that other processes can map, once the devices have done their work: a write
// meanwhile would be lost. Null where the system refuses. The caller holds no lock.
std::shared_ptr<SharedPages> share_when_idle(const Allocation &memory);

} // namespace pygpu::host
