// What is reported of a block while it runs, where its launch is observed: the checker's interface.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pygpu::host::ptx {

class Warp;
struct Instr;
enum class Window;

class Observer {
public:
    virtual ~Observer() = default;

    virtual void start() = 0; // with a block
    // Barriers: arrive() for the lanes that run, pass() once all waiting lanes continue, pass_late() for
    // lanes that needn't wait any more.
    virtual void arrive(unsigned barrier, const Warp &warp) = 0;
    virtual void pass(unsigned barrier) = 0;
    virtual void pass_late(unsigned barrier, const Warp &warp, std::uint32_t lanes) = 0;
    virtual void stuck() = 0; // nobody can continue
    // An instruction fails: a lane may not access these bytes.
    virtual void failed(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address,
                        std::size_t size, Window window, bool misaligned) = 0;
};

} // namespace pygpu::host::ptx
