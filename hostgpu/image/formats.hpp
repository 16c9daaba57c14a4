// The drivers' formats of channels; both vendors number them alike.
#pragma once

#include "base/types.hpp"

#include <cstddef>

namespace pygpu::host {

enum ChannelKind : unsigned { signed_channels, unsigned_channels, float_channels };

// False for a format or a number of channels that no array has.
bool channels_of(int format, unsigned count, Channels &channels);

unsigned count_of(const Channels &channels);
int format_of(const Channels &channels); // 0 for what has none

// Bytes of an element; 0 for a description that no array can have.
std::size_t element_bytes(const Channels &channels);

} // namespace pygpu::host
