// What the checker keeps of a block while it runs: shadow memory, and how its threads are ordered.
#pragma once

#include "ptx/check/clocks.hpp"
#include "ptx/check/reports.hpp"
#include "ptx/machine/machine.hpp"

#include <map>
#include <memory>

namespace pygpu::host::ptx {

namespace check {

class Checker final : public Observer {
public:
    Checker(Block &block, Reports &reports);
    ~Checker() override;
    Checker(const Checker &) = delete;
    Checker &operator=(const Checker &) = delete;

    void start() override; // with a block
    // Before a lane accesses memory; offsets are from the window's start.
    void touch_shared(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t offset);
    void touch_local(const Instr &at, const Warp &warp, unsigned lane, std::uint32_t owner,
                     std::uint64_t offset);
    void touch_global(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address);
    // Reports an access that can't be right: misaligned, or outside of what the window holds. failed() does
    // it for an instruction that fails, unless that was reported before it.
    bool has_shared(std::uint64_t offset, std::size_t size) {
        const auto &[begin, end] = array_; // the last one
        return (offset >= begin && offset < end && end - offset >= size) || find_shared(offset, size);
    }
    void misaligned(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address, Window space);
    void beyond(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address, Window space);
    void foreign(const Instr &at, const Warp &warp, unsigned lane, std::uint32_t owner);
    void failed(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address, std::size_t size,
                Window space, bool misaligned) override;
    void bad_free(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address, bool twice);
    // An instruction that names lanes, by one that isn't among them.
    void unnamed(const Instr &at, const Warp &warp, unsigned lane, std::uint32_t mask);
    // Which lane each lane of a shuffle reads.
    void shuffled(const Instr &at, const Warp &warp, std::uint32_t lanes, const std::uint32_t *sources,
                  const std::uint32_t *masks, bool by_index);
    // Atomic and volatile accesses order threads by their address.
    void order_by(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address);
    // A function starts: nothing has written to its local memory yet.
    void fresh_local(const Warp &warp);
    // Lanes come to, and leave, an instruction that waits for the lanes of a mask.
    void enter(const Warp &warp, std::uint32_t lanes, std::uint32_t mask);
    void leave(const Warp &warp, std::uint32_t lanes, std::uint32_t mask);
    // Barriers: arrive() for the lanes that run, pass() once all waiting lanes continue, pass_late() for
    // lanes that needn't wait any more.
    void arrive(unsigned barrier, const Warp &warp) override;
    void pass(unsigned barrier) override;
    void pass_late(unsigned barrier, const Warp &warp, std::uint32_t lanes) override;
    // Each running lane ends a group of asynchronous copies, or waits until only that many of its groups go
    // on (PTX ISA, "cp.async.commit_group", "cp.async.wait_group").
    void end_group(const Warp &warp);
    void wait_for_groups(const Warp &warp, std::uint64_t but);
    // Nobody can continue.
    void stuck() override;
    // Shared memory is accessed in a way that isn't followed: it is checked no more.
    void give_up() { followed_ = false; }

private:
    static constexpr std::uint32_t never = ~0u; // the clock of a copy that continues
    struct Access {
        const Instr *at = nullptr;
        const Function *function = nullptr;
        std::uint32_t clock = 0;
        std::uint32_t thread = 0;
    };
    struct Copies {              // of a thread
        std::uint64_t group = 0; // the one that isn't ended
        struct Going {
            std::uint64_t group, offset;
            std::size_t size;
        };
        std::vector<Going> going; // by group
    };
    struct Cell {
        Access written, read[2];
    };

    void split();
    bool find_shared(std::uint64_t offset, std::size_t size);
    bool same_value(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t offset,
                    const Access &before) const;
    void race(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t offset, const Access &before);
    bool races(const Access &before, std::uint32_t kind, std::uint32_t thread) const;
    Finding finding(std::string_view title, const Warp &warp, const Instr &at) const;
    Reports::Rows rows(const Instr &at, const Warp &warp, unsigned lane, std::string what) const;
    std::string name(const Warp &warp, std::uint64_t address, std::size_t size, Window space);
    void outside(Finding finding, const Instr &at, const Warp &warp, unsigned lane, const std::string &what,
                 std::uint64_t address, std::size_t size, Window space);
    void left(const Warp &warp, const Group &waiting);
    void report_divergence(const Warp &warp, const Group &first, const Warp &other_warp, const Group &other,
                           const char *why);

    Block &block_;
    Reports &reports_;
    Clocks clocks_;
    std::vector<Cell> cells_;
    std::vector<Copies> copies_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> arrays_; // of shared memory: where each is
    std::pair<std::uint64_t, std::uint64_t> array_{};
    std::uint32_t reported_ = 0; // the line of the access that was reported last
    unsigned unit_ = 4;          // bytes of a cell; 1 once something narrower was accessed
    bool followed_ = true;
    char *local_ = nullptr; // of each byte of local memory: whether it was written
    std::size_t local_bytes_ = 0;
    std::vector<Clocks::Counts> by_address_;
    std::vector<Clocks::Counts> barriers_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Clocks::Counts> masks_; // by warp and mask
    std::map<std::pair<std::uint32_t, SourceLine>, std::uint32_t> came_; // to barriers: lanes of each warp
};

// The checker of a block; null where its launch isn't checked.
inline Checker *checker_of(const Block &block) { return static_cast<Checker *>(block.observer.get()); }

// Has all blocks of a launch checked.
void check_blocks(Launch &launch, Reports &reports);

} // namespace check
} // namespace pygpu::host::ptx
