// Products of a warpgroup's matrices (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"). Each of
// its four warps has 16 of the 64 rows of D and A, and computes them alone when it comes to the instruction:
// fences, groups and waits order nothing that isn't in order here.
//
// As for mma, products are exact and summed in double; a card cuts off more bits, above all of sums of e4m3
// and e5m2.
#include "ptx/instructions/elements.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/matrix.hpp"
#include "ptx/machine/cluster_window.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::host::ptx {
namespace {

constexpr unsigned rows = 16, most_columns = 256, depth_bytes = 32; // of a warp; of K in memory
constexpr unsigned most_depth = 256;                                // single bits
constexpr unsigned line = 8; // rows or columns that a pattern in memory has

// "Matrix Descriptor Format"
struct Descriptor {
    std::uint64_t start, leading, stride;
    unsigned base, mode; // mode: 0 none, 1: 128 bytes, 2: 64, 3: 32

    explicit Descriptor(std::uint64_t bits)
        : start((bits & 0x3fff) << 4), leading((bits >> 16 & 0x3fff) << 4),
          stride((bits >> 32 & 0x3fff) << 4), base(bits >> 49 & 7), mode(bits >> 62 & 3) {}

    unsigned width() const { return mode ? 256u >> mode : 16; } // bytes of a row of the pattern

    // "Swizzling Modes": 16 bytes change places by the number of their row of 128 bytes in the pattern.
    std::uint64_t swizzled(std::uint64_t at) const {
        const std::uint64_t mask = mode ? (8u >> (mode - 1)) - 1 : 0;
        return at ^ (((at >> 7) - base) & mask) << 4;
    }
    // Where element k of a row lies, in bytes: "Strides", "K-major" and "MN-major". `k` is in bytes where
    // rows lie along K; else elements of 16 bits lie along M or N.
    std::uint64_t along_k(unsigned row, unsigned k) const {
        const std::uint64_t group = start + row / line * stride + std::uint64_t{row % line} * width();
        return swizzled(mode ? group + k : group + k / 16 * leading + k % 16);
    }
    std::uint64_t across_k(unsigned row, unsigned k) const {
        const unsigned elements = width() / 2;
        const std::uint64_t to_row = mode ? leading : stride, to_line = mode ? stride : leading;
        return swizzled(start + row / elements * to_row + row % elements * 2 + k / line * to_line +
                        std::uint64_t{k % line} * width());
    }
};

enum : std::uint32_t { negates_a = 1, negates_b = 2, turns_a = 4, turns_b = 8, saturates = 16, ands = 32 };

// What a product is, in the instruction's b.
struct Kind {
    Element to, a, b;
    unsigned columns;
    bool in_registers;

    std::uint32_t packed() const {
        return to | a << 4 | b << 8 | columns << 12 | (in_registers ? 1u : 0u) << 24;
    }
    static Kind of(std::uint32_t packed) {
        return {static_cast<Element>(packed & 15), static_cast<Element>(packed >> 4 & 15),
                static_cast<Element>(packed >> 8 & 15), packed >> 12 & 511, (packed >> 24 & 1) != 0};
    }
    unsigned depth() const { return depth_bytes * 8 / bits_of(a); }
    unsigned results() const { return columns / (to == f16 ? 4 : 2); } // registers of D
};

// Reads `count` rows of a matrix in shared memory, transposed where a product needs it so: each(row, k,
// bits).
template <class Each>
bool read_shared(const Instr *i, Warp &w, const Descriptor &from, Element element, unsigned first,
                 unsigned count, bool turned, Each each) {
    const unsigned bits = bits_of(element), depth = depth_bytes * 8 / bits;
    const Block &block = *w.block;
    const auto lane = static_cast<unsigned>(std::countr_zero(w.exec));
    const auto bytes_at = [&](std::uint64_t at, unsigned size, std::uint32_t &value) {
        if (at >= block.shared_size || block.shared_size - at < size) {
            bad_access(i, w, at, size, lane, false, Window::shared);
            return false;
        }
        value = 0;
        std::memcpy(&value, block.shared + at, size);
        return true;
    };
    for (unsigned row = first; row < first + count; ++row) {
        if (turned) {
            for (unsigned k = 0; k < depth; ++k) {
                std::uint32_t value = 0;
                if (!bytes_at(from.across_k(row, k), 2, value)) return false;
                each(row - first, k, value);
            }
            continue;
        }
        for (unsigned byte = 0; byte < depth_bytes; byte += 4) {
            std::uint32_t word_of = 0;
            if (!bytes_at(from.along_k(row, byte), 4, word_of)) return false;
            for (unsigned at = 0; at < 32; at += bits)
                each(row - first, (byte * 8 + at) / bits, word_of >> at);
        }
    }
    return true;
}

// slots: D's registers, then A's or the slot of its descriptor, then B's descriptor. c: scale-d, a predicate;
// flip: the flags above
const Instr *multiply(const Instr *i, Warp &w) {
    if (!whole_warp(i, w)) return nullptr;
    const Kind kind = Kind::of(i->b);
    const std::vector<std::uint32_t> &slots = i->extra->slots;
    const unsigned depth = kind.depth(), n = kind.columns, results = kind.results();
    const std::uint32_t *const a_slots = slots.data() + results;
    thread_local double a[rows * most_depth], b[most_depth * most_columns], sum[rows * most_columns];
    const double sign = ((i->flip & negates_a) != 0) == ((i->flip & negates_b) != 0) ? 1 : -1;
    if (kind.in_registers) {
        const unsigned bits = bits_of(kind.a), size = 32 / bits;
        for (unsigned number = 0; number < 4; ++number) {
            const auto *const values = w.reg<std::uint32_t>(a_slots[number]);
            for (unsigned lane = 0; lane < warp_size; ++lane) {
                const unsigned row = lane / 4 + line * (number & 1);
                for (unsigned part = 0; part < size; ++part) {
                    const unsigned k = (lane % 4 + 4 * (number >> 1)) * size + part;
                    a[row * depth + k] = sign * value_of(kind.a, values[lane] >> part * bits);
                }
            }
        }
    } else {
        const Descriptor from(w.reg<std::uint64_t>(a_slots[0])[0]);
        if (!read_shared(i, w, from, kind.a, w.number % 4 * rows, rows, (i->flip & turns_a) != 0,
                         [&](unsigned row, unsigned k, std::uint32_t bits) {
                             a[row * depth + k] = sign * value_of(kind.a, bits);
                         }))
            return nullptr;
    }
    const Descriptor from(w.reg<std::uint64_t>(slots.back())[0]);
    if (!read_shared(i, w, from, kind.b, 0, n, (i->flip & turns_b) != 0,
                     [&](unsigned column, unsigned k, std::uint32_t bits) {
                         b[k * n + column] = value_of(kind.b, bits);
                     }))
        return nullptr;
    // D: "Register Fragments for wgmma.mma_async": rows as in mma, and eight columns after eight.
    const bool halves = kind.to == f16;
    const auto each_result = [&](auto body) { // body(register, lane, shift, index)
        for (unsigned number = 0; number < results; ++number) {
            for (unsigned lane = 0; lane < warp_size; ++lane) {
                for (unsigned part = 0; part < (halves ? 2 : 1); ++part) {
                    const unsigned own = halves ? number * 2 + part : number;
                    const unsigned row = lane / 4 + line * (own >> 1 & 1),
                                   column = own / 4 * line + lane % 4 * 2 + (own & 1);
                    body(w.reg<std::uint32_t>(slots[number])[lane], part * 16, row * n + column);
                }
            }
        }
    };
    const bool adds = w.pred(i->c) & 1;
    if (adds)
        each_result([&](std::uint32_t &bits, unsigned shift, unsigned index) {
            sum[index] = value_of(kind.to, bits >> shift);
        });
    else
        std::fill_n(sum, rows * n, 0.0);
    for (unsigned row = 0; row < rows; ++row) {
        double *const to = sum + row * n;
        for (unsigned k = 0; k < depth; ++k) {
            const double factor = a[row * depth + k];
            const double *const other = b + k * n;
            for (unsigned column = 0; column < n; ++column) to[column] += factor * other[column];
        }
    }
    each_result([&](std::uint32_t &bits, unsigned shift, unsigned index) {
        const auto value =
            static_cast<std::uint32_t>(sum_bits(kind.to, sum[index], (i->flip & saturates) != 0));
        bits = halves ? (bits & ~(0xffffu << shift)) | value << shift : value;
    });
    return i + 1;
}

bool are_right(Element to, Element a, Element b, const Shape &shape) {
    if (shape.m != 64 || shape.k * bits_of(a) != depth_bytes * 8) return false;
    const bool eights = shape.n >= 8 && shape.n <= most_columns && shape.n % 8 == 0;
    switch (a) {
    case f16:
        return eights && b == f16 && (to == f16 || to == f32);
    case bf16:
    case tf32:
        return eights && b == a && to == f32;
    case e4m3:
    case e5m2:
        return eights && is_tiny_float(b) && (to == f16 || to == f32);
    case s8:
    case u8: // "n is 8, 16, 24, 32, 48, 64 and so on by 16"
        return eights && (shape.n <= 32 || shape.n % 16 == 0) && (b == s8 || b == u8) && to == s32;
    case b1:
        return eights && (shape.n <= 32 || shape.n % 16 == 0) && b == b1 && to == s32;
    default:
        return false;
    }
}

void decode_product(Decoder &d) {
    const Shape shape = shape_of(d);
    const std::vector<Element> types = elements_of(d);
    if (types.size() != 3 || d.has("sp") || !are_right(types[0], types[1], types[2], shape)) d.unknown();
    const bool in_registers = d.operand(1).kind == Operand::vector;
    const Kind kind{types[0], types[1], types[2], shape.n, in_registers};
    if (kind.a == b1 && (!d.has("and") || !d.has("popc"))) d.unknown();
    const auto to = registers_of(d.operand(0)), a = registers_of(d.operand(1));
    if (to.size() != kind.results() || (in_registers && a.size() != 4))
        d.unknown("it has another number of registers than its shape");
    const Type of_result{kind.to == f32 ? Type::real : Type::untyped, 32}, descriptor{Type::untyped, 64};
    std::vector<std::uint32_t> slots;
    slots.reserve(to.size() + a.size() + 2);
    for (const Operand *one : to) slots.push_back(d.out(*one, of_result));
    for (const Operand *one : a) slots.push_back(d.in(*one, in_registers ? word : descriptor));
    slots.push_back(d.in(2, descriptor));
    const std::uint32_t adds = d.count() > 3 ? d.pred_in(d.operand(3)) : (d.unknown(), 0);
    std::uint32_t flags = d.has("satfinite") ? saturates : std::uint32_t{0};
    std::size_t next = 4;
    const auto number = [&]() -> std::int64_t {
        return next < d.count() ? static_cast<std::int64_t>(d.number(d.operand(next++))) : (d.unknown(), 0);
    };
    if (!is_integer(kind.a)) {
        if (number() == -1) flags |= negates_a;
        if (number() == -1) flags |= negates_b;
        if (kind.a == f16 || kind.a == bf16) {
            if (!in_registers && number()) flags |= turns_a;
            if (number()) flags |= turns_b;
        }
    }
    if (next != d.count()) d.unknown();
    Extra &more = d.extra();
    more.slots = std::move(slots);
    Instr &instr = d.emit(multiply);
    instr.b = kind.packed();
    instr.c = adds;
    instr.flip = flags;
    instr.imm = together_with(0);
    instr.extra = &more;
}

void decode_wgmma(Decoder &d) {
    d.branch_around();
    if (d.has("mma_async")) return decode_product(d);
    if (!d.has("fence") && !d.has("commit_group") && !d.has("wait_group")) d.unknown();
    d.emit(nothing);
}

} // namespace

std::vector<Decoding> warpgroup_group() { return {{"wgmma", decode_wgmma}}; }

} // namespace pygpu::host::ptx
