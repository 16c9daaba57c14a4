// Copies of tiles between tensors in global memory and shared memory (PTX ISA, "Tensors",
// "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "tensormap.replace", "tensormap.cp_fenceproxy").
#include "ptx/instructions/bulk.hpp"
#include "ptx/instructions/combine.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/mbarrier.hpp"
#include "ptx/machine/memory_operand.hpp"
#include "ptx/machine/tensor_map.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace pygpu::host::ptx {
namespace {

constexpr unsigned chunk = 16; // bytes that a swizzle moves together
constexpr unsigned shared_alignment = 128;

Type element_of(const TensorMap &map) {
    switch (map.type) {
    case TensorMap::u8:
        return {Type::natural, 8};
    case TensorMap::u16:
        return {Type::natural, 16};
    case TensorMap::u32:
        return {Type::natural, 32};
    case TensorMap::s32:
        return {Type::integer, 32};
    case TensorMap::u64:
        return {Type::natural, 64};
    case TensorMap::s64:
        return {Type::integer, 64};
    case TensorMap::f16:
        return {Type::real, 16};
    case TensorMap::bf16:
        return {Type::brain, 16};
    case TensorMap::f64:
        return {Type::real, 64};
    default:
        return {Type::real, 32};
    }
}

// "Swizzling Modes": chunks of 16 bytes change places within rows of 128, by the number of the row.
std::uint64_t swizzled(std::uint64_t at, unsigned mode) {
    const unsigned bits = (1u << mode) - 1; // 0, 1, 3, 7
    return at ^ (at >> 3 & std::uint64_t{bits} << 4);
}

// A row of a tile: where its elements lie in global memory, and which of them are inside of the tensor.
struct Row {
    std::uint64_t shared;        // from the tile's begin
    std::uint64_t address;       // of element 0, whether it is inside or not
    std::uint64_t distance;      // bytes between elements
    unsigned count, first, last; // elements first to last - 1 are inside
};

struct Tile {
    TensorMap map;
    std::int64_t at[most_axes]; // coordinates
    std::uint16_t offsets[most_axes - 2];

    unsigned extent(unsigned axis) const { return (map.box[axis] + map.step(axis) - 1) / map.step(axis); }
    // "If the interleave layout is NONE, the stride of dimension 0 isn't supported", and it is ignored.
    unsigned columns() const { return map.by_columns ? map.channels : map.box[0]; }
    std::uint64_t row_bytes() const { return std::uint64_t{columns()} * map.bytes(); }
    // Rows are as far apart as the swizzle's pattern is wide, where they are shorter.
    std::uint64_t pitch() const {
        return map.swizzle ? std::max<std::uint64_t>(row_bytes(), 16u << map.swizzle) : row_bytes();
    }
    std::uint64_t rows() const {
        if (map.by_columns) return map.pixels;
        std::uint64_t count = 1;
        for (unsigned axis = 1; axis < map.rank(); ++axis) count *= extent(axis);
        return count;
    }
    std::uint64_t shared_bytes() const { return rows() * pitch(); }

    Row row(std::uint64_t number, const std::int64_t *coordinates) const {
        Row one{number * pitch(), map.address, map.bytes(), columns(), 0, 0};
        bool inside = true;
        for (unsigned axis = 0; axis < map.rank(); ++axis) {
            const std::uint64_t stride = axis ? map.strides[axis - 1] : map.bytes();
            one.address += static_cast<std::uint64_t>(coordinates[axis]) * stride;
            if (axis)
                inside &=
                    coordinates[axis] >= 0 && static_cast<std::uint64_t>(coordinates[axis]) < map.sizes[axis];
        }
        if (!inside) return one;
        const std::int64_t x = coordinates[0], size = static_cast<std::int64_t>(map.sizes[0]);
        one.first = static_cast<unsigned>(std::clamp<std::int64_t>(-x, 0, one.count));
        one.last = static_cast<unsigned>(std::clamp<std::int64_t>(size - x, one.first, one.count));
        return one;
    }

    // Calls visit(row) for each row, until it returns false.
    template <class Visit> bool each_row(Visit visit) const {
        std::array<std::int64_t, most_axes> now{};
        std::copy_n(at, most_axes, now.data());
        if (map.by_columns) return each_pixel(now, visit);
        std::array<unsigned, most_axes> index{};
        for (std::uint64_t number = 0, count = rows(); number < count; ++number) {
            for (unsigned axis = 1; axis < map.rank(); ++axis)
                now[axis] = at[axis] + std::int64_t{index[axis]} * map.step(axis);
            if (!visit(row(number, now.data()))) return false;
            for (unsigned axis = 1; axis < map.rank() && ++index[axis] == extent(axis); ++axis)
                index[axis] = 0;
        }
        return true;
    }

    // "im2col mode": pixels of a box, one after another, from the one that the coordinates name, and on in
    // the next image. Where an element is inside of the tensor is decided with the offsets.
    template <class Visit> bool each_pixel(std::array<std::int64_t, most_axes> now, Visit visit) const {
        const unsigned rank = map.rank(), spatial = rank - 2;
        for (std::uint64_t number = 0; number < map.pixels; ++number) {
            auto moved = now;
            for (unsigned axis = 0; axis < spatial; ++axis) moved[axis + 1] += offsets[axis];
            if (!visit(row(number, moved.data()))) return false;
            unsigned axis = 0;
            for (; axis < spatial; ++axis) {
                std::int64_t &coordinate = now[axis + 1];
                coordinate += map.step(axis + 1);
                if (coordinate < static_cast<std::int64_t>(map.sizes[axis + 1]) + map.upper[axis]) break;
                coordinate = map.lower[axis];
            }
            if (axis == spatial) ++now[rank - 1];
        }
        return true;
    }
};

// What elements get that are outside: zeros, or NaNs ("fill_mode"). An H200 repeats the 16 bits 0x7ff7, which
// are a NaN in each format.
void fill(const TensorMap &map, char *to, std::size_t size) {
    std::memset(to, 0, size);
    if (!map.fills_nan || !map.is_float()) return;
    for (std::size_t k = 0; k < size; ++k) to[k] = static_cast<char>(k % 2 ? 0x7f : 0xf7);
}

enum : std::uint64_t { stores = 1, multicasts = 2, reduces = 4 };
constexpr unsigned operation_at = 8, axes_at = 16, offsets_at = 20;
enum Slot : std::size_t { shared_slot, map_slot, barrier_slot, mask_slot, first_coordinate };

class Copy {
public:
    Copy(const Instr *i, Warp &w, unsigned lane) : i_(i), w_(w), lane_(lane) {}

    const Instr *run() {
        if (!read()) return nullptr;
        const std::vector<std::uint32_t> &slots = i_->extra->slots;
        const std::uint64_t shared = w_.reg<std::uint64_t>(slots[shared_slot])[lane_];
        if (i_->imm & stores) return write_tensor(shared) ? i_ : nullptr;
        const std::uint64_t barrier = w_.reg<std::uint64_t>(slots[barrier_slot])[lane_];
        if (!(i_->imm & multicasts)) return read_tensor(shared, barrier) ? i_ : nullptr;
        const auto base = reinterpret_cast<std::uint64_t>(w_.block->shared);
        bool may = true;
        const bool there =
            each_named(w_, w_.reg<std::uint16_t>(slots[mask_slot])[lane_], [&](const Block &one) {
                const auto other = reinterpret_cast<std::uint64_t>(one.shared);
                may = may && read_tensor(shared - base + other, barrier - base + other);
            });
        if (!there) return wrong("the cluster has no block that the mask names");
        return may ? i_ : nullptr;
    }

private:
    const Instr *wrong(const char *what) { return w_.fail(Fault::illegal_instruction, i_, what, lane_); }

    bool read() {
        const std::vector<std::uint32_t> &slots = i_->extra->slots;
        const char *const from = bytes_at(i_, w_, lane_, w_.reg<std::uint64_t>(slots[map_slot])[lane_],
                                          sizeof(TensorMap), 1, false);
        if (!from) return false;
        std::memcpy(&tile_.map, from, sizeof(TensorMap));
        const TensorMap &map = tile_.map;
        const unsigned axes = i_->imm >> axes_at & 15, offsets = i_->imm >> offsets_at & 15;
        if (map.rank() != axes) return wrong("the tensor map has another number of axes"), false;
        if (!map.bytes()) return wrong("the tensor map's elements aren't supported on the CPU"), false;
        if (map.interleave || map.atom)
            return wrong("the tensor map's interleave or atoms aren't supported on the CPU"), false;
        if (map.swizzle > TensorMap::bytes_128) return wrong("the tensor map's swizzle is unknown"), false;
        if (offsets != (map.by_columns && !(i_->imm & stores) ? axes - 2 : 0))
            return wrong("the tensor map is of another mode, .tile or .im2col"), false;
        for (unsigned axis = 0; axis < axes; ++axis)
            tile_.at[axis] = w_.reg<std::int32_t>(slots[first_coordinate + axis])[lane_];
        for (unsigned axis = 0; axis < offsets; ++axis)
            tile_.offsets[axis] = w_.reg<std::uint16_t>(slots[first_coordinate + axes + axis])[lane_];
        if (tile_.row_bytes() % chunk || !tile_.rows() || !tile_.row_bytes())
            return wrong("the rows of the tensor map's box are no multiple of 16 bytes"), false;
        if (tile_.row_bytes() > most_row) return wrong("the tensor map's box is too large"), false;
        return map.by_columns || can_begin_there();
    }

    // As an H200 refuses, which the manual doesn't say.
    bool can_begin_there() {
        if (tile_.at[0] * static_cast<std::int64_t>(tile_.map.bytes()) % std::int64_t{chunk})
            return wrong("the tile doesn't begin at a multiple of 16 bytes of its row"), false;
        const std::int64_t *const first = tile_.at, *const end = first + tile_.map.rank();
        if (i_->imm & stores && std::any_of(first, end, [](std::int64_t one) { return one < 0; }))
            return wrong("a store or a reduction begins at a negative coordinate"), false;
        return true;
    }

    // The part of a row that is inside; null, with the launch failed, where there is no memory.
    char *inside(const Row &row, bool writes) {
        const std::size_t size = (row.last - row.first) * row.distance;
        return bytes_at(i_, w_, lane_, row.address + row.first * row.distance, size, 1, writes);
    }

    bool read_tensor(std::uint64_t shared, std::uint64_t barrier) {
        char *const to = bytes_at(i_, w_, lane_, shared, tile_.shared_bytes(), shared_alignment, true);
        if (!to) return false;
        const bool done = tile_.each_row([&](const Row &row) {
            const std::size_t bytes = tile_.row_bytes();
            char line[most_row];
            fill(tile_.map, line, bytes);
            if (row.first < row.last) {
                const char *const from = inside(row, false);
                if (!from) return false;
                std::memcpy(line + row.first * row.distance, from, (row.last - row.first) * row.distance);
            }
            each_chunk(shared + row.shared, bytes,
                       [&](char *at, std::size_t k) { std::memcpy(at, line + k, chunk); });
            return true;
        });
        return done &&
               complete_bytes(i_, w_, lane_, barrier,
                              static_cast<std::uint32_t>(tile_.rows() * tile_.row_bytes())) != nullptr;
    }

    bool write_tensor(std::uint64_t shared) {
        if (!bytes_at(i_, w_, lane_, shared, tile_.shared_bytes(), shared_alignment, false)) return false;
        const auto op = static_cast<Operation>(i_->imm >> operation_at & 0xff);
        const Reduce reduce = i_->imm & reduces ? reducer_of(element_of(tile_.map), op) : nullptr;
        if (i_->imm & reduces && !reduce)
            return wrong("elements of the tensor map's type can't be reduced so"), false;
        return tile_.each_row([&](const Row &row) {
            if (row.first == row.last) return true;
            char *const to = inside(row, true);
            if (!to) return false;
            char line[most_row];
            each_chunk(shared + row.shared, tile_.row_bytes(),
                       [&](const char *at, std::size_t k) { std::memcpy(line + k, at, chunk); });
            const char *const from = line + row.first * row.distance;
            const std::size_t size = (row.last - row.first) * row.distance;
            if (!reduce) {
                std::memcpy(to, from, size);
            } else {
                for (std::size_t k = 0; k < size; k += row.distance) reduce(to + k, from + k, op);
            }
            return true;
        });
    }

    template <class Visit> void each_chunk(std::uint64_t at, std::size_t bytes, Visit visit) const {
        for (std::size_t k = 0; k < bytes; k += chunk)
            visit(reinterpret_cast<char *>(swizzled(at + k, tile_.map.swizzle)), k);
    }

    static constexpr std::size_t most_row = 2048; // 256 elements of eight bytes

    const Instr *const i_;
    Warp &w_;
    const unsigned lane_;
    Tile tile_{};
};

const Instr *copy_tile(const Instr *i, Warp &w) {
    w.wait_by(true);
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        if (!Copy(i, w, static_cast<unsigned>(std::countr_zero(rest))).run()) return nullptr;
    }
    return i + 1;
}

unsigned axes_of(const Decoder &d) {
    for (const std::string_view mod : d.mods) {
        if (mod.size() == 2 && mod[1] == 'd' && mod[0] >= '1' && mod[0] <= '5')
            return static_cast<unsigned>(mod[0] - '0');
    }
    d.unknown("it has no number of dimensions");
}

// ---- tensormap.replace. a: the map, b: the value; imm: the field and, above it, the axis
enum Field : std::uint64_t {
    global_address,
    rank,
    box_dim,
    global_dim,
    global_stride,
    element_stride,
    elemtype,
    interleave_layout,
    swizzle_mode,
    swizzle_atomicity,
    fill_mode,
    fields
};
constexpr std::string_view field_names[fields] = {
    "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
    "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity",
    "fill_mode"};

const Instr *replace(const Instr *i, Warp &w) {
    const auto *const maps = w.reg<std::uint64_t>(i->a), *const values = w.reg<std::uint64_t>(i->b);
    const auto field = static_cast<Field>(i->imm & 15);
    const auto axis = static_cast<unsigned>(i->imm >> 4);
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        char *const at = bytes_at(i, w, l, maps[l], sizeof(TensorMap), 1, true);
        if (!at) return nullptr;
        TensorMap map;
        std::memcpy(&map, at, sizeof map);
        const std::uint64_t value = values[l];
        const auto byte = static_cast<std::uint8_t>(value);
        switch (field) {
        case global_address:
            map.address = value;
            break;
        case rank: // "new_val must be one less than the desired tensor rank"
            if (value >= most_axes)
                return w.fail(Fault::illegal_instruction, i, "a tensor has at most five axes", l);
            map.last_axis = byte;
            break;
        case box_dim:
            map.box[axis] = static_cast<std::uint16_t>(value);
            break;
        case global_dim:
            map.sizes[axis] = value;
            break;
        case global_stride:
            map.strides[axis] = value;
            break;
        case element_stride:
            map.steps[axis] = byte;
            break;
        case elemtype:
            map.type = byte;
            break;
        case interleave_layout:
            map.interleave = byte;
            break;
        case swizzle_mode:
            map.swizzle = byte;
            break;
        case swizzle_atomicity:
            map.atom = byte;
            break;
        default:
            map.fills_nan = byte;
            break;
        }
        std::memcpy(at, &map, sizeof map);
    }
    return i + 1;
}

// tensormap.cp_fenceproxy: all lanes name the same pieces.
const Instr *copy_map(const Instr *i, Warp &w) {
    const auto l = static_cast<unsigned>(std::countr_zero(w.exec));
    char *const to = bytes_at(i, w, l, w.reg<std::uint64_t>(i->a)[l], sizeof(TensorMap), 1, true);
    if (!to) return nullptr;
    const char *const from = bytes_at(i, w, l, w.reg<std::uint64_t>(i->b)[l], sizeof(TensorMap), 1, false);
    if (!from) return nullptr;
    std::memcpy(to, from, sizeof(TensorMap));
    return i + 1;
}

void decode_map(Decoder &d) {
    const bool shared = d.has("shared::cta");
    if (d.has("cp_fenceproxy")) {
        const std::uint32_t to = pointer_in(d, d.operand(0), false), from = pointer_in(d, d.operand(1), true);
        if (d.number(d.operand(2)) != sizeof(TensorMap)) d.unknown();
        Instr &instr = d.emit(copy_map);
        instr.a = to;
        instr.b = from;
        return;
    }
    if (!d.has("replace") || !d.has("tile")) d.unknown();
    const auto *const name =
        std::ranges::find_if(field_names, [&](std::string_view one) { return d.has(one); });
    if (name == std::end(field_names)) d.unknown();
    const auto field = static_cast<Field>(name - std::begin(field_names));
    const bool by_axis = field >= box_dim && field <= element_stride;
    const std::uint64_t axis = by_axis ? d.number(d.operand(1)) : 0;
    if (axis >= most_axes - (field == global_stride ? 1 : 0)) d.unknown("a tensor has at most five axes");
    const Operand &value = d.operand(by_axis ? 2 : 1);
    const bool wide = d.has("b64");
    const std::uint32_t a = pointer_in(d, d.operand(0), shared);
    const std::uint32_t b = wide || value.kind == Operand::number ? d.in(value, {Type::natural, 64})
                                                                  : d.narrow(d.in(value, word), 32, 64);
    Instr &instr = d.emit(replace);
    instr.a = a;
    instr.b = b;
    instr.imm = field | axis << 4;
}

} // namespace

void decode_bulk_tensor(Decoder &d) {
    const unsigned axes = axes_of(d);
    if (d.has("prefetch")) {
        d.emit(nothing);
        return;
    }
    const bool store = !d.has("mbarrier::complete_tx::bytes");
    if (d.has("im2col::w") || d.has("im2col::w::128") || d.has("tile::gather4") || d.has("tile::scatter4"))
        d.unknown();
    const Operand &tensor = d.operand(store ? 0 : 1), &shared = d.operand(store ? 1 : 0);
    if (tensor.kind != Operand::texel) d.unknown();
    Operand map;
    map.kind = Operand::address;
    map.offset = tensor.offset;
    map.parts = {tensor.parts[0]};
    const auto coordinates = registers_of(tensor.parts[1]);
    if (coordinates.size() != axes) d.unknown("it has another number of coordinates than of dimensions");
    std::vector<std::uint32_t> slots(first_coordinate);
    slots[shared_slot] = pointer_in(d, shared, true);
    slots[map_slot] = pointer_in(d, map, false);
    slots[barrier_slot] = slots[mask_slot] = slots[shared_slot];
    for (const Operand *one : coordinates) slots.push_back(d.in(*one, {Type::integer, 32}));
    std::size_t next = 2;
    std::uint64_t how = (store ? stores : std::uint64_t{0}) | std::uint64_t{axes} << axes_at;
    if (!store) slots[barrier_slot] = pointer_in(d, d.operand(next++), true);
    if (!store && d.has("im2col")) {
        const auto offsets = registers_of(d.operand(next++));
        if (axes < 3 || offsets.size() != axes - 2) d.unknown();
        for (const Operand *one : offsets) slots.push_back(d.in(*one, {Type::untyped, 16}));
        how |= std::uint64_t{axes - 2} << offsets_at;
    }
    if (d.has("multicast::cluster")) {
        slots[mask_slot] = d.in(next++, {Type::untyped, 16});
        how |= multicasts;
    }
    if (d.has("reduce")) {
        Operation op{};
        if (std::ranges::none_of(d.mods, [&](std::string_view mod) { return operation_named(mod, op); }))
            d.unknown();
        how |= reduces | std::uint64_t{op} << operation_at;
    }
    if (next + (d.has("L2::cache_hint") ? 1 : 0) != d.count()) d.unknown();
    Extra &more = d.extra();
    more.slots = std::move(slots);
    Instr &instr = d.emit(copy_tile);
    instr.imm = how;
    instr.extra = &more;
}

std::vector<Decoding> tensor_group() { return {{"tensormap", decode_map}}; }

} // namespace pygpu::host::ptx
