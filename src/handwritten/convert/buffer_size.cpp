// Refuses memory that is too short.
#include "convert/buffer_size.hpp"

namespace pygpu {

bool too_short(const ArgumentContext &context, std::size_t needed, std::size_t given) {
    return value_error(context, "is too short: %zu needed, %zu given", needed, given);
}

bool long_enough(const ArgumentContext &context, std::span<const SizeRequirement> needs,
                 const std::size_t *sizes) {
    for (const SizeRequirement &need : needs) {
        const std::size_t given = sizes[need.parameter];
        if (given < need.size)
            return too_short({context.record, need.parameter, context.self}, need.size, given);
    }
    return true;
}

} // namespace pygpu
