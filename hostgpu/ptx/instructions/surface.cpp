// Loads, stores and reductions of surfaces by bytes, and asking about them (PTX ISA, "Surface Instructions:
// suld, sust, sured, suq").
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/texture_operands.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace pygpu::host::ptx {
namespace {

enum Beyond : std::uint32_t { traps, clamps, is_zero }; // what lies beyond the edges

// In an instruction's imm: what to do beyond the edges, bytes of a part, dimensions.
constexpr unsigned bytes_shift = 4, dimensions_shift = 12;

Beyond beyond_of(const Instr *i) { return static_cast<Beyond>(i->imm & 15); }
std::size_t bytes_of(const Instr *i) { return i->imm >> bytes_shift & 255; }

// The address of a lane's bytes; x counts bytes. Null where they lie beyond the edges; with `bad`, the launch
// has failed.
char *place_of(const Instr *i, Warp &w, const Texture &surface, unsigned lane, std::size_t bytes, bool &bad) {
    const std::vector<std::uint32_t> &slots = i->extra->slots;
    const std::size_t dimensions = i->imm >> dimensions_shift;
    const auto coordinate = [&](std::size_t k) { return std::int64_t{w.reg<std::int32_t>(slots[k])[lane]}; };
    const MipLevel &level = surface.base_level();
    const auto row = static_cast<std::int64_t>(level.extent[0] * surface.texel_bytes());
    std::int64_t at[3] = {coordinate(1), 0, 0};
    const auto size = static_cast<std::int64_t>(bytes);
    std::int64_t most[3] = {row / size * size - size, 0, 0}; // the last aligned place
    if (at[0] & (size - 1)) {
        w.fail(Fault::misaligned_address, i, "x must be a multiple of the access's size in bytes", lane);
        bad = true;
        return nullptr;
    }
    for (std::size_t k = 1; k < dimensions; ++k) {
        at[k] = coordinate(k + 1);
        most[k] = static_cast<std::int64_t>(level.extent[k]) - 1;
    }
    if (surface.layered) {
        at[2] = w.reg<std::uint32_t>(slots[0])[lane];
        most[2] = static_cast<std::int64_t>(surface.layers()) - 1;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        if (at[k] >= 0 && at[k] <= most[k]) continue;
        if (beyond_of(i) == clamps && most[k] >= 0) {
            at[k] = std::clamp<std::int64_t>(at[k], 0, most[k]);
            continue;
        }
        if (beyond_of(i) == is_zero) return nullptr;
        char text[128];
        std::snprintf(text, sizeof text, "%s %lld lies beyond the surface, which has %zu%s",
                      k == 0   ? "byte"
                      : k == 1 ? "row"
                               : "slice",
                      static_cast<long long>(at[k]), k ? level.extent[k] : static_cast<std::size_t>(row),
                      k ? "" : " in a row");
        w.fail(Fault::illegal_address, i, text, lane);
        bad = true;
        return nullptr;
    }
    return reinterpret_cast<char *>(level.base + static_cast<std::size_t>(at[2]) * level.slice +
                                    static_cast<std::size_t>(at[1]) * level.pitch +
                                    static_cast<std::size_t>(at[0]));
}

// A register's value: bytes are in registers of 16 bits.
std::size_t in_register(std::size_t bytes) { return std::max<std::size_t>(bytes, 2); }

template <bool Stores> const Instr *access(const Instr *i, Warp &w) {
    HandlesOf handles(i, w, true);
    const std::vector<std::uint32_t> &parts = i->extra->results;
    const std::size_t bytes = bytes_of(i), stride = in_register(bytes);
    std::uint64_t values[warp_size][4] = {};
    char *at[warp_size] = {};
    bool bad = false;
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) { // all addresses, before any lane writes
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const Texture *const surface = handles.find(l);
        if (!surface) return nullptr;
        at[l] = place_of(i, w, *surface, l, bytes * parts.size(), bad);
        if (bad) return nullptr;
    }
    each_active(w, [&](unsigned l) {
        for (std::size_t part = 0; part < parts.size(); ++part) {
            char *const there = w.registers + parts[part] + l * stride;
            if (Stores && at[l]) std::memcpy(at[l] + part * bytes, there, bytes);
            if (!Stores && at[l]) std::memcpy(&values[l][part], at[l] + part * bytes, bytes);
        }
    });
    if (Stores) return i + 1;
    each_active(w, [&](unsigned l) { // after all reads: a result may lie in a coordinate's register
        for (std::size_t part = 0; part < parts.size(); ++part)
            std::memcpy(w.registers + parts[part] + l * stride, &values[l][part], stride);
    });
    return i + 1;
}

std::uint64_t how_of(const Decoder &d, std::size_t bytes, Geometry geometry) {
    return (d.has("clamp")  ? clamps
            : d.has("zero") ? is_zero
                            : traps) |
           bytes << bytes_shift | std::uint64_t{geometry.dimensions} << dimensions_shift;
}

enum Reduction : std::uint32_t { add, minimum, maximum, bit_and, bit_or };

template <class T> void reduce_into(T &cell, Reduction reduction, T value) {
    const std::atomic_ref<T> shared(cell);
    if (reduction == add)
        shared.fetch_add(value);
    else if (reduction == bit_and)
        shared.fetch_and(value);
    else if (reduction == bit_or)
        shared.fetch_or(value);
    else
        for (T old = shared.load(); !shared.compare_exchange_weak(
                 old, reduction == minimum ? std::min(old, value) : std::max(old, value));) {
        }
}

// a: the handle; b: what to do; c: the value.
template <class T> const Instr *reduce(const Instr *i, Warp &w) {
    HandlesOf handles(i, w, true);
    T *at[warp_size] = {};
    bool bad = false;
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const Texture *const surface = handles.find(l);
        if (!surface) return nullptr;
        at[l] = reinterpret_cast<T *>(place_of(i, w, *surface, l, sizeof(T), bad));
        if (bad) return nullptr;
    }
    const T *const values = w.reg<T>(i->c);
    each_active(w, [&](unsigned l) {
        if (at[l]) reduce_into(*at[l], static_cast<Reduction>(i->b), values[l]);
    });
    return i + 1;
}

void decode_reduction(Decoder &d) {
    static constexpr std::string_view names[] = {"add", "min", "max", "and", "or"};
    d.allow({"b", "1d", "2d", "3d", "trap", "clamp", "zero", "add", "min", "max", "and", "or"});
    if (d.mods.empty() || d.mods[0] != "b") d.unknown("formatted surfaces aren't supported");
    const Type type = d.needs_type();
    const auto *const entry = std::ranges::find_if(names, [&](std::string_view one) { return d.has(one); });
    if (entry == std::end(names) || d.count() != 2 || type.is_float() || type.width() < 32) d.unknown();
    const bool wide = type.width() == 64, is_signed = type.kind == Type::integer;
    const Geometry geometry = geometry_of(d);
    Extra &more = d.extra();
    const std::uint32_t handle = decode_place(d, d.operand(0), geometry, {Type::integer, 32}, more.slots);
    const std::uint32_t value = d.in(d.operand(1), type);
    Instr &instr = d.emit(is_signed ? (wide ? reduce<std::int64_t> : reduce<std::int32_t>)
                                    : (wide ? reduce<std::uint64_t> : reduce<std::uint32_t>));
    instr.a = handle;
    instr.b = static_cast<std::uint32_t>(entry - names);
    instr.c = value;
    instr.extra = &more;
    instr.imm = how_of(d, type.width() / 8, geometry);
}

void decode_surface(Decoder &d) {
    d.allow({"b", "1d", "2d", "3d", "a1d", "a2d", "v2", "v4", "trap", "clamp", "zero", "ca", "cg", "cs", "cv",
             "wb", "wt"});
    const bool stores = d.base == "sust";
    if (d.mods.empty() || d.mods[0] != "b") d.unknown("formatted surfaces aren't supported");
    const Type type = d.needs_type();
    if (type.width() < 8 || type.width() > 64) d.unknown();
    const Geometry geometry = geometry_of(d); // a cube's faces are layers here
    const Operand &registers = d.operand(stores ? 1 : 0);
    std::vector<const Operand *> parts;
    if (registers.kind != Operand::vector) parts.push_back(&registers);
    for (const Operand &one : registers.parts) parts.push_back(&one);
    const std::size_t count = d.has("v4") ? 4 : d.has("v2") ? 2 : 1;
    const std::size_t bytes = type.width() / 8;
    if (parts.size() != count || d.count() != 2 || bytes * count > 16) d.unknown();
    const Type value{Type::natural, type.bits};
    Extra &more = d.extra();
    const std::uint32_t handle =
        decode_place(d, d.operand(stores ? 0 : 1), geometry, {Type::integer, 32}, more.slots);
    for (const Operand *one : parts) more.results.push_back(stores ? d.in(*one, value) : d.out(*one, value));
    Instr &instr = d.emit(stores ? access<true> : access<false>);
    instr.a = handle;
    instr.extra = &more;
    instr.imm = how_of(d, bytes, geometry);
}

} // namespace

std::vector<Decoding> surface_group() {
    return {{"suld", decode_surface},
            {"sust", decode_surface},
            {"sured", decode_reduction},
            {"suq", [](Decoder &d) { decode_query(d, true); }}};
}

} // namespace pygpu::host::ptx
