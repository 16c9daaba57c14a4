// Refuses memory that is too short: of arguments (call/call.hpp), behind pointers in structs
// (types/structs/lengths.cpp), and in arrays of pointers (convert/sequences.hpp).
#include "convert/buffer_size.hpp"

namespace pygpu {

bool too_short(const ArgumentContext &context, std::size_t needed, std::size_t size) {
    return value_error(context, "is too short: %zu needed, %zu given", needed, size);
}

bool long_enough(const ArgumentContext &context, std::span<const SizeRequirement> needs,
                 const std::size_t *sizes) {
    for (const SizeRequirement &need : needs) {
        const std::size_t size = sizes[need.parameter];
        if (size < need.size)
            return too_short({context.record, need.parameter, context.self}, need.size, size);
    }
    return true;
}

} // namespace pygpu
