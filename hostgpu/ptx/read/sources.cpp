// Reading .loc and .file (PTX ISA, "Debugging Directives").
#include "ptx/read/sources.hpp"

#include <algorithm>

namespace pygpu::host::ptx {
namespace {

constexpr std::string_view blanks = " \t\r", inlined = "inlined_at";

void skip_blanks(std::string_view &text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
}

unsigned number_in(std::string_view &text) {
    skip_blanks(text);
    unsigned number = 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
        number = number * 10 + static_cast<unsigned>(text[0] - '0');
        text.remove_prefix(1);
    }
    return number;
}

// True, and the word is taken off, where the text starts with it.
bool takes(std::string_view &text, std::string_view word) {
    if (!text.starts_with(word) || text.find_first_of(blanks, word.size()) != word.size()) return false;
    text.remove_prefix(word.size());
    return true;
}

} // namespace

Sources::Sources(std::string_view text) {
    for (unsigned line = 1; !text.empty(); ++line) {
        std::string_view one = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(one.size() + 1, text.size()));
        skip_blanks(one);
        if (takes(one, ".loc")) {
            SourceLine source;
            source.file = number_in(one);
            source.line = number_in(one);
            if (const std::size_t at = one.find(inlined); at != one.npos) {
                one.remove_prefix(at + inlined.size());
                source.outer_file = number_in(one);
                source.outer_line = number_in(one);
            }
            lines_.emplace_back(line, source);
        } else if (takes(one, ".file")) {
            const unsigned number = number_in(one);
            const std::size_t start = one.find('"'), end = one.find('"', start + 1);
            if (end != one.npos) files_.emplace(number, one.substr(start + 1, end - start - 1));
        }
    }
}

SourceLine Sources::of(unsigned function_line, unsigned line) const {
    const auto behind = std::ranges::upper_bound(lines_, line, {}, &std::pair<unsigned, SourceLine>::first);
    if (behind != lines_.begin()) {
        const auto &[at, source] = *std::prev(behind);
        if (at > function_line && source.line) return source;
    }
    return {0, line};
}

std::string Sources::file(unsigned number) const {
    const auto entry = files_.find(number);
    return entry == files_.end() ? "file " + std::to_string(number) : std::string(entry->second);
}

std::string Sources::text(unsigned function_line, unsigned line) const {
    std::string in_ptx = "line " + std::to_string(line) + " of its PTX";
    const SourceLine source = of(function_line, line);
    const auto named = [&](unsigned number, unsigned at) {
        return file(number) + ":" + std::to_string(at) + ", ";
    };
    if (!source.file && source.line == line) return in_ptx;
    return named(source.file, source.line) +
           (source.outer_line ? "inlined at " + named(source.outer_file, source.outer_line) : "") + in_ptx;
}

} // namespace pygpu::host::ptx
