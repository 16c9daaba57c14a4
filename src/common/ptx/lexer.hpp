// Words of PTX: names, opcodes with all their dots, parts of them such as ".reg", numbers, strings, single
// signs (PTX ISA, "Lexical Elements").
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pygpu::ptx {

// What is wrong with a text.
struct Problem {
    std::string what;
    unsigned line;
};

inline constexpr std::string_view size_of_warp = "WARP_SZ"; // a constant, 32

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) { next(); }

    std::string_view now; // empty at the end
    unsigned line = 1;    // of `now`

    void next() {
        skip_space();
        line = line_;
        const std::size_t begin = at_;
        if (at_ == text_.size()) {
            now = text_.substr(at_);
            return;
        }
        const char first = text_[at_++];
        if (in_word(first)) {
            const bool is_part = first == '.' && !starts_number(text_.substr(begin, 2));
            while (at_ < text_.size()) {
                if (text_[at_] == '%' || (is_part && text_[at_] == '.')) break; // which start words
                if (in_word(text_[at_]) || in_exponent(begin))
                    ++at_;
                else if (text_[at_] == ':' && at_ + 2 < text_.size() && text_[at_ + 1] == ':' &&
                         in_word(text_[at_ + 2]))
                    at_ += 2;
                else
                    break;
            }
        } else if (first == '"') {
            const std::size_t end = text_.find('"', at_);
            if (end == text_.npos) fail("a string doesn't end");
            at_ = end + 1;
        }
        now = text_.substr(begin, at_ - begin);
    }

    // The text from `now` on.
    std::string_view rest() const {
        return text_.substr(static_cast<std::size_t>(now.data() - text_.data()));
    }

    bool take(std::string_view word) {
        if (now != word) return false;
        next();
        return true;
    }
    void expect(std::string_view word) {
        if (!take(word)) fail("'" + std::string(word) + "' is expected, not '" + std::string(now) + "'");
    }
    std::string_view taken() {
        const std::string_view word = now;
        if (word.empty()) fail("the text ends too early");
        next();
        return word;
    }
    [[noreturn]] void fail(std::string what) const { throw Problem{std::move(what), line}; }

    static bool in_word(char one) {
        return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || is_digit(one) || one == '_' ||
               one == '$' || one == '%' || one == '.';
    }
    static bool starts_number(std::string_view word) {
        return is_digit(word[0]) || (word.size() > 1 && word[0] == '.' && is_digit(word[1]));
    }
    static bool is_digit(char one) { return one >= '0' && one <= '9'; }

private:
    // At the sign of "1.5e-3", not of "0x1e-3".
    bool in_exponent(std::size_t begin) const {
        if (!starts_number(text_.substr(begin, 2)) || at_ + 1 == text_.size() || !is_digit(text_[at_ + 1]))
            return false;
        const char sign = text_[at_], kind = text_[begin + 1] | 0x20;
        return (sign == '-' || sign == '+') && (text_[at_ - 1] | 0x20) == 'e' && kind != 'x' && kind != 'f' &&
               kind != 'd';
    }

    void skip_space() {
        while (at_ < text_.size()) {
            const char one = text_[at_];
            if (one == '\n') {
                ++line_;
                ++at_;
            } else if (one == ' ' || one == '\t' || one == '\r' || one == '\f' || one == '\v') {
                ++at_;
            } else if (one == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (one == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '*') {
                const std::size_t end = text_.find("*/", at_ + 2);
                if (end == text_.npos) fail("a comment doesn't end");
                for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
            } else {
                return;
            }
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    unsigned line_ = 1;
};

// A number: decimal, 0x hexadecimal, 0b binary, 0 octal; U may follow.
inline std::uint64_t integer_of(const Lexer &words, std::string_view word) {
    if (word == size_of_warp) return 32;
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
    if (error != std::errc{} || end != last) words.fail("a number is expected");
    return value;
}

// A single number without a sign.
inline std::uint64_t integer(Lexer &words) { return integer_of(words, words.taken()); }

} // namespace pygpu::ptx
