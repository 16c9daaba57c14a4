// Matrices of 8 x 8 elements of 16 bits between shared memory and registers (PTX ISA, "Warp Level Matrix
// Instructions: ldmatrix, stmatrix, movmatrix").
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/matrix.hpp"

#include <cstring>

namespace pygpu::host::ptx {

bool whole_warp(const Instr *i, Warp &w) {
    if (w.exec == ~0u) return true;
    const auto first = static_cast<unsigned>(std::countr_zero(w.exec));
    if (w.live != ~0u)
        w.fail(Fault::illegal_instruction, i, "it needs all 32 lanes of the warp, and some aren't there",
               first);
    else if (w.gather(i, ~0u) == Warp::Gathered::apart)
        w.fail(Fault::illegal_instruction, i, "lanes of the warp have come to it by several calls", first);
    return false;
}

namespace {

constexpr Type untyped_word{Type::untyped, 32};
constexpr unsigned rows = 8, row_bytes = 16;
using Matrix = std::uint16_t[rows][rows];

// A lane has two neighbours in row lane / 4, from column 2 * (lane % 4) on ("Fragment layout for one 8x8
// Matrix with 16-bit elements").
void to_registers(const Matrix &from, std::uint32_t *to, bool turned) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
        const unsigned row = lane / 4, column = lane % 4 * 2;
        const std::uint32_t low = turned ? from[column][row] : from[row][column],
                            high = turned ? from[column + 1][row] : from[row][column + 1];
        to[lane] = low | high << 16;
    }
}

void from_registers(const std::uint32_t *from, Matrix &to, bool turned) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
        const unsigned row = lane / 4, column = lane % 4 * 2;
        (turned ? to[column][row] : to[row][column]) = static_cast<std::uint16_t>(from[lane]);
        (turned ? to[column + 1][row] : to[row][column + 1]) = static_cast<std::uint16_t>(from[lane] >> 16);
    }
}

// Lanes 0 to 7 have the addresses of the first matrix's rows, 8 to 15 the second's, and so on. b: transposed.
template <Window In, bool Stores> const Instr *move_matrices(const Instr *i, Warp &w) {
    if (!whole_warp(i, w)) return nullptr;
    const std::vector<std::uint32_t> &slots = i->extra->slots;
    char *at[warp_size];
    Instr access = *i;
    access.imm = offset_of(i);
    w.exec = static_cast<std::uint32_t>((std::uint64_t{1} << rows * slots.size()) - 1);
    const bool may = resolve<In>(&access, w, row_bytes, at);
    w.exec = ~0u;
    if (!may) return w.leave(Warp::Event::failed, i);
    Matrix all[4];
    for (std::size_t number = 0; number < slots.size(); ++number) {
        auto *const registers = w.reg<std::uint32_t>(slots[number]);
        if (Stores) from_registers(registers, all[number], i->b != 0);
        for (unsigned row = 0; row < rows; ++row) {
            char *const line = at[rows * number + row];
            if (Stores)
                std::memcpy(line, all[number][row], row_bytes);
            else
                std::memcpy(all[number][row], line, row_bytes);
        }
    }
    if (Stores) return i + 1;
    for (std::size_t number = 0; number < slots.size(); ++number)
        to_registers(all[number], w.reg<std::uint32_t>(slots[number]), i->b != 0);
    return i + 1;
}

void decode_matrices(Decoder &d) {
    d.branch_around();
    d.allow({"sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "shared::cta"});
    const bool stores = d.base == "stmatrix";
    const auto registers = registers_of(d.operand(stores ? 1 : 0));
    if (!d.has("m8n8") || d.needs_type() != Type{Type::untyped, 16}) d.unknown();
    if (registers.size() != (d.has("x4") ? 4u : d.has("x2") ? 2u : 1u))
        d.unknown("it has another number of registers than of matrices");
    const Window window = window_of(d);
    const Addressed at = address_in(d, d.operand(stores ? 0 : 1), window);
    std::vector<std::uint32_t> slots;
    slots.reserve(registers.size());
    for (const Operand *one : registers)
        slots.push_back(stores ? d.in(*one, untyped_word) : d.out(*one, untyped_word));
    Extra &more = d.extra();
    more.slots = std::move(slots);
    const bool shared = window == Window::shared;
    Instr &instr =
        d.emit(stores   ? shared ? move_matrices<Window::shared, true> : move_matrices<Window::generic, true>
                 : shared ? move_matrices<Window::shared, false>
                        : move_matrices<Window::generic, false>);
    instr.a = at.base;
    instr.b = d.has("trans");
    instr.imm = together_with(at.offset);
    instr.extra = &more;
    instr.hint = new_hint(d, stores);
}

const Instr *turn_matrix(const Instr *i, Warp &w) {
    if (!whole_warp(i, w)) return nullptr;
    Matrix one;
    from_registers(w.reg<std::uint32_t>(i->a), one, false);
    to_registers(one, w.reg<std::uint32_t>(i->d), true);
    return i + 1;
}

void decode_turn(Decoder &d) {
    d.branch_around();
    d.allow({"sync", "aligned", "m8n8", "trans"});
    if (!d.has("m8n8") || !d.has("trans") || d.needs_type() != Type{Type::untyped, 16}) d.unknown();
    const std::uint32_t a = d.in(1, untyped_word), to = d.out(std::size_t{0}, untyped_word);
    Instr &instr = d.emit(turn_matrix);
    instr.a = a;
    instr.d = to;
    instr.imm = together_with(0);
}

} // namespace

std::vector<Decoding> matrix_group() {
    return {{"ldmatrix", decode_matrices}, {"stmatrix", decode_matrices}, {"movmatrix", decode_turn}};
}

} // namespace pygpu::host::ptx
