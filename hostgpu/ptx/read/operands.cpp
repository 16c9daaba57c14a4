// Where the values of operands lie in a frame: in registers, in constants, or in copies of another width.
#include "ptx/read/decoder.hpp"
#include "ptx/read/slots.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pygpu::host::ptx {
namespace {

unsigned order(unsigned bits) { return bits <= 16 ? 0 : bits <= 32 ? 1 : bits <= 64 ? 2 : 3; }

} // namespace

unsigned Decoder::bits_of(const Operand &reg) const {
    return reg.kind == Operand::reg ? slots_[reg.index].bits : 0;
}

std::uint64_t Decoder::number(const Operand &from) const {
    if (from.kind != Operand::number) unknown("a number is expected");
    return from.bits;
}

std::uint32_t Decoder::temporary(unsigned bits) { return take(std::size_t{stored(bits)} / 8 * warp_size); }

std::uint32_t Decoder::constant(std::uint64_t value, unsigned bits) {
    const unsigned width = stored(bits);
    if (width < 64) value &= (std::uint64_t{1} << width) - 1;
    const std::size_t at = (body.constants.size() + 63) / 64 * 64;
    const std::size_t bytes = std::size_t{width} / 8 * warp_size;
    if (at + bytes > most_frame) unknown("a function has too many constants");
    auto [entry, inserted] = constants_[order(bits)].try_emplace(value, 0);
    if (inserted) {
        body.constants.resize(at + bytes);
        for (unsigned lane = 0; lane < warp_size; ++lane)
            std::memcpy(body.constants.data() + at + std::size_t{width} / 8 * lane, &value,
                        std::min<std::size_t>(width / 8, 8));
        entry->second = static_cast<std::uint32_t>(at) | is_constant;
    }
    return entry->second;
}

std::uint32_t Decoder::extended(std::uint32_t from, std::uint64_t offset) {
    const std::uint32_t at = narrow(from, 32, 64);
    body.code.back().imm = offset;
    return at;
}

std::uint32_t Decoder::narrow(std::uint32_t from, unsigned bits, unsigned to) {
    bits = stored(bits);
    to = stored(to);
    if (bits == to) return from;
    const Handler run = loaded.instructions.convert(bits, to, false);
    if (!run) unknown("an operand has another size than the instruction");
    const std::uint32_t at = temporary(to);
    Instr &instr = emit(run);
    instr.d = at;
    instr.a = from;
    return at;
}

std::uint64_t Decoder::variable_at(const Variable &variable) const { return loaded.place_shared(variable); }

std::uint32_t Decoder::in(const Operand &from, Type type) {
    const unsigned bits = type.width();
    switch (from.kind) {
    case Operand::reg: {
        if (from.negated) unknown("a register can't be negated");
        if (!from.part.empty()) unknown("it takes no parts of registers");
        const RegisterSlot slot = slots_[from.index];
        if (slot.bits == 1) unknown("a predicate stands where a value is expected");
        if (slot.bits < stored(bits)) unknown("an operand is smaller than the instruction's type");
        return narrow(slot.at, slot.bits, bits);
    }
    case Operand::number:
        if (type.is_float() && type.lanes == 1) unknown("an integer stands where a float is expected");
        return constant(from.bits, bits);
    case Operand::single: // its bits, even where an f64 is expected, as in ptxas
        return constant(from.bits, bits);
    case Operand::real:
        if (bits == 32)
            return constant(
                std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(from.bits))), 32);
        return constant(from.bits, bits);
    case Operand::special: {
        const unsigned width = bits > 32 ? 64 : 32;
        const std::uint32_t at = temporary(width);
        loaded.instructions.emit_special(*this, from.name, at, width);
        return narrow(at, width, bits);
    }
    case Operand::variable: {
        const Variable &one = function.variables[from.index];
        const auto offset = static_cast<std::uint64_t>(from.offset);
        std::uint32_t at_parameter = 0;
        if (one.space == Space::shared)
            return constant((one.size ? variable_at(one) : loaded.shared_size()) + offset, bits);
        if (one.space == Space::local || is_kernel_parameter(from.index, at_parameter)) {
            const std::uint32_t at = temporary(64);
            Instr &instr = emit(one.space == Space::local ? loaded.instructions.local_address
                                                          : loaded.instructions.parameter_address);
            instr.d = at;
            instr.b = body.local_alignment;
            instr.imm = (one.space == Space::local ? variables_[from.index] : at_parameter) + offset;
            return narrow(at, 64, bits);
        }
        unknown("the address of a function's parameter can't be taken");
    }
    case Operand::symbol: {
        std::size_t at = 0;
        if (loaded.shared_variable(from.name, at))
            return constant(at + static_cast<std::uint64_t>(from.offset), bits);
        if (const auto address = loaded.address_of(from.name))
            return constant(*address + static_cast<std::uint64_t>(from.offset), bits);
        unknown(std::string(from.name) + " isn't known");
    }
    default:
        unknown("an operand isn't of a kind that it takes");
    }
}

std::uint32_t Decoder::out(const Operand &to, Type type) {
    const unsigned bits = type.width();
    if (to.kind == Operand::sink) return temporary(bits);
    if (to.kind != Operand::reg || !to.part.empty()) unknown("a register is expected");
    const RegisterSlot slot = slots_[to.index];
    if (slot.bits == 1) unknown("a predicate stands where a value is expected");
    if (slot.bits == stored(bits) && bits >= 16) return slot.at;
    if (slot.bits < stored(bits)) unknown("a register is smaller than the instruction's type");
    if (slot.bits == stored(bits)) return slot.at; // eight bits in sixteen: the handler extends
    const std::uint32_t at = temporary(bits);
    extensions_.push_back({at, slot.at, stored(bits), slot.bits, type.is_signed()});
    return at;
}

std::uint32_t Decoder::pred_in(const Operand &from) {
    std::uint32_t at = 0;
    if (from.kind == Operand::special) { // %is_explicit_cluster
        const std::uint32_t value = temporary(32);
        loaded.instructions.emit_special(*this, from.name, value, 32);
        at = take(4);
        Instr &instr = emit(loaded.instructions.holds);
        instr.d = at;
        instr.a = value;
        return at;
    }
    if (from.kind == Operand::number) {
        at = take(4);
        Instr &instr = emit(loaded.instructions.invert);
        instr.d = at;
        instr.a = constant(from.bits ? 0 : ~0ull, 32);
        return at;
    }
    if (from.kind != Operand::reg || slots_[from.index].bits != 1) unknown("a predicate is expected");
    at = slots_[from.index].at;
    if (!from.negated) return at;
    const std::uint32_t inverted = take(4);
    Instr &instr = emit(loaded.instructions.invert);
    instr.d = inverted;
    instr.a = at;
    return inverted;
}

std::uint32_t Decoder::pred_out(const Operand &to) {
    if (to.kind == Operand::sink || to.kind == Operand::none) return take(4);
    if (to.kind != Operand::reg || slots_[to.index].bits != 1) unknown("a predicate is expected");
    return slots_[to.index].at;
}

std::uint32_t Decoder::param_place(const Operand &variable, std::uint32_t &size) const {
    std::uint32_t offset = 0;
    if (variable.kind != Operand::variable || is_kernel_parameter(variable.index, offset) ||
        function.variables[variable.index].space != Space::param)
        unknown("a parameter is expected");
    size = static_cast<std::uint32_t>(function.variables[variable.index].size);
    return variables_[variable.index];
}

} // namespace pygpu::host::ptx
