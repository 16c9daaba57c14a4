// Integers as PTX spells them: PTX ISA, "Integer Constants".
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pygpu::host {

// Decimal, 0x hexadecimal, 0b binary, 0 octal; U may follow. Empty for what is none, or has more than 64
// bits.
inline std::optional<std::uint64_t> integer_in_ptx(std::string_view word) {
    int base = 10;
    while (word.ends_with('U') || word.ends_with('u')) word.remove_suffix(1);
    if (word.size() > 1 && word[0] == '0') {
        const char kind = word[1] | 0x20;
        base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
        word.remove_prefix(base == 8 ? 1 : 2);
    }
    std::uint64_t value = 0;
    const char *const last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, value, base);
    if (error != std::errc{} || end != last) return {};
    return value;
}

} // namespace pygpu::host
