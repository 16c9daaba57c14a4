// The arrays by their handles.
#include "image/array.hpp"

#include <algorithm>

namespace pygpu::host {

Size Array::size() const {
    return {std::max<std::size_t>(extent.width, 1) * element, std::max<std::size_t>(extent.height, 1),
            std::max<std::size_t>(extent.depth, 1)};
}

StridedBlock Array::block() const {
    const Size all = size();
    return {memory->base + offset, all.width, all.width * all.height};
}

Handles<Array> &arrays() {
    static auto *handles = new Handles<Array>;
    return *handles;
}

Handles<MipmappedArray> &mipmapped_arrays() {
    static auto *handles = new Handles<MipmappedArray>;
    return *handles;
}

void forget_arrays(unsigned long long context) {
    for (const auto &[handle, mipmap] : mipmapped_arrays().all()) {
        if (mipmap->memory->context == context) mipmapped_arrays().remove(handle);
    }
    for (const auto &[handle, array] : arrays().all()) {
        if (array->memory->context == context) arrays().remove(handle);
    }
}

} // namespace pygpu::host
