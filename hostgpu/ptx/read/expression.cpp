// Reading constants. What ptxas 13.0 makes of mixed signs is done here, too.
#include "ptx/read/expression.hpp"

#include "common/ptx/declaration.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

namespace pygpu::host::ptx {
namespace {

Value literal(const Lexer &words, std::string_view word) {
    const char *const last = word.data() + word.size();
    const auto whole = [&](std::from_chars_result result) {
        if (result.ec != std::errc{} || result.ptr != last) words.fail("a number is expected");
    };
    const char kind = word.size() > 1 && word[0] == '0' ? word[1] | 0x20 : ' ';
    if ((kind == 'f' || kind == 'd') && word.size() == (kind == 'f' ? 10 : 18)) {
        std::uint64_t bits = 0;
        whole(std::from_chars(word.data() + 2, last, bits, 16));
        return {kind == 'f' ? Value::single : Value::real, bits};
    }
    if (kind != 'x' && word != size_of_warp && word.find_first_of(".eE") != word.npos) {
        double value = 0;
        whole(std::from_chars(word.data(), last, value));
        return {Value::real, std::bit_cast<std::uint64_t>(value)};
    }
    const std::uint64_t bits = integer_of(words, word);
    const bool natural = bits >> 63 || word.back() == 'U' || word.back() == 'u';
    return {natural ? Value::natural : Value::integer, bits};
}

[[noreturn]] void fail_type(const Lexer &words) {
    words.fail("a constant expression can't mix integers and floats");
}

void need_integer(const Lexer &words, Value value) {
    if (value.is_float()) fail_type(words);
}

Value signed_by(const Lexer &words, std::string_view sign, Value value) {
    if (value.kind == Value::single) {
        if (sign == "-") value.bits ^= 1u << 31;
    } else if (value.kind == Value::real) {
        if (sign == "-") value.bits ^= std::uint64_t{1} << 63;
    } else {
        if (sign == "-") value.bits = 0 - value.bits;
        if (sign == "~") value.bits = ~value.bits;
        if (sign == "!") value = {Value::integer, value.bits ? 0u : 1u};
    }
    if (sign == "~" || sign == "!") need_integer(words, value);
    return value;
}

Value of_floats(const Lexer &words, std::string_view sign, double a, double b) {
    const auto is = [](bool holds) { return Value{Value::integer, holds ? 1u : 0u}; };
    const auto real = [](double value) { return Value{Value::real, std::bit_cast<std::uint64_t>(value)}; };
    if (sign == "<=") return is(a <= b);
    if (sign == ">=") return is(a >= b);
    if (sign == "<") return is(a < b);
    if (sign == ">") return is(a > b);
    if (sign == "==") return is(a == b);
    if (sign == "!=") return is(a != b);
    if (sign == "*") return real(a * b);
    if (sign == "+") return real(a + b);
    if (sign == "-") return real(a - b);
    if (sign != "/") fail_type(words);
    if (b == 0) words.fail("a constant expression divides by zero");
    return real(a / b);
}

Value combined(const Lexer &words, std::string_view sign, Value left, Value right) {
    const std::uint64_t a = left.bits, b = right.bits;
    if (left.kind == Value::real && right.kind == Value::real)
        return of_floats(words, sign, std::bit_cast<double>(a), std::bit_cast<double>(b));
    need_integer(words, left);
    need_integer(words, right);
    const Value::ValueKind kind =
        std::max(left.kind, right.kind); // an unsigned operand makes the result unsigned
    const bool natural = kind == Value::natural;
    const auto is = [](bool holds) { return Value{Value::integer, holds ? 1u : 0u}; };
    // With the highest bit flipped, signed numbers have the order of unsigned ones.
    const std::uint64_t turn = natural ? 0 : std::uint64_t{1} << 63;
    if (sign == "<<") return {left.kind, b > 63 ? 0 : a << b};
    if (sign == ">>") {
        const auto by = static_cast<unsigned>(std::min<std::uint64_t>(b, 63));
        if (left.kind == Value::integer)
            return {left.kind, static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> by)};
        return {left.kind, b > 63 ? 0 : a >> by};
    }
    if (sign == "<=") return is((a ^ turn) <= (b ^ turn));
    if (sign == ">=") return is((a ^ turn) >= (b ^ turn));
    if (sign == "<") return is((a ^ turn) < (b ^ turn));
    if (sign == ">") return is((a ^ turn) > (b ^ turn));
    if (sign == "==") return is(a == b);
    if (sign == "!=") return is(a != b);
    if (sign == "&&") return is(a && b);
    if (sign == "||") return is(a || b);
    if (sign == "*") return {kind, a * b};
    if (sign == "+") return {kind, a + b};
    if (sign == "-") return {kind, a - b};
    if (sign == "&") return {kind, a & b};
    if (sign == "^") return {kind, a ^ b};
    if (sign == "|") return {kind, a | b};
    if (!b) words.fail("a constant expression divides by zero");
    if (sign == "%") return {Value::natural, a % b}; // as ptxas does, whatever the operands are
    const bool minus_a = !natural && a >> 63, minus_b = !natural && b >> 63;
    const std::uint64_t size_a = minus_a ? 0 - a : a, size_b = minus_b ? 0 - b : b;
    return {kind, minus_a != minus_b ? 0 - size_a / size_b : size_a / size_b};
}

Value expression(Lexer &words, Value first, unsigned depth);

Value unary(Lexer &words, unsigned depth) {
    if (depth > most_nested) words.fail("an expression is nested too deeply");
    const std::string_view word = words.taken();
    if (is_sign(word)) return signed_by(words, word, unary(words, depth + 1));
    if (word != "(") return literal(words, word);
    if (words.now == ".s64" || words.now == ".u64") { // a cast
        const bool natural = words.taken() == ".u64";
        words.expect(")");
        const Value value = unary(words, depth + 1);
        need_integer(words, value);
        return {natural ? Value::natural : Value::integer, value.bits};
    }
    const Value value = expression(words, unary(words, depth + 1), depth + 1);
    words.expect(")");
    return value;
}

// Continues after the first value, as long as operators bind more than `least`.
Value binary(Lexer &words, Value left, unsigned least, unsigned depth) {
    struct Operator {
        std::string_view sign;
        unsigned binds;
    };
    static constexpr Operator all[] = {{"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6},
                                       {"&&", 2}, {"||", 1}, {"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},
                                       {"-", 9},  {"<", 7},  {">", 7},  {"&", 5},  {"^", 4},  {"|", 3}};
    for (;;) {
        const std::string_view rest = words.rest();
        const Operator *const entry =
            std::ranges::find_if(all, [&](const Operator &one) { return rest.starts_with(one.sign); });
        if (words.now.size() != 1 || entry == std::end(all) || entry->binds <= least) return left;
        for (std::size_t part = 0; part < entry->sign.size(); ++part) words.next();
        left = combined(words, entry->sign, left,
                        binary(words, unary(words, depth + 1), entry->binds, depth + 1));
    }
}

Value expression(Lexer &words, Value first, unsigned depth) {
    const Value left = binary(words, first, 0, depth);
    if (!words.take("?")) return left;
    need_integer(words, left);
    const Value yes = expression(words, unary(words, depth + 1), depth + 1);
    words.expect(":");
    const Value no = expression(words, unary(words, depth + 1), depth + 1);
    return left.bits ? yes : no;
}

} // namespace

bool is_sign(std::string_view word) { return word == "-" || word == "+" || word == "!" || word == "~"; }

bool at_constant(const Lexer &words) {
    const std::string_view word = words.now;
    return !word.empty() &&
           (Lexer::starts_number(word) || word == "(" || is_sign(word) || word == size_of_warp);
}

Value constant(Lexer &words, std::string_view sign) {
    const Value first = signed_by(words, sign, unary(words, 0));
    return first.kind == Value::single ? first : expression(words, first, 0);
}

std::int64_t signed_number(Lexer &words) {
    const Value value = constant(words);
    need_integer(words, value);
    return static_cast<std::int64_t>(value.bits);
}

} // namespace pygpu::host::ptx
