// Products of matrices that a warp holds together, D = A * B + C (PTX ISA, "Warp Level Matrix Instructions:
// mma, wmma.mma"), and wmma's loads and stores.
//
// Products are exact, and summed with C in double, in the order of k; the sum is rounded once, to D's type.
// The ISA leaves order and precision open, and cards differ in the last bits. Integers wrap.
#include "ptx/instructions/elements.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/matrix.hpp"
#include "ptx/instructions/rounding.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::host::ptx {
namespace {

constexpr unsigned most_elements = 4096; // of a matrix: 16 x 256
constexpr unsigned most_sums = 256, most_loaded = 1024;

// A matrix in registers: it knows which element a part of a lane's register is.
struct Fragment {
    enum Side : std::uint32_t { left, right, result };
    Side side;
    Element element;
    bool wmma;
    unsigned rows, columns;

    Fragment(Side side, Element element, bool wmma, Shape shape)
        : side(side), element(element), wmma(wmma), rows(side == right ? shape.k : shape.m),
          columns(side == left ? shape.k : shape.n) {}

    // Packed into an instruction's place, whose highest bit would mark a constant.
    std::uint32_t packed() const {
        return side | element << 2 | (wmma ? 1u : 0u) << 6 | rows << 7 | columns << 16;
    }
    static Fragment of(std::uint32_t packed) {
        Fragment fragment{static_cast<Side>(packed & 3), static_cast<Element>(packed >> 2 & 15),
                          (packed >> 6 & 1) != 0, Shape{}};
        fragment.rows = packed >> 7 & 511;
        fragment.columns = packed >> 16 & 511;
        return fragment;
    }

    unsigned bits() const { return bits_of(element); }
    unsigned in_register() const { return bits() == 64 ? 1 : 32 / bits(); }
    unsigned elements() const { return rows * columns; }
    // wmma's fragments of f16 always have eight; some elements are there more than once.
    unsigned registers() const {
        if (wmma && element == f16 && side != result) return 8;
        return elements() / (warp_size * in_register());
    }
    Type type() const {
        const Type::ScalarKind kind = element == f32 || element == f64 ? Type::real : Type::untyped;
        return {kind, static_cast<std::uint8_t>(bits() == 64 ? 64 : 32)};
    }

    // Row * columns + column. mma: PTX ISA, "Matrix Fragments for mma.m16n8k8" and the sections of the
    // other shapes, which follow one rule. wmma's are the implementation's: in the order of lanes here.
    unsigned index(unsigned lane, unsigned number, unsigned part) const {
        const unsigned size = in_register(), group = lane / 4, thread = lane % 4;
        if (wmma) return ((lane * registers() + number) * size + part) % elements();
        const unsigned along = thread * size + part;
        switch (side) {
        case left:
            if (rows == 8) return group * columns + along + 4 * size * number;
            return (group + 8 * (number & 1)) * columns + along + 4 * size * (number >> 1);
        case right:
            return (along + 4 * size * number) * columns + group;
        default: {
            const unsigned own = number * size + part;
            return (group + 8 * (own >> 1)) * columns + 2 * thread + (own & 1);
        }
        }
    }

    // Calls body(bits, index) for each element.
    template <class Body> void read(Warp &w, const std::uint32_t *slots, Body body) const {
        const unsigned size = in_register(), width = bits();
        for (unsigned number = 0; number < registers(); ++number) {
            for (unsigned lane = 0; lane < warp_size; ++lane) {
                const std::uint64_t whole = width == 64 ? w.reg<std::uint64_t>(slots[number])[lane]
                                                        : w.reg<std::uint32_t>(slots[number])[lane];
                for (unsigned part = 0; part < size; ++part)
                    body(whole >> part * width, index(lane, number, part));
            }
        }
    }
    // body(index) returns the bits of an element.
    template <class Body> void write(Warp &w, const std::uint32_t *slots, Body body) const {
        const unsigned size = in_register(), width = bits();
        for (unsigned number = 0; number < registers(); ++number) {
            for (unsigned lane = 0; lane < warp_size; ++lane) {
                std::uint64_t whole = 0;
                for (unsigned part = 0; part < size; ++part)
                    whole |= body(index(lane, number, part)) << part * width;
                if (width == 64)
                    w.reg<std::uint64_t>(slots[number])[lane] = whole;
                else
                    w.reg<std::uint32_t>(slots[number])[lane] = static_cast<std::uint32_t>(whole);
            }
        }
    }
};

// Adds the slots of an operand's registers.
void add_slots(Decoder &d, const Operand &operand, const Fragment &fragment, bool writes,
               std::vector<std::uint32_t> &to) {
    const auto registers = registers_of(operand);
    if (registers.size() != fragment.registers())
        d.unknown("a matrix of it has " + std::to_string(fragment.registers()) + " registers");
    for (const Operand *one : registers)
        to.push_back(writes ? d.out(*one, fragment.type()) : d.in(*one, fragment.type()));
}

// ---- products. d, a, b, c: the fragments; flip: saturates; slots: of D, A, B, C
template <bool Fused> const Instr *multiply(const Instr *i, Warp &w) {
    if (!whole_warp(i, w)) return nullptr;
    const Fragment to = Fragment::of(i->d), left = Fragment::of(i->a), right = Fragment::of(i->b),
                   add = Fragment::of(i->c);
    double a[most_elements], b[most_elements], sum[most_sums];
    const std::uint32_t *slots = i->extra->slots.data() + to.registers();
    const auto read = [&](const Fragment &from, double *values) {
        from.read(w, slots,
                  [&](std::uint64_t bits, unsigned index) { values[index] = value_of(from.element, bits); });
        slots += from.registers();
    };
    read(left, a);
    read(right, b);
    read(add, sum);
    const unsigned n = to.columns, depth = left.columns;
    for (unsigned row = 0; row < to.rows; ++row) {
        for (unsigned k = 0; k < depth; ++k) {
            const double factor = a[row * depth + k];
            for (unsigned column = 0; column < n; ++column) {
                double &one = sum[row * n + column];
                one = Fused ? std::fma(factor, b[k * n + column], one) : one + factor * b[k * n + column];
            }
        }
    }
    to.write(w, i->extra->slots.data(),
             [&](unsigned index) { return sum_bits(to.element, sum[index], i->flip != 0); });
    return i + 1;
}

// ---- products of single bits: the ones of a xor or and of each row and column are counted. flip: and
const Instr *count_bits(const Instr *i, Warp &w) {
    if (!whole_warp(i, w)) return nullptr;
    const Fragment to = Fragment::of(i->d), left = Fragment::of(i->a), right = Fragment::of(i->b),
                   add = Fragment::of(i->c);
    std::uint8_t a[most_elements], b[most_elements];
    std::uint32_t sum[most_sums];
    const std::uint32_t *slots = i->extra->slots.data() + to.registers();
    const auto read = [&](const Fragment &from, auto *values) {
        from.read(w, slots, [&](std::uint64_t bits, unsigned index) {
            values[index] =
                static_cast<std::remove_reference_t<decltype(*values)>>(from.element == b1 ? bits & 1 : bits);
        });
        slots += from.registers();
    };
    read(left, a);
    read(right, b);
    read(add, sum);
    const unsigned n = to.columns, depth = left.columns;
    for (unsigned row = 0; row < to.rows; ++row) {
        for (unsigned column = 0; column < n; ++column) {
            for (unsigned k = 0; k < depth; ++k) {
                const unsigned x = a[row * depth + k], y = b[k * n + column];
                sum[row * n + column] += i->flip ? x & y : x ^ y;
            }
        }
    }
    to.write(w, i->extra->slots.data(), [&](unsigned index) { return std::uint64_t{sum[index]}; });
    return i + 1;
}

// Whether the ISA has this shape for the type of A and B.
bool is_there(bool wmma, Element element, Shape shape) {
    const auto one_of = [&](std::initializer_list<Shape> all) {
        return std::ranges::find(all, shape) != all.end();
    };
    const bool wide = one_of({{16, 16, 16}, {32, 8, 16}, {8, 32, 16}});
    switch (element) {
    case f16:
    case bf16:
        return wmma ? wide : one_of({{16, 8, 8}, {16, 8, 16}});
    case tf32:
        return wmma ? one_of({{16, 16, 8}}) : one_of({{16, 8, 4}, {16, 8, 8}});
    case f64:
        return wmma ? one_of({{8, 8, 4}}) : one_of({{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}});
    case s8:
    case u8:
        return wmma ? wide : one_of({{8, 8, 16}, {16, 8, 16}, {16, 8, 32}});
    case s4:
    case u4:
        return wmma ? one_of({{8, 8, 32}}) : one_of({{8, 8, 32}, {16, 8, 32}, {16, 8, 64}});
    case b1:
        return wmma ? one_of({{8, 8, 128}}) : one_of({{8, 8, 128}, {16, 8, 128}, {16, 8, 256}});
    case e4m3:
    case e5m2:
        return !wmma && one_of({{16, 8, 16}, {16, 8, 32}});
    default:
        return false;
    }
}

bool is_sum_of(Element sum, Element factor) {
    if (factor == f64) return sum == f64;
    if (is_integer(factor)) return sum == s32;
    return sum == f32 || (sum == f16 && (factor == f16 || is_tiny_float(factor)));
}

// Types that A and B may have together.
bool go_together(Element a, Element b) {
    const auto both = [&](Element one, Element other) {
        return (a == one || a == other) && (b == one || b == other);
    };
    return a == b || both(s8, u8) || both(s4, u4) || both(e4m3, e5m2);
}

void decode_product(Decoder &d, bool wmma) {
    const Shape shape = shape_of(d);
    std::vector<Element> types = elements_of(d);
    // wmma's products of f16 name only the types of D and C.
    if (wmma && types.size() == 2) types.insert(types.begin() + 1, 2, f16);
    if (types.size() != 4) d.unknown();
    const Element to = types[0], a = types[1], b = types[2], c = types[3];
    for (const std::string_view mod : d.mods) {
        const bool type =
            std::ranges::find(element_names, mod, &NamedElement::name) != std::end(element_names);
        const bool of_bits = a == b1 && (mod == "xor" || mod == "and" || mod == "popc");
        static constexpr std::string_view known[] = {"mma", "sync", "aligned",  "row",
                                                     "col", "rn",   "satfinite"};
        if (!type && !of_bits && !mod.starts_with('m') && std::ranges::find(known, mod) == std::end(known))
            d.unknown();
    }
    const bool integers = is_integer(a);
    if (!go_together(a, b) || !is_there(wmma, a, shape) || !is_sum_of(c, a) || !is_sum_of(to, a)) d.unknown();
    if (d.has("satfinite") && (!integers || a == b1)) d.unknown();
    if (a == b1 && (!d.has("popc") || d.has("xor") == d.has("and"))) d.unknown();
    if (!wmma && (d.mods[3] != "row" || d.mods[4] != "col")) d.unknown();
    const Fragment fragments[] = {{Fragment::result, to, wmma, shape},
                                  {Fragment::left, a, wmma, shape},
                                  {Fragment::right, b, wmma, shape},
                                  {Fragment::result, c, wmma, shape}};
    std::vector<std::uint32_t> slots;
    for (std::size_t index = 0; index < 4; ++index)
        add_slots(d, d.operand(index), fragments[index], index == 0, slots);
    Extra &more = d.extra();
    more.slots = std::move(slots);
    Instr &instr = d.emit(a == b1 ? count_bits : a == f64 ? multiply<true> : multiply<false>);
    instr.d = fragments[0].packed();
    instr.a = fragments[1].packed();
    instr.b = fragments[2].packed();
    instr.c = fragments[3].packed();
    instr.flip = a == b1 ? d.has("and") : d.has("satfinite");
    instr.imm = together_with(0);
    instr.extra = &more;
}

// ---- wmma.load and wmma.store. a: the address, b: the fragment, c: where the elements' distance between
// lines lies; d: whether lines are columns. slots: a register for addresses, then the fragment's.
template <Window In, bool Stores> const Instr *move_fragment(const Instr *i, Warp &w) {
    if (!whole_warp(i, w)) return nullptr;
    const Fragment one = Fragment::of(i->b);
    const std::uint32_t *const slots = i->extra->slots.data() + 1;
    const bool by_columns = i->d != 0;
    const unsigned length = by_columns ? one.rows : one.columns, width = one.bits();
    const auto in_lines = [&](unsigned index) {
        return by_columns ? index % one.columns * one.rows + index / one.columns : index;
    };
    const auto whole_bytes = [&](std::uint64_t elements) { return elements * width / 8; };
    char memory[most_loaded * 8];
    if (Stores) {
        one.read(w, slots, [&](std::uint64_t bits, unsigned index) {
            const std::size_t at = std::size_t{in_lines(index)} * width;
            if (width >= 8) { // fragments of less are only loaded
                std::memcpy(memory + at / 8, &bits, width / 8);
            }
        });
    }
    // Lines are aligned to 16 bytes, so addresses are looked up for pieces of 16 bytes, 32 pieces at once.
    const auto line = static_cast<unsigned>(whole_bytes(length)), piece = std::min(line, 16u),
               pieces = static_cast<unsigned>(whole_bytes(one.elements())) / piece;
    const std::uint64_t begin = w.reg<std::uint64_t>(i->a)[0] + offset_of(i);
    const std::uint64_t step = whole_bytes(w.reg<std::uint32_t>(i->c)[0]);
    auto *const addresses = w.reg<std::uint64_t>(i->extra->slots[0]);
    Instr access = *i;
    access.a = i->extra->slots[0];
    access.imm = 0;
    for (unsigned first = 0; first < pieces; first += warp_size) {
        const unsigned count = std::min(pieces - first, warp_size);
        for (unsigned l = 0; l < count; ++l) {
            const unsigned at = (first + l) * piece;
            addresses[l] = begin + at / line * step + at % line;
        }
        char *at[warp_size];
        w.exec = count == warp_size ? ~0u : (1u << count) - 1;
        const bool may = resolve<In>(&access, w, piece, at);
        w.exec = ~0u;
        if (!may) return w.leave(Warp::Event::failed, i);
        for (unsigned l = 0; l < count; ++l) {
            char *const own = memory + (first + l) * piece;
            if (Stores)
                std::memcpy(at[l], own, piece);
            else
                std::memcpy(own, at[l], piece);
        }
    }
    if (Stores) return i + 1;
    one.write(w, slots, [&](unsigned index) {
        std::uint64_t bits = 0;
        const std::size_t at = std::size_t{in_lines(index)} * width;
        std::memcpy(&bits, memory + at / 8, (width + 7) / 8);
        return width < 8 ? bits >> at % 8 & ((1u << width) - 1) : bits;
    });
    return i + 1;
}

void decode_fragment(Decoder &d, bool stores) {
    const auto side = d.mods[1] == "a"                    ? Fragment::left
                      : d.mods[1] == "b"                  ? Fragment::right
                      : d.mods[1] == (stores ? "d" : "c") ? Fragment::result
                                                          : (d.unknown(), Fragment::left);
    if (stores && side != Fragment::result) d.unknown();
    d.allow({"load", "store", "sync", "aligned", "row", "col", "global", "shared", "shared::cta", "s4", "u4",
             "b1", d.mods[1], d.mods[5], d.mods[4]});
    const Shape shape = shape_of(d);
    const std::vector<Element> types = elements_of(d);
    if (types.size() != 1) d.unknown();
    const Element element = types[0];
    static constexpr Element factors[] = {f16, bf16, tf32, f64, s8, u8, s4, u4, b1};
    const bool there = std::ranges::any_of(factors, [&](Element factor) {
        return is_there(true, factor, shape) &&
               (side == Fragment::result ? is_sum_of(element, factor) : element == factor);
    });
    if (!there) d.unknown();
    const Fragment one{side, element, true, shape};
    const Window window = window_of(d);
    const Addressed at = address_in(d, d.operand(stores ? 0 : 1), window);
    const bool by_columns = d.has("col");
    const std::uint32_t step =
        d.count() > 2 ? d.in(2, {Type::natural, 32}) : d.constant(by_columns ? one.rows : one.columns, 32);
    std::vector<std::uint32_t> slots{d.temporary(64)};
    add_slots(d, d.operand(stores ? 1 : 0), one, !stores, slots);
    Extra &more = d.extra();
    more.slots = std::move(slots);
    const bool shared = window == Window::shared;
    Instr &instr =
        d.emit(stores   ? shared ? move_fragment<Window::shared, true> : move_fragment<Window::generic, true>
                 : shared ? move_fragment<Window::shared, false>
                        : move_fragment<Window::generic, false>);
    instr.a = at.base;
    instr.b = one.packed();
    instr.c = step;
    instr.d = by_columns;
    instr.imm = together_with(at.offset);
    instr.extra = &more;
    instr.hint = new_hint(d, stores);
}

void decode_mma(Decoder &d) {
    d.branch_around();
    if (d.mods.size() < 6) d.unknown();
    decode_product(d, false);
}

void decode_wmma(Decoder &d) {
    d.branch_around();
    if (d.mods.size() < 6) d.unknown();
    if (d.mods[0] == "mma") return decode_product(d, true);
    if (d.mods[0] == "load" || d.mods[0] == "store") return decode_fragment(d, d.mods[0] == "store");
    d.unknown();
}

} // namespace

std::uint64_t sum_bits(Element one, double value, bool saturates) {
    switch (one) {
    case f16:
        return Half::narrow(value);
    case f32:
        return std::bit_cast<std::uint32_t>(canonical(static_cast<float>(value)));
    case f64:
        return std::bit_cast<std::uint64_t>(value);
    default: {
        const auto whole = static_cast<std::int64_t>(value);
        return static_cast<std::uint32_t>(saturates ? std::clamp<std::int64_t>(whole, INT32_MIN, INT32_MAX)
                                                    : whole);
    }
    }
}

std::vector<Decoding> product_group() { return {{"mma", decode_mma}, {"wmma", decode_wmma}}; }

} // namespace pygpu::host::ptx
