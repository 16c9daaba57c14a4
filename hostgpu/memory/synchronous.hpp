// Memory whose synchronous operations always wait: a mark that a program sets and reads. All do so here.
#pragma once

#include "memory/allocation.hpp"

namespace pygpu::host {

bool is_synchronous(const Allocation &memory);
void make_synchronous(const Allocation &memory, bool always);

} // namespace pygpu::host
