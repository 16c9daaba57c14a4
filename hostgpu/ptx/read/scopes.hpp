// Names of a function, in the scopes of its braces.
#pragma once

#include "common/ptx/lexer.hpp"
#include "ptx/read/program.hpp"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace pygpu::host::ptx {

struct RegisterRange {
    std::string_view prefix;
    std::uint32_t first, count;
};

struct Scope {
    using Indices = std::unordered_map<std::string_view, std::uint32_t>;
    std::uint32_t parent;
    Indices registers, variables, labels, targets;
    std::unordered_map<std::string_view, RegisterRange> vectors;
    std::unordered_map<std::string_view, std::string_view> globals; // their names in the program
    std::vector<RegisterRange> ranges;
};

class Scopes {
public:
    explicit Scopes(const Lexer &words) : words_(words) {}

    void restart(); // with a function
    void open();
    void close() { open_.pop_back(); }
    std::size_t depth() const { return open_.size(); }
    Scope &now() { return scopes_[open_.back()]; }
    std::uint32_t number() const { return open_.back(); } // of the scope that is open

    // Enters a name into a table of the open scope. Prototypes call all their parameters "_".
    void define(Scope::Indices &names, std::string_view name, std::size_t index);
    [[noreturn]] void defined_twice(std::string_view name) const;

    // What a word stands for here.
    Operand named(std::string_view word) const;
    // Labels are known only at the end of the function.
    void resolve(Operand &one) const;

private:
    const Lexer &words_; // for messages
    std::vector<Scope> scopes_;
    std::vector<std::uint32_t> open_;
};

} // namespace pygpu::host::ptx
