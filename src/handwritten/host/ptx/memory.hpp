// What a running kernel may touch: ranges of addresses, found by asking whoever made the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pygpu::host::ptx {

struct Range {
    std::uintptr_t begin = 0, end = 0;
    bool writable = true;

    bool has(std::uintptr_t address, std::size_t size) const {
        return address >= begin && address <= end && size <= end - address;
    }
};

// Memory as the program has allocated it.
class Memories {
public:
    virtual ~Memories() = default;
    // The piece that an address lies in, and what keeps it alive; null where there is none.
    virtual std::shared_ptr<const void> find(std::uintptr_t address, Range &range) = 0;
    // malloc and free of kernels: null where there is no memory; false for what is none of it.
    virtual void *allocate(std::size_t size) = 0;
    virtual bool release(void *memory) = 0;
};

// Pieces that a thread of the launch has met.
class KnownMemory {
public:
    explicit KnownMemory(Memories &memories) : memories_(memories) {}

    // The piece of an address; an empty range where there is none.
    Range find(std::uintptr_t address) {
        for (const Range &one : ranges_) {
            if (one.has(address, 1)) return one;
        }
        Range found;
        if (auto held = memories_.find(address, found)) {
            ranges_.push_back(found);
            held_.push_back(std::move(held));
        }
        return found;
    }
    void forget() {
        ranges_.clear();
        held_.clear();
    }
    Memories &memories() { return memories_; }

private:
    Memories &memories_;
    std::vector<Range> ranges_;
    std::vector<std::shared_ptr<const void>> held_;
};

} // namespace pygpu::host::ptx
