// Where registers, variables and parameters of a function lie in its frame.
#include "ptx/read/decoder.hpp"
#include "ptx/read/slots.hpp"

#include <algorithm>

namespace pygpu::host::ptx {

std::uint32_t Decoder::take(std::size_t bytes) {
    const std::size_t at = (top_ + 63) / 64 * 64;
    if (at + bytes > most_frame) unknown("a function has too many registers");
    top_ = static_cast<std::uint32_t>(at + bytes);
    most_ = std::max(most_, top_);
    return static_cast<std::uint32_t>(at);
}

void Decoder::layout() {
    std::uint32_t predicates = 0;
    slots_.resize(function.registers.size());
    for (std::size_t index = 0; index < slots_.size(); ++index) {
        if (function.registers[index].kind == Type::predicate) slots_[index] = {4 * predicates++, 1};
    }
    top_ = most_ = 4 * predicates;
    for (std::size_t index = 0; index < slots_.size(); ++index) {
        const Type type = function.registers[index];
        if (type.kind == Type::predicate) continue;
        const unsigned bits = stored(type.width());
        slots_[index] = {take(std::size_t{bits} / 8 * warp_size), bits};
    }
    variables_.resize(function.variables.size());
    for (std::size_t index = 0; index < variables_.size(); ++index) {
        const Variable &one = function.variables[index];
        if (one.space == Space::local) {
            body.local = (body.local + one.alignment - 1) / one.alignment * one.alignment;
            variables_[index] = static_cast<std::uint32_t>(body.local);
            body.locals.push_back({one.name, body.local, one.size});
            body.local += one.size + loaded.gap();
            body.gaps += loaded.gap();
            body.local_alignment = std::max(body.local_alignment, static_cast<std::uint32_t>(one.alignment));
            if (body.local > std::size_t{1} << 28) unknown("a function has too much local memory");
        } else if (one.space == Space::param && !function.entry) {
            variables_[index] = take(one.size * warp_size);
        } else if (one.space == Space::param) {
            // Other parameters in a kernel are those of its calls: they lie in the frame.
            const bool own = std::ranges::any_of(function.parameters, [&](const Formal &formal) {
                return !formal.in_register && formal.index == index;
            });
            if (!own) variables_[index] = take(one.size * warp_size);
        }
    }
    if (body.local) body.local += body.local_alignment - 16;
    std::size_t end = 0;
    for (const Formal &formal : function.parameters) {
        if (formal.in_register) {
            body.parameters.push_back({slots_[formal.index].at, slots_[formal.index].bits, true});
            continue;
        }
        const Variable &one = function.variables[formal.index];
        end = (end + one.alignment - 1) / one.alignment * one.alignment;
        body.offsets.push_back(static_cast<std::uint32_t>(end));
        end += one.size;
        if (end > std::size_t{1} << 24) unknown("a function has too many parameters");
        body.parameters_size = end;
        body.parameters.push_back({variables_[formal.index], static_cast<std::uint32_t>(one.size), false});
    }
    for (const Formal &formal : function.results) {
        body.results.push_back(
            formal.in_register
                ? FormalSlot{slots_[formal.index].at, slots_[formal.index].bits, true}
                : FormalSlot{variables_[formal.index],
                             static_cast<std::uint32_t>(function.variables[formal.index].size), false});
    }
    registers_end_ = top_;
}

bool Decoder::is_kernel_parameter(std::uint32_t variable, std::uint32_t &offset) const {
    if (!function.entry) return false;
    for (std::size_t index = 0; index < function.parameters.size(); ++index) {
        if (function.parameters[index].in_register || function.parameters[index].index != variable) continue;
        offset = body.offsets[index];
        return true;
    }
    return false;
}

} // namespace pygpu::host::ptx
