// What the decoder has to know of the instructions.
#pragma once

#include "ptx/read/code.hpp"

#include <string_view>

namespace pygpu::host::ptx {

class Decoder;

// Decodes a statement.
using Decode = void (*)(Decoder &);

struct InstructionSet {
    // By the first word of the opcode; null where there is no such instruction.
    Decode (*decode_of)(std::string_view base);
    // Emits a special register's value into a place.
    void (*emit_special)(Decoder &, std::string_view name, std::uint32_t to, unsigned bits);
    // What the decoder adds to the instructions of a statement.
    Handler guarded;           // runs `inner` for the lanes that the guard lets through
    Handler skip;              // jumps to the target with the lanes that it doesn't
    Handler join;              // where groups of lanes may meet
    Handler refuse;            // ends the launch with the text of `extra`
    Handler invert;            // of a predicate
    Handler holds;             // a predicate: whether a number isn't 0
    Handler local_address;     // of a variable in local memory
    Handler parameter_address; // of a kernel's parameter
    // Converts an integer of one width in bits to another, after adding imm; null where there is no such
    // width.
    Handler (*convert)(unsigned from, unsigned to, bool is_signed);
    // For the checker: a function starts; a statement has an access that isn't followed.
    void (*begin_function)(Decoder &);
    void (*give_up)(Decoder &);
};

} // namespace pygpu::host::ptx
