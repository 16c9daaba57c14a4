// What a running kernel may touch: ranges of addresses, found by asking whoever made the memory.
#pragma once

#include "memory/address_range.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace pygpu::host {
struct Texture;
}

namespace pygpu::host::ptx {

// Which bytes of a piece were written: a flag for each; null where all count as written.
struct WriteFlags {
    AddressRange piece;
    char *flags = nullptr;
    unsigned char fresh = 0; // what a byte holds that nobody has written
};

// Memory that was freed lately: what it was, and where it was freed; `what` is empty where there is none.
struct FreedPiece {
    std::uintptr_t begin = 0;
    std::string what{}, where{};
};

// Memory as the program has allocated it.
class Memories {
public:
    virtual ~Memories() = default;
    // The piece that an address lies in, and what keeps it alive; null where there is none.
    virtual std::shared_ptr<const void> find(std::uintptr_t address, AddressRange &range) = 0;
    // The nearest pieces that start before an address and after it, for reports; empty where there is none.
    virtual void around(std::uintptr_t, AddressRange &, AddressRange &) {}
    // The flags of the piece that an address lies in. They live as long as the piece.
    virtual WriteFlags written(std::uintptr_t) { return {}; }
    // What a handle stands for; null, with the reason in `why`, where it can't be used now.
    virtual std::shared_ptr<const Texture> texture(std::uint64_t handle, bool surface, const char *&why) = 0;
    // The freed piece that an address lies in.
    virtual FreedPiece freed(std::uintptr_t) { return {}; }
    // malloc and free of kernels, with the place of the call where origins are kept. allocate() returns null
    // where there is no memory. before, never, inside: the memory was freed before, allocate() has never
    // returned it, or the address lies inside of such memory.
    enum class Released : std::uint8_t { now, before, never, inside };
    virtual void *allocate(std::size_t size, const std::string &place) = 0;
    virtual Released release(void *memory, const std::string &place) = 0;
    // Sets the condition of a conditional node of a graph; false for what is no handle of one.
    virtual bool set_condition(std::uint64_t handle, unsigned value) = 0;
};

// Pieces that a thread of the launch has used, kept alive.
class MemoryCache {
public:
    explicit MemoryCache(Memories &memories) : memories_(memories) {}

    // The piece of an address; an empty range where there is none.
    AddressRange find(std::uintptr_t address) {
        if (auto after = known_.upper_bound(address); after != known_.begin()) {
            if (const AddressRange &before = (--after)->second.range; before.has(address, 1)) return before;
        }
        AddressRange range;
        auto held = memories_.find(address, range);
        if (!held) return range;
        const auto [same, end] = known_.equal_range(range.begin); // pieces of other libraries may overlap
        if (std::none_of(same, end, [&](const auto &one) { return one.second.held == held; })) {
            known_.emplace(range.begin, CachedPiece{range, std::move(held)});
            ++added_;
        }
        return range;
    }

    void forget() { known_.clear(); }

    // Now and then drops pieces that the program or its kernels have freed; true if there were any.
    bool forget_freed() {
        if (added_ * 2 <= known_.size()) return false;
        added_ = 0;
        return std::erase_if(known_, [](const auto &one) { return one.second.held.use_count() == 1; });
    }

private:
    struct CachedPiece {
        AddressRange range;
        std::shared_ptr<const void> held;
    };

    Memories &memories_;
    std::multimap<std::uintptr_t, CachedPiece> known_; // by where they start
    std::size_t added_ = 0;                            // since the last look
};

} // namespace pygpu::host::ptx
