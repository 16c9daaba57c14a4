// Of each byte of a piece of device memory: whether anybody has written it. Only the checker of kernels asks,
// so it is kept only where that is on.
#pragma once

#include "host/core/copy.hpp"

#include <cstdlib>
#include <memory>

namespace pygpu::host {

class WrittenBytes {
public:
    WrittenBytes(char *base, std::size_t size);

    // Of an address in the piece: 1 for what was written, else 0.
    char *at(const char *address) { return flags_.get() + (address - base_); }

    // A block was set; was copied from another piece, of which null says that all of it counts as written.
    void set(const Block &to, const Size &size);
    void copy(const Block &to, WrittenBytes *other, const Block &from, const Size &size);

private:
    struct Freed {
        void operator()(char *flags) const { std::free(flags); }
    };

    Block flags_of(const Block &block) { return {at(block.base), block.pitch, block.slice}; }

    char *const base_;
    const std::unique_ptr<char, Freed> flags_; // pages that nobody has written to take no memory
};

} // namespace pygpu::host
