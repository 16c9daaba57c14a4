// Arrays: memory of up to three dimensions behind a handle.
#pragma once

#include "host/api/types.hpp"
#include "host/core/allocation.hpp"
#include "host/core/copy.hpp"
#include "host/core/handles.hpp"

namespace pygpu::host {

struct Array {
    Memory memory;
    Channels channels;
    Extent extent; // as given: 0 for what the array hasn't got
    unsigned flags;
    std::size_t element; // bytes

    Size size() const; // in bytes, at least one row and slice
    Block block() const;
};

Handles<Array> &arrays();
void forget_arrays(unsigned long long context);

} // namespace pygpu::host
