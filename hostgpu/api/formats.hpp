// The drivers' formats of channels; both vendors number them alike.
#pragma once

#include "api/find.hpp"
#include "api/types.hpp"

namespace pygpu::host {

enum ChannelKind : unsigned { signed_channels, unsigned_channels, float_channels };

// False for a format or a number of channels that no array has.
bool channels_of(int format, unsigned count, Channels &channels);

unsigned count_of(const Channels &channels);
int format_of(const Channels &channels); // 0 for what has none

// Bytes of an element; 0 for a description that no array can have.
std::size_t element_bytes(const Channels &channels);

// Fills in either vendor's descriptor of an array, flat or of three dimensions.
template <class Descriptor> Status describe(ArrayTag *array, Descriptor *descriptor) {
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

} // namespace pygpu::host
