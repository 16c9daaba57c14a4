// atom and red (PTX ISA, "Parallel Synchronization and Communication Instructions: atom, red"). All
// operations are sequentially consistent and system-wide.
#include "ptx/check/handlers.hpp"
#include "ptx/instructions/bulk.hpp"
#include "ptx/instructions/combine.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/machine/memory_operand.hpp"

#include <algorithm>

namespace pygpu::host::ptx {
namespace {

// Outside shared memory adding f32 flushes subnormal numbers ("atom", "Semantics").
template <class T> struct FlushedSum {
    static T apply(Operation op, T old, T b, T c) {
        return flushed(Sum<T>::apply(op, flushed(old), flushed(b), c));
    }
};
bool is_shared(const Block &block, const char *at) {
    return block.shared && static_cast<std::size_t>(at - block.shared) < block.shared_size;
}

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
    if (d.has("async")) return decode_async_reduction(d);
    Operation op{};
    if (std::ranges::none_of(d.mods, [&](std::string_view mod) { return operation_named(mod, op); }))
        d.unknown();
    // A vector's elements are combined one by one: the ISA promises no more ("atom").
    const auto parts = registers_of(d.operand(reduces ? 1 : 2));
    const bool vector = d.operand(reduces ? 1 : 2).kind == Operand::vector;
    const std::size_t said = d.has("v2") ? 2 : d.has("v4") ? 4 : d.has("v8") ? 8 : 1;
    if (vector ? !type.is_float() || said != parts.size() : said != 1) d.unknown();
    const Window window = window_of(d);
    if (window == Window::local) d.unknown();
    Handler run = nullptr;
    const bool halves = type.bits == 16 && vector && (op == minimum || op == maximum);
    if (type.is_float() && op != add && !halves) d.unknown();
    if (type.kind == Type::real && type.lanes == 1 && type.bits == 32)
        run = in_window<float, Sum<float>>(window);
    else if (type.kind == Type::real && type.bits == 64)
        run = in_window<double, Sum<double>>(window);
    else if (type.kind == Type::real && type.width() == 32)
        run = in_window<std::uint32_t, OfHalves<Half, std::uint32_t>>(window);
    else if (type.kind == Type::brain && type.width() == 32)
        run = in_window<std::uint32_t, OfHalves<Brain, std::uint32_t>>(window);
    else if (type.kind == Type::real && type.width() == 16)
        run = in_window<std::uint16_t, OfHalves<Half, std::uint16_t>>(window);
    else if (type.kind == Type::brain)
        run = in_window<std::uint16_t, OfHalves<Brain, std::uint16_t>>(window);
    else if (type.bits == 32)
        run = type.is_signed() ? in_window<std::int32_t, Plain<std::int32_t>>(window)
                               : in_window<std::uint32_t, Plain<std::uint32_t>>(window);
    else if (type.bits == 64)
        run = type.is_signed() ? in_window<std::int64_t, Plain<std::int64_t>>(window)
                               : in_window<std::uint64_t, Plain<std::uint64_t>>(window);
    else if (type.bits == 16 && op == compare)
        run = in_window<std::uint16_t, Plain<std::uint16_t>>(window);
    if (!run) d.unknown();
    const std::size_t at = reduces ? 0 : 1;
    const Addressed address = address_in(d, d.operand(at), window);
    const auto results = vector && !reduces ? registers_of(d.operand(0)) : std::vector<const Operand *>{};
    if (vector && !reduces && results.size() != parts.size()) d.unknown();
    check::before_access(d, address, type.width() / 8 * parts.size(),
                         check::reads | check::writes | check::atomic);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const std::uint32_t b = d.in(*parts[part], type), c = op == compare ? d.in(at + 2, type) : b;
        const std::uint32_t to = reduces  ? d.temporary(type.width())
                                 : vector ? d.out(*results[part], type)
                                          : d.out(std::size_t{0}, type);
        Extra &more = d.extra();
        more.slots = {b, c};
        const std::uint32_t hint = new_hint(d, true);
        Instr &instr = d.emit(run);
        instr.d = to;
        instr.a = address.base;
        instr.b = op;
        instr.imm = address.offset + part * (type.width() / 8);
        instr.extra = &more;
        instr.hint = hint;
    }
}

} // namespace

std::vector<Decoding> atomic_group() { return {{"atom", decode_atomic}, {"red", decode_atomic}}; }

} // namespace pygpu::host::ptx
