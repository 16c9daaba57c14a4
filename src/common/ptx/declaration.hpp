// Declarations of variables and parameters in PTX: ".param .align 4 .b8 name[12]".
#pragma once

#include "common/ptx/lexer.hpp"
#include "common/ptx/types.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pygpu::ptx {

inline constexpr std::size_t most_bytes = std::size_t{1} << 32; // of a variable
inline constexpr std::size_t most_nested = 64;                  // dimensions, braces, parts of an expression

// What stands between the space and the names.
struct Declaration {
    Type type;
    std::string_view name; // of the type
    std::size_t lanes = 1, alignment = 0;
    bool managed = false;
    bool pointer = false;      // of a kernel's parameter
    std::string_view opaque{}; // ".texref", ".samplerref" or ".surfref"
};

struct Declarator {
    std::string_view name;
    std::size_t size; // bytes; 0 of an open array
    std::size_t alignment;
    std::string_view type; // of a single value: "u64"; "b8" of anything else
};

// Goes on behind the end of parentheses whose start was read.
inline void skip(Lexer &words, std::string_view open, std::string_view close) {
    for (int depth = 1; depth;) {
        const std::string_view word = words.taken();
        depth += word == open ? 1 : word == close ? -1 : 0;
    }
}

// ".align 4 .b8" of ".align 4 .b8 name[12]", behind the space.
inline Declaration declaration(Lexer &words) {
    Declaration declaration;
    while (words.now.starts_with('.')) {
        const std::string_view word = words.taken();
        if (word == ".align") {
            const std::uint64_t alignment = integer(words);
            if (!alignment || alignment & (alignment - 1) || alignment > 4096)
                words.fail("an alignment isn't a power of two");
            if (!declaration.pointer) declaration.alignment = alignment; // else it is that of the memory
        } else if (word == ".ptr") {
            declaration.pointer = true;
        } else if (word == ".attribute") {
            words.expect("(");
            declaration.managed |= words.now == ".managed";
            skip(words, "(", ")");
        } else if (word == ".v2" || word == ".v4" || word == ".v8") {
            declaration.lanes = static_cast<std::size_t>(word[2] - '0');
        } else if (word == ".texref" || word == ".samplerref" || word == ".surfref") {
            declaration.opaque = word;
            declaration.type = {Type::natural, 64};
            declaration.name = "u64";
        } else if (const Type type = type_named(word.substr(1)); type.bits && type.width() >= 8) {
            declaration.type = type;
            declaration.name = word.substr(1);
        }
    }
    if (!declaration.type) words.fail("a declaration has no type");
    return declaration;
}

// "name[12]". `counts` gets the dimensions of an array; they start with 0 where it has as many elements as
// values.
inline Declarator declarator(Lexer &words, const Declaration &of,
                             std::vector<std::uint64_t> *counts = nullptr) {
    const std::size_t element = of.type.width() / 8, all = element * of.lanes;
    Declarator declaration{words.taken(), all, of.alignment, "b8"};
    if (!Lexer::in_word(declaration.name[0])) words.fail("a name is expected");
    bool open = false;
    for (bool first = true; words.take("["); first = false) {
        const std::uint64_t count = words.now == "]" ? 0 : integer(words);
        words.expect("]");
        if (!first && !count) words.fail("only an array's first dimension may be open");
        if (counts && counts->size() == most_nested) words.fail("an array has too many dimensions");
        if (counts) counts->push_back(count);
        if (count && declaration.size > most_bytes / count) words.fail("a declaration is too large");
        declaration.size *= count ? count : 1;
        open |= !count;
    }
    if (open) declaration.size = 0;
    if (!declaration.alignment) declaration.alignment = std::min<std::size_t>(all, 16);
    if (declaration.size == element) declaration.type = of.name;
    return declaration;
}

} // namespace pygpu::ptx
