// Instructions for bytes and half words of words (PTX ISA, "Scalar Video Instructions", "SIMD Video
// Instructions").
#include "ptx/instructions/groups.hpp"
#include "ptx/machine/lanes.hpp"
#include "ptx/read/decoder.hpp"

#include <algorithm>

namespace pygpu::host::ptx {
namespace {

enum Operation : unsigned {
    add,
    subtract,
    difference,
    minimum,
    maximum,
    average,
    shift_left,
    shift_right,
    compare
};
enum Second : unsigned { none, sum, least, most };
enum Relation : unsigned { eq, ne, lt, le, gt, ge };
// A part of a register: all of it, a byte, or a half word.
enum Part : unsigned { whole, byte_0, byte_1, byte_2, byte_3, half_0, half_1 };

// What an instruction does, in its imm.
struct Video {
    Operation operation;
    Second second;
    Relation relation;
    unsigned lanes; // 1, 2, 4
    bool to_signed, a_signed, b_signed, saturates, wraps;
    unsigned mask; // of lanes that are written; of a scalar one: a Part
    unsigned a, b; // four bits for each lane's byte or half word of {a, b}; of a scalar one: a Part

    std::uint64_t packed() const {
        return operation | std::uint64_t{second} << 4 | std::uint64_t{relation} << 6 |
               std::uint64_t{lanes} << 9 | std::uint64_t{to_signed} << 12 | std::uint64_t{a_signed} << 13 |
               std::uint64_t{b_signed} << 14 | std::uint64_t{saturates} << 15 | std::uint64_t{wraps} << 16 |
               std::uint64_t{mask} << 17 | std::uint64_t{a} << 24 | std::uint64_t{b} << 40;
    }
    static Video of(std::uint64_t bits) {
        const auto field = [bits](unsigned at, unsigned mask) {
            return static_cast<unsigned>(bits >> at) & mask;
        };
        return {static_cast<Operation>(field(0, 15)),
                static_cast<Second>(field(4, 3)),
                static_cast<Relation>(field(6, 7)),
                field(9, 7),
                field(12, 1) != 0,
                field(13, 1) != 0,
                field(14, 1) != 0,
                field(15, 1) != 0,
                field(16, 1) != 0,
                field(17, 127),
                field(24, 0xffff),
                field(40, 0xffff)};
    }
};

std::int64_t extended(std::uint64_t value, unsigned bits, bool with_sign) {
    const std::uint64_t up = value << (64 - bits);
    return with_sign ? static_cast<std::int64_t>(up) >> (64 - bits)
                     : static_cast<std::int64_t>(up >> (64 - bits));
}

unsigned bits_of(unsigned part) { return part == whole ? 32 : part <= byte_3 ? 8 : 16; }
unsigned begin_of(unsigned part) {
    return part == whole ? 0 : part <= byte_3 ? 8 * (part - 1) : 16 * (part - half_0);
}

std::int64_t clamped(std::int64_t value, unsigned bits, bool with_sign) {
    const std::int64_t top = std::int64_t{1} << (with_sign ? bits - 1 : bits);
    return std::clamp<std::int64_t>(value, with_sign ? -top : 0, top - 1);
}

bool holds(Relation relation, std::int64_t a, std::int64_t b) {
    switch (relation) {
    case eq:
        return a == b;
    case ne:
        return a != b;
    case lt:
        return a < b;
    case le:
        return a <= b;
    case gt:
        return a > b;
    default:
        return a >= b;
    }
}

std::int64_t combined(const Video &how, std::int64_t a, std::int64_t b) {
    switch (how.operation) {
    case add:
        return a + b;
    case subtract:
        return a - b;
    case difference:
        return a < b ? b - a : a - b;
    case minimum:
        return std::min(a, b);
    case maximum:
        return std::max(a, b);
    case average: // rounded away from zero
        return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case shift_left:
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a)
                                         << (how.wraps ? b & 31 : std::min<std::int64_t>(b, 32)));
    case shift_right:
        return a >> (how.wraps ? b & 31 : std::min<std::int64_t>(b, 32));
    default:
        return holds(how.relation, a, b) ? 1 : 0;
    }
}

std::uint32_t scalar(const Video &how, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto part = [](std::uint32_t value, unsigned which, bool with_sign) {
        return extended(value >> begin_of(which), bits_of(which), with_sign);
    };
    std::int64_t value = combined(how, part(a, how.a, how.a_signed), part(b, how.b, how.b_signed));
    if (how.saturates) value = clamped(value, bits_of(how.mask), how.to_signed);
    const auto word_of = static_cast<std::uint32_t>(value);
    const std::int64_t mine = extended(word_of, 32, how.to_signed), other = extended(c, 32, how.to_signed);
    switch (how.second) {
    case sum:
        return word_of + c;
    case least:
        return static_cast<std::uint32_t>(std::min(mine, other));
    case most:
        return static_cast<std::uint32_t>(std::max(mine, other));
    default:
        break;
    }
    if (how.mask == whole) return word_of;
    const std::uint32_t ones = bits_of(how.mask) == 8 ? 0xff : 0xffff;
    return (c & ~(ones << begin_of(how.mask))) | (word_of & ones) << begin_of(how.mask);
}

std::uint32_t packed_lanes(const Video &how, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const unsigned bits = 32 / how.lanes;
    const std::uint32_t ones = (1u << bits) - 1;
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    std::uint32_t result = c;
    for (unsigned lane = 0; lane < how.lanes; ++lane) {
        if (!(how.mask >> lane & 1)) continue;
        const auto part = [&](unsigned from, bool with_sign) {
            return extended(both >> (from >> 4 * lane & 15) * bits, bits, with_sign);
        };
        std::int64_t value = combined(how, part(how.a, how.a_signed), part(how.b, how.b_signed));
        if (how.saturates) value = clamped(value, bits, how.to_signed);
        const auto word_of = static_cast<std::uint32_t>(value);
        if (how.second == sum)
            result += word_of;
        else
            result = (result & ~(ones << bits * lane)) | (word_of & ones) << bits * lane;
    }
    return result;
}

const Instr *run(const Instr *i, Warp &w) {
    const Video how = Video::of(i->imm);
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b),
                      *const c = w.reg<std::uint32_t>(i->c);
    each_active(w, [&](unsigned l) {
        d[l] = how.lanes == 1 ? scalar(how, a[l], b[l], c[l]) : packed_lanes(how, a[l], b[l], c[l]);
    });
    return i + 1;
}

// The register of an operand without the part that it names.
Operand register_of(const Operand &from) {
    Operand all = from;
    all.part = {};
    all.negated = false;
    return all;
}

unsigned part_of(const Decoder &d, const Operand &from) {
    static constexpr std::string_view names[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
    const auto *const name = std::ranges::find(names, from.part);
    if (name == std::end(names)) d.unknown();
    return static_cast<unsigned>(name - names);
}

// b3210: from the highest lane to the lowest, the bytes or half words of {a, b} by their numbers.
unsigned lanes_of(const Decoder &d, const Operand &from, unsigned lanes, unsigned first) {
    unsigned all = 0;
    if (from.part.empty()) {
        for (unsigned lane = 0; lane < lanes; ++lane) all |= (first + lane) << 4 * lane;
        return all;
    }
    if (from.part.size() != lanes + 1 || from.part[0] != (lanes == 2 ? 'h' : 'b')) d.unknown();
    for (unsigned lane = 0; lane < lanes; ++lane) {
        const char digit = from.part[lanes - lane];
        if (digit < '0' || static_cast<unsigned>(digit - '0') >= 2 * lanes) d.unknown();
        all |= static_cast<unsigned>(digit - '0') << 4 * lane;
    }
    return all;
}

unsigned mask_of(const Decoder &d, const Operand &to, unsigned lanes) {
    if (to.part.empty()) return (1u << lanes) - 1;
    if (to.part.size() < 2 || to.part[0] != (lanes == 2 ? 'h' : 'b')) d.unknown();
    unsigned mask = 0;
    for (const char digit : to.part.substr(1)) {
        if (digit < '0' || static_cast<unsigned>(digit - '0') >= lanes) d.unknown();
        mask |= 1u << (digit - '0');
    }
    return mask;
}

Second second_of(const Decoder &d) {
    return d.has("add") ? sum : d.has("min") ? least : d.has("max") ? most : none;
}

Relation relation_of(const Decoder &d) {
    static constexpr std::string_view names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    for (unsigned at = 0; at < 6; ++at) {
        if (d.has(names[at])) return static_cast<Relation>(at);
    }
    d.unknown();
}

struct NamedOperation {
    std::string_view name;
    Operation operation;
    unsigned lanes;
};
constexpr NamedOperation operations[] = {
    {"vadd", add, 1},       {"vsub", subtract, 1},        {"vabsdiff", difference, 1},  {"vmin", minimum, 1},
    {"vmax", maximum, 1},   {"vshl", shift_left, 1},      {"vshr", shift_right, 1},     {"vset", compare, 1},
    {"vadd2", add, 2},      {"vsub2", subtract, 2},       {"vabsdiff2", difference, 2}, {"vmin2", minimum, 2},
    {"vmax2", maximum, 2},  {"vavrg2", average, 2},       {"vset2", compare, 2},        {"vadd4", add, 4},
    {"vsub4", subtract, 4}, {"vabsdiff4", difference, 4}, {"vmin4", minimum, 4},        {"vmax4", maximum, 4},
    {"vavrg4", average, 4}, {"vset4", compare, 4}};

void decode_video(Decoder &d) {
    d.allow({"sat", "add", "min", "max", "clamp", "wrap", "eq", "ne", "lt", "le", "gt", "ge"});
    const NamedOperation &named = *std::ranges::find(operations, d.base, &NamedOperation::name);
    const bool compares = named.operation == compare, single = named.lanes == 1;
    const Type b = d.needs_type(), a = d.needs_type(1),
               to = compares ? Type{Type::natural, 32} : d.needs_type(2);
    for (const Type one : {to, a, b}) {
        if (one.bits != 32 || one.lanes != 1 || one.is_float()) d.unknown();
    }
    const Second second = second_of(d);
    if (!single && (second == least || second == most)) d.unknown();
    const Operand &result = d.operand(0);
    const Video how{named.operation,
                    second,
                    compares ? relation_of(d) : eq,
                    named.lanes,
                    to.is_signed(),
                    a.is_signed(),
                    b.is_signed(),
                    d.has("sat"),
                    d.has("wrap"),
                    single ? part_of(d, result) : mask_of(d, result, named.lanes),
                    single ? part_of(d, d.operand(1)) : lanes_of(d, d.operand(1), named.lanes, 0),
                    single ? part_of(d, d.operand(2)) : lanes_of(d, d.operand(2), named.lanes, named.lanes)};
    const bool third = d.count() == 4;
    if (!third && (d.count() != 3 || !single || second != none || how.mask != whole)) d.unknown();
    if (single && second != none && how.mask != whole) d.unknown();
    const auto in = [&](std::size_t at) { return d.in(register_of(d.operand(at)), word); };
    const std::uint32_t x = in(1), y = in(2), z = third ? in(3) : x;
    const std::uint32_t at = d.out(register_of(result), word);
    Instr &instr = d.emit(run);
    instr.d = at;
    instr.a = x;
    instr.b = y;
    instr.c = z;
    instr.imm = how.packed();
}

// ---- vmad. imm: the parts of a and b, then flags and the shift
enum : std::uint64_t {
    a_has_sign = 1 << 8,
    b_has_sign = 1 << 9,
    negates_product = 1 << 10,
    negates_c = 1 << 11,
    plus_one = 1 << 12,
    with_sign = 1 << 13,
    saturates = 1 << 14
};
constexpr unsigned shift_at = 16;

const Instr *multiply_add(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b),
                      *const c = w.reg<std::uint32_t>(i->c);
    using Wide = __int128;
    each_active(w, [&](unsigned l) {
        const auto part = [](std::uint32_t value, unsigned which, bool is_signed) {
            return extended(value >> begin_of(which), bits_of(which), is_signed);
        };
        Wide product = Wide{part(a[l], i->imm & 15, i->imm & a_has_sign)} *
                       part(b[l], i->imm >> 4 & 15, i->imm & b_has_sign);
        if (i->imm & negates_product) product = ~product;
        const std::uint32_t third = i->imm & negates_c ? ~c[l] : c[l];
        product += extended(third, 32, i->imm & with_sign);
        if (i->imm & (negates_product | negates_c | plus_one)) product += 1;
        const auto shifted = static_cast<std::int64_t>(product >> (i->imm >> shift_at));
        d[l] = static_cast<std::uint32_t>(i->imm & saturates ? clamped(shifted, 32, (i->imm & with_sign) != 0)
                                                             : shifted);
    });
    return i + 1;
}

void decode_mad(Decoder &d) {
    d.allow({"sat", "po", "shr7", "shr15"});
    const Type b = d.needs_type(), a = d.needs_type(1);
    const bool turned = d.operand(1).negated != d.operand(2).negated, turned_c = d.operand(3).negated;
    if (d.has("po") && (turned || turned_c)) d.unknown();
    std::uint64_t how = part_of(d, d.operand(1)) | part_of(d, d.operand(2)) << 4;
    how |= (a.is_signed() ? a_has_sign : std::uint64_t{0}) | (b.is_signed() ? b_has_sign : std::uint64_t{0});
    how |= d.has("po") ? plus_one : turned ? negates_product : turned_c ? negates_c : std::uint64_t{0};
    how |= a.is_signed() || b.is_signed() || turned || turned_c ? with_sign : std::uint64_t{0};
    how |= d.has("sat") ? saturates : std::uint64_t{0};
    how |= std::uint64_t{d.has("shr7") ? 7u : d.has("shr15") ? 15u : 0u} << shift_at;
    const auto in = [&](std::size_t at) { return d.in(register_of(d.operand(at)), word); };
    const std::uint32_t x = in(1), y = in(2), z = in(3), to = d.out(std::size_t{0}, word);
    Instr &instr = d.emit(multiply_add);
    instr.d = to;
    instr.a = x;
    instr.b = y;
    instr.c = z;
    instr.imm = how;
}

} // namespace

std::vector<Decoding> video_group() {
    std::vector<Decoding> all{{"vmad", decode_mad}};
    for (const NamedOperation &one : operations) all.push_back({one.name, decode_video});
    return all;
}

} // namespace pygpu::host::ptx
