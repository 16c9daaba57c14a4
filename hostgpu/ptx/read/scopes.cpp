// Looking names up, from the innermost scope outwards.
#include "ptx/read/scopes.hpp"

#include "common/ptx/declaration.hpp"

#include <charconv>

namespace pygpu::host::ptx {
namespace {

// "%v", or an element of it: "%v.x".
bool is_of_vector(const Scope &scope, std::string_view word, Operand &operand) {
    if (const auto entry = scope.vectors.find(word); entry != scope.vectors.end()) {
        operand.kind = Operand::vector;
        for (std::uint32_t index = 0; index < entry->second.count; ++index) {
            Operand &part = operand.parts.emplace_back();
            part.kind = Operand::reg;
            part.index = entry->second.first + index;
        }
        return true;
    }
    if (word.size() < 3 || word[word.size() - 2] != '.') return false;
    const auto entry = scope.vectors.find(word.substr(0, word.size() - 2));
    if (entry == scope.vectors.end()) return false;
    const std::size_t index = std::string_view("xyzwrgba").find(word.back());
    if (index == std::string_view::npos || index % 4 >= entry->second.count) return false;
    operand.kind = Operand::reg;
    operand.index = entry->second.first + static_cast<std::uint32_t>(index % 4);
    return true;
}

} // namespace

void Scopes::restart() {
    scopes_.clear();
    open_.clear();
    open();
}

void Scopes::open() {
    if (open_.size() > most_nested) words_.fail("braces are nested too deeply");
    scopes_.push_back({open_.empty() ? 0 : open_.back(), {}, {}, {}, {}, {}, {}, {}});
    open_.push_back(static_cast<std::uint32_t>(scopes_.size() - 1));
}

void Scopes::define(Scope::Indices &names, std::string_view name, std::size_t index) {
    if (!names.try_emplace(name, static_cast<std::uint32_t>(index)).second && name != "_")
        defined_twice(name);
}

void Scopes::defined_twice(std::string_view name) const {
    words_.fail(std::string(name) + " is defined twice");
}

Operand Scopes::named(std::string_view word) const {
    Operand operand;
    operand.name = word;
    operand.scope = number();
    if (word == "_") {
        operand.kind = Operand::sink;
        return operand;
    }
    std::size_t digits = word.size();
    while (digits && Lexer::is_digit(word[digits - 1])) --digits;
    const std::string_view prefix = word.substr(0, digits);
    std::uint32_t value = 0;
    const bool numbered = digits < word.size() && word.size() - digits < 8;
    if (numbered) std::from_chars(word.data() + digits, word.data() + word.size(), value);
    const auto is_index = [&](const Scope::Indices &names, Operand::OperandKind kind) {
        if (names.empty()) return false;
        const auto index = names.find(word);
        if (index == names.end()) return false;
        operand.kind = kind;
        operand.index = index->second;
        return true;
    };
    for (auto at = open_.rbegin(); at != open_.rend(); ++at) {
        const Scope &one = scopes_[*at];
        if (numbered) {
            for (auto range = one.ranges.rbegin(); range != one.ranges.rend(); ++range) {
                if (range->prefix == prefix && value < range->count) {
                    operand.kind = Operand::reg;
                    operand.index = range->first + value;
                    return operand;
                }
            }
        }
        if (!one.vectors.empty() && is_of_vector(one, word, operand)) return operand;
        if (is_index(one.registers, Operand::reg)) return operand;
        if (!one.globals.empty()) {
            if (const auto global = one.globals.find(word); global != one.globals.end()) {
                operand.kind = Operand::symbol;
                operand.name = global->second;
                return operand;
            }
        }
        if (is_index(one.variables, Operand::variable)) return operand;
    }
    // A part of a register, for a video instruction.
    if (const std::size_t dot = word.rfind('.'); dot != word.npos && dot && dot + 2 < word.size() &&
                                                 (word[dot + 1] == 'b' || word[dot + 1] == 'h') &&
                                                 Lexer::is_digit(word[dot + 2])) {
        Operand all = named(word.substr(0, dot));
        all.part = word.substr(dot + 1);
        if (all.kind == Operand::reg) return all;
    }
    operand.kind = word[0] == '%' ? Operand::special : Operand::symbol;
    return operand;
}

void Scopes::resolve(Operand &one) const {
    for (Operand &part : one.parts) resolve(part);
    if (one.kind != Operand::symbol && one.kind != Operand::label) return;
    for (std::uint32_t at = one.scope;; at = scopes_[at].parent) {
        const Scope &in = scopes_[at];
        if (const auto entry = in.labels.find(one.name); entry != in.labels.end()) {
            one.kind = Operand::label;
            one.index = entry->second;
            return;
        }
        if (const auto entry = in.targets.find(one.name);
            entry != in.targets.end() && one.kind == Operand::symbol) {
            one.kind = Operand::targets;
            one.index = entry->second;
            return;
        }
        if (!at) break;
    }
    if (one.kind == Operand::label) words_.fail("the label " + std::string(one.name) + " isn't there");
}

} // namespace pygpu::host::ptx
