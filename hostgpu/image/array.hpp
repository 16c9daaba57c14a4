// Arrays: memory of up to three dimensions behind a handle. Mipmapped ones are several of them in one piece.
#pragma once

#include "base/handles.hpp"
#include "base/types.hpp"
#include "memory/allocation.hpp"
#include "memory/copy.hpp"

namespace pygpu::host {

// Of arrays; both vendors number them alike.
enum ArrayFlag : unsigned { layered_array = 1, surface_array = 2, cubemap_array = 4, gather_array = 8 };

struct Array {
    Memory memory;
    Channels channels;
    Extent extent; // as given: 0 for what the array hasn't got
    unsigned flags;
    std::size_t element;    // bytes
    std::size_t offset = 0; // in the memory, of a level of a mipmapped array
    bool is_level = false;  // it ends with the mipmapped array

    Size size() const; // in bytes, at least one row and slice
    StridedBlock block() const;
};

// Levels of halved extents, from the most detailed one on. They lie in one piece of memory.
struct MipmappedArray {
    struct Level {
        ArrayTag *handle;
        std::shared_ptr<Array> array;
    };
    Memory memory;
    std::vector<Level> levels;
};

Handles<Array> &arrays();
Handles<MipmappedArray> &mipmapped_arrays();
void forget_arrays(unsigned long long context); // and mipmapped ones

} // namespace pygpu::host
