// Asking for descriptors of arrays.
#pragma once

#include "api/find.hpp"
#include "image/formats.hpp"

namespace pygpu::host::api {

// Fills in either vendor's descriptor of an array, flat or of three dimensions.
template <class Descriptor> Status ArrayGetDescriptor(Descriptor *descriptor, ArrayTag *array) {
    const auto found = find_array(array);
    if (!found) return gone_array(array);
    if (!descriptor) return Status::invalid_value;
    *descriptor = {};
    descriptor->Width = found->extent.width;
    descriptor->Height = found->extent.height;
    if constexpr (requires { descriptor->Depth; }) {
        descriptor->Depth = found->extent.depth;
        descriptor->Flags = found->flags;
    }
    descriptor->Format = static_cast<decltype(descriptor->Format)>(format_of(found->channels));
    descriptor->NumChannels = count_of(found->channels);
    return Status::success;
}

} // namespace pygpu::host::api
