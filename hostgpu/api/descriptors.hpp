// Asking for descriptors of arrays.
#pragma once

#include "api/find.hpp"
#include "image/formats.hpp"

namespace pygpu::host::api {

// Fills in either vendor's descriptor of an array, flat or of three dimensions.
template <class Descriptor> Status ArrayGetDescriptor(Descriptor *descriptor, ArrayTag *array) {
    const auto object = find_array(array);
    if (!object) return gone_array(array);
    if (!descriptor) return Status::invalid_value;
    *descriptor = {};
    descriptor->Width = object->extent.width;
    descriptor->Height = object->extent.height;
    if constexpr (requires { descriptor->Depth; }) {
        descriptor->Depth = object->extent.depth;
        descriptor->Flags = object->flags;
    }
    descriptor->Format = static_cast<decltype(descriptor->Format)>(format_of(object->channels));
    descriptor->NumChannels = count_of(object->channels);
    return Status::success;
}

} // namespace pygpu::host::api
