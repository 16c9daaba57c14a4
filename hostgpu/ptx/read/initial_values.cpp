// Reading the initial values of variables (PTX ISA, "Initializers").
#include "ptx/read/parser.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pygpu::host::ptx {
namespace {

constexpr std::size_t most_initial = 1 << 28; // bytes

} // namespace

// The values of an array, of an element of it, or of a vector's (PTX ISA, "Initializers"). Its counts may
// start with 0: as many as there are. Values follow each other without holes, as ptxas 13.0 puts them,
// also after an element with too few.
void Parser::initial(Global &to, Type type, std::span<const std::uint64_t> counts, std::size_t &at) {
    if (counts.empty()) {
        initial_value(to, type, at);
        at += type.width() / 8;
        return;
    }
    const auto rest = counts.subspan(1);
    std::size_t step = type.width() / 8, count = 0;
    for (const std::uint64_t one : rest) step *= one;
    words_.expect("{");
    if (!words_.take("}")) {
        do {
            if (counts[0] && count == counts[0]) words_.fail("there are too many initial values");
            initial(to, type, rest, at);
            ++count;
        } while (words_.take(","));
        words_.expect("}");
    }
    if (counts[0]) return;
    if (!count || count * step > most_bytes) words_.fail("the size of " + to.name + " isn't known");
    to.size = count * step;
}

void Parser::initial_value(Global &to, Type type, std::size_t at) {
    const std::size_t size = type.width() / 8;
    const std::string_view sign = is_sign(words_.now) ? words_.taken() : std::string_view{};
    Operand value;
    if (at_constant(words_)) {
        value = number(sign);
        if (value.kind == Operand::number && words_.take("(")) value.bits = masked(to, at, value.bits);
    } else if (sign.empty() && type.kind == Type::natural && size >= 8) {
        return address_in(to, at, 8, 0);
    } else {
        words_.fail("an initial value is expected that fits its type, not '" + std::string(words_.now) + "'");
    }
    const bool real = value.kind == Operand::single || value.kind == Operand::real;
    if (real ? !(type.kind == Type::real || type.kind == Type::untyped) || size < 4 : type.is_float())
        words_.fail("an initial value doesn't fit its type");
    if (value.kind == Operand::real && size == 4)
        value.bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
    if (!value.bits) return;
    if (at >= most_initial) words_.fail("there are too many initial values");
    if (to.initial.size() < at + size) to.initial.resize(at + size);
    std::memcpy(to.initial.data() + at, &value.bits, std::min(size, sizeof value.bits));
}

// "0xff00(name)", from after the parenthesis: a byte of an address, or of a number.
std::uint64_t Parser::masked(Global &to, std::size_t at, std::uint64_t mask) {
    const auto shift = static_cast<unsigned>(std::countr_zero(mask));
    if (shift % 8 || mask >> (shift & 63) != 0xff) words_.fail("a mask selects one byte, such as 0xff00");
    std::uint64_t value = 0;
    if (at_constant(words_))
        value = static_cast<std::uint64_t>(signed_number(words_)) >> shift & 0xff;
    else
        address_in(to, at, 1, shift);
    words_.expect(")");
    return value;
}

// "name", "name+4", "generic(name)+4".
void Parser::address_in(Global &to, std::size_t at, std::size_t size, unsigned shift) {
    const bool generic = words_.take("generic");
    if (generic) words_.expect("(");
    const std::string_view name = words_.taken();
    if (!Lexer::in_word(name[0])) words_.fail("a value is expected, not '" + std::string(name) + "'");
    if (generic) words_.expect(")");
    const auto offset = words_.take("+") ? static_cast<std::uint64_t>(signed_number(words_)) : 0;
    to.addresses.push_back({at, std::string(name), offset, size, shift});
}

} // namespace pygpu::host::ptx
