// Reading .loc and .file (PTX ISA, "Debugging Directives").
#include "ptx/check/sources.hpp"

#include "ptx/loaded.hpp"

#include <algorithm>

namespace pygpu::host::ptx::check {
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
            Spot spot;
            spot.file = number_in(one);
            spot.line = number_in(one);
            if (const std::size_t at = one.find(inlined); at != one.npos) {
                one.remove_prefix(at + inlined.size());
                spot.outer_file = number_in(one);
                spot.outer_line = number_in(one);
            }
            spots_.emplace_back(line, spot);
        } else if (takes(one, ".file")) {
            const unsigned number = number_in(one);
            const std::size_t start = one.find('"'), end = one.find('"', start + 1);
            if (end != one.npos) files_.emplace(number, one.substr(start + 1, end - start - 1));
        }
    }
}

Spot Sources::spot(unsigned function_line, unsigned line) const {
    const auto behind = std::ranges::upper_bound(spots_, line, {}, &std::pair<unsigned, Spot>::first);
    if (behind != spots_.begin()) {
        const auto &[at, spot] = *std::prev(behind);
        if (at > function_line && spot.line) return spot;
    }
    return {0, line};
}

std::string Sources::name(unsigned file) const {
    const auto found = files_.find(file);
    return found == files_.end() ? "file " + std::to_string(file) : std::string(found->second);
}

Spot spot_of(const Loaded &loaded, const Function &function, const Instr &at) {
    return loaded.sources().spot(function.line, at.line);
}

std::string place_of(const Loaded &loaded, const Function &function, const Instr &at) {
    std::string in_ptx = "line " + std::to_string(at.line) + " of its PTX";
    const Spot spot = spot_of(loaded, function, at);
    const auto named = [&](unsigned file, unsigned line) {
        return loaded.sources().name(file) + ":" + std::to_string(line) + ", ";
    };
    if (!spot.file && spot.line == at.line) return in_ptx;
    return named(spot.file, spot.line) +
           (spot.outer_line ? "inlined at " + named(spot.outer_file, spot.outer_line) : "") + in_ptx;
}

} // namespace pygpu::host::ptx::check
