// Constants of PTX: numbers, and expressions of them (PTX ISA, "Constants" and "Constant Expressions").
#pragma once

#include "common/ptx/lexer.hpp"
#include "ptx/read/program.hpp"

namespace pygpu::host::ptx {

struct Value {
    enum ValueKind : char {
        integer, // 64 bits, signed
        natural, // 64 bits, unsigned: by a suffix, or because the number is so large
        single,  // bits of a float; no part of an expression
        real     // bits of a double
    };
    ValueKind kind;
    std::uint64_t bits;

    bool is_float() const { return kind >= single; }
};

bool is_sign(std::string_view word);
// Whether a number, a sign or a parenthesis comes.
bool at_constant(const Lexer &words);
// An expression, whose first sign may have been read.
Value constant(Lexer &words, std::string_view sign = {});
// The same of integers only.
std::int64_t signed_number(Lexer &words);

} // namespace pygpu::host::ptx
