// Decoded functions: instructions, each with a handler and with the places of its operands in a frame.
#pragma once

#include "ptx/read/program.hpp"

#include <atomic>
#include <deque>

namespace pygpu::host::ptx {

constexpr unsigned warp_size = 32;

class Warp;
struct Body;
struct Instr;

// Runs an instruction for the lanes of the warp's mask; returns the next one, or null to leave the warp's
// loop.
using Handler = const Instr *(*)(const Instr *, Warp &);

// What doesn't fit into an instruction; kept by the body.
struct Extra {
    std::vector<std::uint32_t> slots; // of vectors, of arguments: offsets in the frame
    std::vector<const Instr *> targets;
    std::vector<std::uint32_t> indices; // of targets, until their addresses are known
    std::string text;
    std::vector<std::uint32_t> results; // of a call: where they go
    const Function *callee = nullptr;
    mutable std::atomic<const Body *> body{nullptr}; // of the callee, once it is decoded
};

struct Instr {
    Handler run = nullptr;
    std::uint32_t d = 0, a = 0, b = 0, c = 0; // offsets in the frame
    std::uint64_t imm = 0;
    const Instr *target = nullptr;
    const Extra *extra = nullptr;
    Handler inner = nullptr;           // the handler that a guard calls
    std::uint32_t guard = 0, flip = 0; // where the predicate lies; flip is ~0 to negate it
    std::uint32_t line = 0;
    std::uint32_t hint = 0; // a memory instruction's number
};

// Where a frame has a register. The values of all 32 lanes lie one after another; a predicate is a mask.
struct RegisterSlot {
    std::uint32_t at;
    unsigned bits;
};

struct FormalSlot {
    std::uint32_t at; // in the frame
    std::uint32_t size;
    bool in_register;
};

// A variable of a function in local memory, from where the variables start.
struct LocalSlot {
    std::string_view name;
    std::size_t at, size;
};

struct Body {
    const Function *function = nullptr;
    std::vector<Instr> code;
    std::deque<Extra> extras;
    std::uint32_t size = 0;         // of a frame
    std::uint32_t constants_at = 0; // from here on all frames have the same bytes
    std::vector<char> constants;
    std::size_t local = 0; // bytes of each lane
    std::size_t gaps = 0;  // those of them that only the checker needs
    std::uint32_t local_alignment = 16;
    std::vector<LocalSlot> locals;
    std::vector<FormalSlot> parameters, results;
    std::size_t parameters_size = 0;    // of a kernel's, all together
    std::vector<std::uint32_t> offsets; // of a kernel's parameters in the block of all
    std::size_t stack = 0; // of a kernel: the local memory of it and of all functions that it may call
    std::uint32_t number = 0;
};

} // namespace pygpu::host::ptx
