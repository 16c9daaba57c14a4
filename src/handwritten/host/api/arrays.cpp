// Arrays.
#include "host/api/arrays.hpp"

#include <algorithm>

namespace pygpu::host {

Size Array::size() const {
    return {std::max<std::size_t>(extent.width, 1) * element, std::max<std::size_t>(extent.height, 1),
            std::max<std::size_t>(extent.depth, 1)};
}

Block Array::block() const {
    const Size all = size();
    return {memory->base, all.width, all.width * all.height};
}

Handles<Array> &arrays() {
    static auto *handles = new Handles<Array>;
    return *handles;
}

void forget_arrays(int device) {
    for (const auto &[handle, array] : arrays().all()) {
        if (array->memory->device == device) arrays().remove(handle);
    }
}

} // namespace pygpu::host
