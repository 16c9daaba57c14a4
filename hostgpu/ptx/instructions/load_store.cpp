// ld, st, and hints to caches (PTX ISA, "Data Movement and Conversion Instructions").
#include "ptx/check/handlers.hpp"
#include "ptx/instructions/bulk.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/machine/memory_operand.hpp"

#include <cstring>

namespace pygpu::host::ptx {
namespace {

constexpr std::uint32_t may_wait = 1; // in an instruction's b: threads wait for each other by it

char *at_host(std::uintptr_t address) { return reinterpret_cast<char *>(address); }

template <class R, class T> R read_as(const char *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return static_cast<R>(value);
}
template <class T, class R> void write_as(char *to, R from) {
    const T value = static_cast<T>(from);
    std::memcpy(to, &value, sizeof value);
}

// T is the type in memory, R the type in registers.
template <class T, class R, Window In> const Instr *load(const Instr *i, Warp &w) {
    if (i->b) w.wait_by(In == Window::generic);
    R *const d = w.reg<R>(i->d);
    const auto *const a = w.reg<std::uint64_t>(i->a);
    bool dense = false;
    std::uintptr_t base = 0;
    if (all_lanes<In, sizeof(T)>(i, w, sizeof(T), base, dense)) {
        if (std::is_same_v<T, R> && dense)
            std::memcpy(d, at_host(base + a[0]), sizeof(T) * warp_size);
        else
            for (unsigned l = 0; l < warp_size; ++l) d[l] = read_as<R, T>(at_host(base + a[l]));
        return i + 1;
    }
    char *at[warp_size];
    if (!resolve<In>(i, w, sizeof(T), at)) return nullptr;
    each_active(w, [=](unsigned l) { d[l] = read_as<R, T>(at[l]); });
    return i + 1;
}

template <class T, class R, Window In> const Instr *load_vector(const Instr *i, Warp &w) {
    if (i->b) w.wait_by(In == Window::generic);
    const std::vector<std::uint32_t> &to = i->extra->slots;
    const std::size_t size = sizeof(T) * to.size();
    const auto *const a = w.reg<std::uint64_t>(i->a);
    bool dense = false;
    char *at[warp_size];
    std::uintptr_t base = 0;
    if (all_lanes<In, 0>(i, w, size, base, dense)) {
        for (unsigned l = 0; l < warp_size; ++l) at[l] = at_host(base + a[l]);
    } else if (!resolve<In>(i, w, size, at)) {
        return nullptr;
    }
    for (std::size_t part = 0; part < to.size(); ++part) {
        R *const d = w.reg<R>(to[part]);
        each_active(w, [=](unsigned l) { d[l] = read_as<R, T>(at[l] + part * sizeof(T)); });
    }
    return i + 1;
}

template <class T, class R, Window In> const Instr *store(const Instr *i, Warp &w) {
    const R *const d = w.reg<R>(i->d);
    const auto *const a = w.reg<std::uint64_t>(i->a);
    bool dense = false;
    std::uintptr_t base = 0;
    if (all_lanes<In, sizeof(T)>(i, w, sizeof(T), base, dense)) {
        if (std::is_same_v<T, R> && dense)
            std::memcpy(at_host(base + a[0]), d, sizeof(T) * warp_size);
        else
            for (unsigned l = 0; l < warp_size; ++l) write_as<T>(at_host(base + a[l]), d[l]);
        return i + 1;
    }
    char *at[warp_size];
    if (!resolve<In>(i, w, sizeof(T), at)) return nullptr;
    each_active(w, [=](unsigned l) { write_as<T>(at[l], d[l]); });
    return i + 1;
}

template <class T, class R, Window In> const Instr *store_vector(const Instr *i, Warp &w) {
    char *at[warp_size];
    const std::vector<std::uint32_t> &from = i->extra->slots;
    if (!resolve<In>(i, w, sizeof(T) * from.size(), at)) return nullptr;
    for (std::size_t part = 0; part < from.size(); ++part) {
        const R *const d = w.reg<R>(from[part]);
        each_active(w, [=](unsigned l) { write_as<T>(at[l] + part * sizeof(T), d[l]); });
    }
    return i + 1;
}

// A kernel's parameter: the same for all lanes. imm: its offset.
template <class T, class R> const Instr *load_parameter(const Instr *i, Warp &w) {
    T value;
    std::memcpy(&value, w.block->launch.parameters.data() + i->imm, sizeof value);
    const R wide = static_cast<R>(value);
    R *const d = w.reg<R>(i->d);
    each(w, [=](unsigned l) { d[l] = wide; });
    return i + 1;
}

// A parameter of a call: bytes of each lane in the frame. a: its place, b: the distance of lanes, imm:
// offset.
template <class T, class R> const Instr *load_formal(const Instr *i, Warp &w) {
    const char *const from = w.registers + i->a + i->imm;
    R *const d = w.reg<R>(i->d);
    const std::size_t step = i->b;
    each_active(w, [=](unsigned l) {
        T value;
        std::memcpy(&value, from + l * step, sizeof value);
        d[l] = static_cast<R>(value);
    });
    return i + 1;
}
template <class T, class R> const Instr *store_formal(const Instr *i, Warp &w) {
    char *const to = w.registers + i->a + i->imm;
    const R *const d = w.reg<R>(i->d);
    const std::size_t step = i->b;
    each_active(w, [=](unsigned l) {
        const T value = static_cast<T>(d[l]);
        std::memcpy(to + l * step, &value, sizeof value);
    });
    return i + 1;
}

// Orders an acquire before what follows it, a release after what precedes it (PTX ISA, "ld", "st").
const Instr *order(const Instr *i, Warp &) {
    std::atomic_thread_fence(std::memory_order_acq_rel);
    return i + 1;
}

// The handlers of a kind for a type in memory and registers of so many bits.
template <template <class, class> class Op> Handler loader(Type type, unsigned bits) {
    using std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
        std::uint64_t;
    const bool with_sign = type.is_signed();
    switch (type.width() * 1000 + bits) {
    case 8016:
        return with_sign ? Op<int8_t, int16_t>::run : Op<uint8_t, uint16_t>::run;
    case 8032:
        return with_sign ? Op<int8_t, int32_t>::run : Op<uint8_t, uint32_t>::run;
    case 8064:
        return with_sign ? Op<int8_t, int64_t>::run : Op<uint8_t, uint64_t>::run;
    case 16016:
        return Op<uint16_t, uint16_t>::run;
    case 16032:
        return with_sign ? Op<int16_t, int32_t>::run : Op<uint16_t, uint32_t>::run;
    case 16064:
        return with_sign ? Op<int16_t, int64_t>::run : Op<uint16_t, uint64_t>::run;
    case 32032:
        return Op<uint32_t, uint32_t>::run;
    case 32064:
        return with_sign ? Op<int32_t, int64_t>::run : Op<uint32_t, uint64_t>::run;
    case 64064:
        return Op<uint64_t, uint64_t>::run;
    default:
        return nullptr;
    }
}
template <template <class, class> class Op> Handler storer(Type type) {
    switch (type.width()) {
    case 8:
        return Op<std::uint8_t, std::uint16_t>::run;
    case 16:
        return Op<std::uint16_t, std::uint16_t>::run;
    case 32:
        return Op<std::uint32_t, std::uint32_t>::run;
    case 64:
        return Op<std::uint64_t, std::uint64_t>::run;
    default:
        return nullptr;
    }
}

template <Window In> struct For {
    template <class T, class R> struct Load {
        static constexpr Handler run = load<T, R, In>;
    };
    template <class T, class R> struct LoadVector {
        static constexpr Handler run = load_vector<T, R, In>;
    };
    template <class T, class R> struct Store {
        static constexpr Handler run = store<T, R, In>;
    };
    template <class T, class R> struct StoreVector {
        static constexpr Handler run = store_vector<T, R, In>;
    };

    static Handler load_of(Type type, unsigned bits, bool vector) {
        return vector ? loader<LoadVector>(type, bits) : loader<Load>(type, bits);
    }
    static Handler store_of(Type type, bool vector) {
        return vector ? storer<StoreVector>(type) : storer<Store>(type);
    }
};
template <class T, class R> struct LoadParameter {
    static constexpr Handler run = load_parameter<T, R>;
};
template <class T, class R> struct LoadFormal {
    static constexpr Handler run = load_formal<T, R>;
};
template <class T, class R> struct StoreFormal {
    static constexpr Handler run = store_formal<T, R>;
};

// Registers of a memory instruction: 1, 2, 4 or 8.
std::vector<const Operand *> parts_of(const Decoder &d, const Operand &one) {
    auto all = registers_of(one);
    if (all.empty() || all.size() > 8 || all.size() & (all.size() - 1)) d.unknown();
    return all;
}

// One instruction loads all parts with one width, which is that of the widest register.
unsigned width_of(const Decoder &d, const std::vector<const Operand *> &parts, Type type) {
    unsigned bits = 0;
    for (const Operand *one : parts) {
        if (one->kind != Operand::reg && one->kind != Operand::sink) d.unknown();
        bits = std::max(bits, d.bits_of(*one));
    }
    return std::max(bits, type.width() <= 16 ? 16 : type.width());
}

void load_of_parameter(Decoder &d, const Operand &from, Type type,
                       const std::vector<const Operand *> &parts) {
    const Operand &variable = from.parts[0];
    const auto offset = static_cast<std::uint64_t>(from.offset);
    std::uint32_t begin = 0, size = 0;
    const bool kernels = d.is_kernel_parameter(variable.index, begin);
    const std::uint32_t place = kernels ? 0 : d.param_place(variable, size);
    if (kernels) size = static_cast<std::uint32_t>(d.function.variables[variable.index].size);
    const unsigned bytes = type.width() / 8;
    if (offset > size || size - offset < bytes * parts.size())
        d.unknown("it reads beyond the parameter's end");
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const unsigned bits = width_of(d, {parts[part]}, type);
        const std::uint32_t to = d.out(*parts[part], {type.kind, static_cast<std::uint8_t>(bits)});
        const Handler run = kernels ? loader<LoadParameter>(type, bits) : loader<LoadFormal>(type, bits);
        if (!run) d.unknown();
        Instr &instr = d.emit(run);
        instr.d = to;
        instr.a = place;
        instr.b = size;
        instr.imm = begin + offset + part * bytes;
    }
}

void decode_load(Decoder &d) {
    const Type type = d.needs_type();
    if (type.width() < 8 || type.width() > 64) d.unknown();
    const std::vector<const Operand *> parts = parts_of(d, d.operand(0));
    const Operand &from = d.operand(1);
    if (d.has("param") || d.has("param::entry") || d.has("param::func")) {
        if (from.kind == Operand::address && from.parts.size() == 1 &&
            from.parts[0].kind == Operand::variable)
            return load_of_parameter(d, from, type, parts);
    }
    const Window window = window_of(d);
    const Addressed at = address_in(d, from, window);
    const unsigned bits = width_of(d, parts, type);
    const Type wide{type.kind, static_cast<std::uint8_t>(bits)};
    Extra *more = nullptr;
    std::uint32_t to = 0;
    if (parts.size() > 1) {
        more = &d.extra();
        for (const Operand *one : parts) {
            if (one->kind == Operand::reg && d.bits_of(*one) != bits) d.unknown();
            more->slots.push_back(d.out(*one, wide));
        }
    } else {
        to = d.out(*parts[0], wide);
    }
    const bool vector = parts.size() > 1;
    const Handler run = window == Window::shared  ? For<Window::shared>::load_of(type, bits, vector)
                        : window == Window::local ? For<Window::local>::load_of(type, bits, vector)
                                                  : For<Window::generic>::load_of(type, bits, vector);
    if (!run) d.unknown();
    const bool waits = d.has("volatile") || d.has("relaxed") || d.has("acquire") || d.has("cv");
    check::before_access(d, at, type.width() / 8 * parts.size(), check::reads | (waits ? check::atomic : 0));
    const std::uint32_t hint = new_hint(d, false);
    Instr &instr = d.emit(run);
    instr.d = to;
    instr.a = at.base;
    instr.b = waits ? may_wait : 0;
    instr.imm = at.offset;
    instr.extra = more;
    instr.hint = hint;
    if (d.has("acquire")) d.emit(order);
}

void decode_store(Decoder &d) {
    if (d.has("async")) return decode_async_store(d);
    if (d.has("bulk")) d.unknown();
    const Type type = d.needs_type();
    if (type.width() < 8 || type.width() > 64) d.unknown();
    const Operand &to = d.operand(0);
    const std::vector<const Operand *> parts = parts_of(d, d.operand(1));
    if (d.has("param") || d.has("param::func")) {
        if (to.kind != Operand::address || to.parts.size() != 1) d.unknown();
        std::uint32_t size = 0;
        const std::uint32_t place = d.param_place(to.parts[0], size);
        const auto offset = static_cast<std::uint64_t>(to.offset);
        const unsigned bytes = type.width() / 8;
        if (offset > size || size - offset < bytes * parts.size())
            d.unknown("it writes beyond the parameter's end");
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const std::uint32_t from = d.in(*parts[part], type);
            Instr &instr = d.emit(storer<StoreFormal>(type));
            instr.d = from;
            instr.a = place;
            instr.b = size;
            instr.imm = offset + part * bytes;
        }
        return;
    }
    const Window window = window_of(d);
    const Addressed at = address_in(d, to, window);
    const bool vector = parts.size() > 1;
    Extra *more = nullptr;
    std::uint32_t from = 0;
    if (vector) {
        std::vector<std::uint32_t> slots;
        slots.reserve(parts.size());
        for (const Operand *one : parts) slots.push_back(d.in(*one, type));
        more = &d.extra();
        more->slots = std::move(slots);
    } else {
        from = d.in(*parts[0], type);
    }
    const bool orders = d.has("volatile") || d.has("relaxed") || d.has("release") || d.has("wt");
    check::before_access(d, at, type.width() / 8 * parts.size(), check::writes | (orders ? check::atomic : 0),
                         vector ? nullptr : &from);
    if (d.has("release")) d.emit(order);
    const std::uint32_t hint = new_hint(d, true);
    Instr &instr = d.emit(window == Window::shared  ? For<Window::shared>::store_of(type, vector)
                          : window == Window::local ? For<Window::local>::store_of(type, vector)
                                                    : For<Window::generic>::store_of(type, vector));
    instr.d = from;
    instr.a = at.base;
    instr.imm = at.offset;
    instr.extra = more;
    instr.hint = hint;
}

// Hints to caches.
void decode_hint(Decoder &d) { d.emit(nothing); }

// Cache policies have no effect: each is 0.
const Instr *no_policy(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint64_t>(i->d);
    each(w, [=](unsigned l) { d[l] = 0; });
    return i + 1;
}

void decode_policy(Decoder &d) {
    const std::uint32_t to = d.out(std::size_t{0}, {Type::untyped, 64});
    d.emit(no_policy).d = to;
}

} // namespace

std::vector<Decoding> memory_group() {
    return {{"ld", decode_load},       {"ldu", decode_load},           {"st", decode_store},
            {"prefetch", decode_hint}, {"prefetchu", decode_hint},     {"applypriority", decode_hint},
            {"discard", decode_hint},  {"createpolicy", decode_policy}};
}

} // namespace pygpu::host::ptx
