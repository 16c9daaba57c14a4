// What atomic accesses and reductions in memory make of an old value and an operand.
#pragma once

#include "ptx/instructions/nans.hpp"
#include "ptx/instructions/rounding.hpp"
#include "ptx/read/program.hpp"

#include <type_traits>

namespace pygpu::host::ptx {

enum Operation : std::uint32_t {
    add,
    minimum,
    maximum,
    bit_and,
    bit_or,
    bit_xor,
    exchange,
    compare,
    increment,
    decrement
};

template <class T> struct Plain {
    static T apply(Operation op, T old, T b, T c) {
        using U = std::make_unsigned_t<T>;
        switch (op) {
        case add:
            return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
        case minimum:
            return old < b ? old : b;
        case maximum:
            return old < b ? b : old;
        case bit_and:
            return static_cast<T>(old & b);
        case bit_or:
            return static_cast<T>(old | b);
        case bit_xor:
            return static_cast<T>(old ^ b);
        case exchange:
            return b;
        case compare:
            return old == b ? c : old;
        case increment:
            return old >= b ? T{0} : static_cast<T>(old + 1);
        default:
            return old == 0 || old > b ? b : static_cast<T>(old - 1);
        }
    }
};

template <class T> struct Sum {
    static T apply(Operation, T old, T b, T) { return canonical(old + b); }
};
template <> struct Sum<double> { // memory keeps NaNs as they are, also signalling ones
    static double apply(Operation, double old, double b, double) {
        const double sum = old + b;
        return sum == sum ? sum : b != b ? b : old != old ? old : made_nan();
    }
};
// One or two narrow floats in a word. The smaller or larger of a number and NaN is the number ("min", "max").
template <class Format, class T> struct OfHalves {
    static T apply(Operation op, T old, T b, T) {
        T result = 0;
        for (unsigned at = 0; at < sizeof(T) * 8; at += 16) {
            const float one = Format::widen(static_cast<std::uint16_t>(old >> at)),
                        other = Format::widen(static_cast<std::uint16_t>(b >> at));
            const auto ordered = [&](float first, float second) { // a zero with a sign is the smaller one
                return first < second || (first == second && std::signbit(first)) || second != second;
            };
            const float both = op == minimum   ? (ordered(one, other) ? one : other)
                               : op == maximum ? (ordered(-one, -other) ? one : other)
                                               : one + other;
            result = static_cast<T>(result | static_cast<T>(static_cast<T>(Format::narrow(both)) << at));
        }
        return result;
    }
};
template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

// Replaces an element in memory by its combination with one at `from`.
using Reduce = void (*)(char *to, const char *from, Operation op);
// Null where elements of that type can't be combined so.
Reduce reducer_of(Type type, Operation op);
// The operation that a modifier names, "add"; false where it names none.
bool operation_named(std::string_view name, Operation &op);

} // namespace pygpu::host::ptx
