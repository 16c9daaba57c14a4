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

Status read_arguments(void *const *pointers, void **extra, Arguments &arguments) {
    if (pointers && extra) return Status::invalid_value;
    arguments.pointers = pointers;
    const auto *const block = reinterpret_cast<void *>(packed_values);
    const auto *const size = reinterpret_cast<void *>(packed_size);
    for (; extra && (extra[0] == block || extra[0] == size); extra += 2) {
        if (!extra[1]) return Status::invalid_value;
        if (extra[0] == block)
            arguments.block = extra[1];
        else
            arguments.size = *static_cast<const std::size_t *>(extra[1]);
    }
    return Status::success;
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
