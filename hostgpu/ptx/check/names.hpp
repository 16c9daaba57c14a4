// Memory in the reports' words: which array an address lies in, or near.
#pragma once

#include "ptx/machine/machine.hpp"
#include "ptx/read/loaded.hpp"

namespace pygpu::host::ptx::check {

std::string bytes(std::uint64_t count); // "1 byte", "4 bytes"
std::string hex(std::uint64_t value);
std::string what_it_does(const Instr &access); // "read of 4 bytes"

// Calls visit(variable, begin, size) for all shared memory that a block may use.
template <class Visit> void each_shared(const Block &block, Visit visit) {
    const Loaded &loaded = *block.launch.loaded;
    const auto length = [&](const Variable &one) {
        return one.dynamic || !one.size ? block.launch.dynamic_shared : one.size;
    };
    for (const Variable &one : loaded.program->shared) {
        std::size_t at = 0;
        if (loaded.shared_variable(one.name, at)) visit(one, at, length(one));
    }
    for (const auto &function : loaded.program->functions) {
        if (function->entry && function.get() != block.launch.body->function) continue;
        for (const Variable &one : function->variables) {
            if (one.space == Space::shared) visit(one, loaded.place_shared(one), length(one));
        }
    }
}

// "byte 16 of tile (shared, 64 bytes)"; where `beyond`, "4 bytes behind the end of" the array in front.
std::string shared_name(const Block &block, std::uint64_t offset, bool beyond);
// The same of a lane's stack: the frames of the functions that run.
std::string local_name(const Frame &frame, std::uint64_t offset, bool beyond);
std::string global_name(const Block &block, std::uint64_t address, std::size_t size);

// Whether the bytes lie in one variable of a function that runs, or in memory of its alloca.
bool is_local(const Frame &frame, std::uint64_t offset, std::size_t size);

} // namespace pygpu::host::ptx::check
