// Copying a kernel's arguments.
#include "code/kernel.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::host {

std::size_t end_of(const Signature &parameters) {
    std::size_t end = 0;
    for (const Parameter &one : parameters) end = std::max(end, one.offset + one.size);
    return end;
}

bool copy_arguments(const Signature &parameters, const Arguments &arguments, char *to) {
    if (arguments.block ? arguments.size < end_of(parameters) : !parameters.empty() && !arguments.pointers)
        return false;
    for (std::size_t index = 0; index < parameters.size(); ++index) {
        const Parameter &one = parameters[index];
        const void *const from = arguments.block ? static_cast<const char *>(arguments.block) + one.offset
                                                 : arguments.pointers[index];
        if (!from) return false;
        std::memcpy(to + one.offset, from, one.size);
    }
    return true;
}

} // namespace pygpu::host
