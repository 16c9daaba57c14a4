// Whether each byte of a piece of device memory was written. Only the checker of kernels asks, so it is kept
// only while the checker is on.
#pragma once

#include "memory/copy.hpp"
#include "memory/side_table.hpp"

#include <cstdlib>
#include <memory>

namespace pygpu::host {

class WrittenBytes {
public:
    WrittenBytes(char *base, std::size_t size);

    // The flag of an address in the piece: 1 if the byte was written, else 0.
    char *at(const char *address) { return flags_.get() + (address - base_); }

    // set(): a block was set. copy(): a block was copied from another piece; a null piece counts as wholly
    // written.
    void set(const StridedBlock &to, const Size &size);
    void copy(const StridedBlock &to, WrittenBytes *other, const StridedBlock &from, const Size &size);

private:
    struct Freed {
        void operator()(char *flags) const { std::free(flags); }
    };

    StridedBlock flags_of(const StridedBlock &block) { return {at(block.base), block.pitch, block.slice}; }

    char *const base_;
    const std::unique_ptr<char, Freed> flags_; // pages that nobody has written to take no memory
};

// Of all allocations whose writes are followed.
SideTable<WrittenBytes> &written_bytes();

} // namespace pygpu::host
