// The table of opcodes.
#include "ptx/instructions/all.hpp"

#include "ptx/check/handlers.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/implied.hpp"
#include "ptx/instructions/special_registers.hpp"

#include <unordered_map>

namespace pygpu::host::ptx {
namespace {

const std::unordered_map<std::string_view, Decode> &table() {
    static const auto *all = [] {
        auto *instance = new std::unordered_map<std::string_view, Decode>;
        for (const auto &group :
             {integer_group(),   bits_group(),    float_group(),   math_group(),    compare_group(),
              convert_group(),   move_group(),    memory_group(),  copy_group(),    stack_group(),
              atomic_group(),    control_group(), barrier_group(), warp_group(),    mbarrier_group(),
              matrix_group(),    product_group(), texture_group(), surface_group(), tensor_group(),
              warpgroup_group(), video_group()}) {
            for (const Decoding &one : group) instance->emplace(one.base, one.decode);
        }
        return instance;
    }();
    return *all;
}

Decode decode_of(std::string_view base) {
    const auto entry = table().find(base);
    return entry == table().end() ? nullptr : entry->second;
}

} // namespace

const InstructionSet &all_instructions() {
    static constexpr InstructionSet all{decode_of,
                                        emit_special,
                                        implied::guarded,
                                        implied::skip,
                                        implied::join,
                                        implied::refuse,
                                        implied::invert,
                                        implied::holds,
                                        implied::local_address,
                                        implied::parameter_address,
                                        implied::convert,
                                        check::begin_function,
                                        check::give_up};
    return all;
}

} // namespace pygpu::host::ptx
