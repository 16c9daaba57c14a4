// atom and red (PTX ISA, "Parallel Synchronization and Communication Instructions: atom, red"). All
// operations are sequentially consistent and system-wide.
#include "ptx/check/handlers.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/rounding.hpp"
#include "ptx/machine/memory_operand.hpp"

#include <type_traits>

namespace pygpu::host::ptx {
namespace {

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

// For floats there is only add.
template <class T> struct Sum {
    static T apply(Operation, T old, T b, T) { return canonical(old + b); }
};
// One or two narrow floats in a word.
template <class Format, class T> struct SumOfHalves {
    static T apply(Operation, T old, T b, T) {
        T result = 0;
        for (unsigned at = 0; at < sizeof(T) * 8; at += 16) {
            const float one = Format::widen(static_cast<std::uint16_t>(old >> at)) +
                              Format::widen(static_cast<std::uint16_t>(b >> at));
            result = static_cast<T>(result | static_cast<T>(static_cast<T>(Format::narrow(one)) << at));
        }
        return result;
    }
};
// Outside shared memory adding f32 flushes subnormal numbers ("atom", "Semantics").
template <class T> struct FlushedSum {
    static T apply(Operation op, T old, T b, T c) {
        return flushed(Sum<T>::apply(op, flushed(old), flushed(b), c));
    }
};
bool is_shared(const Block &block, const char *at) {
    return block.shared && static_cast<std::size_t>(at - block.shared) < block.shared_size;
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

// d: the old value, extra's slots: b and c.
template <class T, class Combine, Window In> const Instr *atomic(const Instr *i, Warp &w) {
    w.wait_by(In == Window::generic);
    char *at[warp_size];
    if (!resolve<In>(i, w, sizeof(T), at)) return nullptr;
    T *const d = w.reg<T>(i->d);
    const T *const b = w.reg<T>(i->extra->slots[0]), *const c = w.reg<T>(i->extra->slots[1]);
    const auto op = static_cast<Operation>(i->b);
    each_active(w, [&](unsigned l) {
        auto *const to = reinterpret_cast<Bits<T> *>(at[l]);
        Bits<T> old = __atomic_load_n(to, __ATOMIC_SEQ_CST);
        const T operand = b[l], other = c[l];
        auto *combine = Combine::apply;
        if constexpr (std::is_same_v<T, float> && In != Window::shared)
            combine = is_shared(*w.block, at[l]) ? combine : FlushedSum<T>::apply;
        for (;;) {
            const T result = combine(op, std::bit_cast<T>(old), operand, other);
            if (__atomic_compare_exchange_n(to, &old, std::bit_cast<Bits<T>>(result), false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST))
                break;
        }
        d[l] = std::bit_cast<T>(old);
    });
    return i + 1;
}

template <class T, class Combine> Handler in_window(Window window) {
    return window == Window::shared ? atomic<T, Combine, Window::shared>
                                    : atomic<T, Combine, Window::generic>;
}

void decode_atomic(Decoder &d) {
    const bool reduces = d.base == "red";
    const Type type = d.needs_type();
    struct Named {
        std::string_view name;
        Operation op;
    };
    static constexpr Named all[] = {
        {"add", add},     {"min", minimum},   {"max", maximum}, {"and", bit_and},   {"or", bit_or},
        {"xor", bit_xor}, {"exch", exchange}, {"cas", compare}, {"inc", increment}, {"dec", decrement}};
    const Named *match = nullptr;
    for (const Named &one : all) {
        if (d.has(one.name)) match = &one;
    }
    if (!match || d.has("async") || d.operand(reduces ? 1 : 2).kind == Operand::vector) d.unknown();
    const Window window = window_of(d);
    if (window == Window::local) d.unknown();
    Handler run = nullptr;
    if (type.is_float() && match->op != add) d.unknown();
    if (type.kind == Type::real && type.lanes == 1 && type.bits == 32)
        run = in_window<float, Sum<float>>(window);
    else if (type.kind == Type::real && type.bits == 64)
        run = in_window<double, Sum<double>>(window);
    else if (type.kind == Type::real && type.width() == 32)
        run = in_window<std::uint32_t, SumOfHalves<Half, std::uint32_t>>(window);
    else if (type.kind == Type::brain && type.width() == 32)
        run = in_window<std::uint32_t, SumOfHalves<Brain, std::uint32_t>>(window);
    else if (type.kind == Type::real && type.width() == 16)
        run = in_window<std::uint16_t, SumOfHalves<Half, std::uint16_t>>(window);
    else if (type.kind == Type::brain)
        run = in_window<std::uint16_t, SumOfHalves<Brain, std::uint16_t>>(window);
    else if (type.bits == 32)
        run = type.is_signed() ? in_window<std::int32_t, Plain<std::int32_t>>(window)
                               : in_window<std::uint32_t, Plain<std::uint32_t>>(window);
    else if (type.bits == 64)
        run = type.is_signed() ? in_window<std::int64_t, Plain<std::int64_t>>(window)
                               : in_window<std::uint64_t, Plain<std::uint64_t>>(window);
    else if (type.bits == 16 && match->op == compare)
        run = in_window<std::uint16_t, Plain<std::uint16_t>>(window);
    if (!run) d.unknown();
    const std::size_t at = reduces ? 0 : 1;
    const Addressed address = address_in(d, d.operand(at), window);
    const std::uint32_t b = d.in(at + 1, type), c = match->op == compare ? d.in(at + 2, type) : b;
    const std::uint32_t to = reduces ? d.temporary(type.width()) : d.out(std::size_t{0}, type);
    Extra &more = d.extra();
    more.slots = {b, c};
    check::before_access(d, address, type.width() / 8, check::reads | check::writes | check::atomic);
    const std::uint32_t hint = new_hint(d, true);
    Instr &instr = d.emit(run);
    instr.d = to;
    instr.a = address.base;
    instr.b = match->op;
    instr.imm = address.offset;
    instr.extra = &more;
    instr.hint = hint;
}

} // namespace

std::vector<Decoding> atomic_group() { return {{"atom", decode_atomic}, {"red", decode_atomic}}; }

} // namespace pygpu::host::ptx
