// The formats' table.
#include "image/formats.hpp"

#include <initializer_list>

namespace pygpu::host {
namespace {

struct Format {
    int code, bits;
    unsigned kind;
};

// CU_AD_FORMAT_… and HIP_AD_FORMAT_…
constexpr Format formats[] = {
    {0x01, 8, unsigned_channels}, {0x02, 16, unsigned_channels}, {0x03, 32, unsigned_channels},
    {0x08, 8, signed_channels},   {0x09, 16, signed_channels},   {0x0a, 32, signed_channels},
    {0x10, 16, float_channels},   {0x20, 32, float_channels},
};

} // namespace

bool channels_of(int format, unsigned count, Channels &channels) {
    if (count != 1 && count != 2 && count != 4) return false;
    for (const Format &one : formats) {
        if (one.code != format) continue;
        channels = {one.bits, count > 1 ? one.bits : 0, count > 2 ? one.bits : 0, count > 2 ? one.bits : 0,
                    one.kind};
        return true;
    }
    return false;
}

unsigned count_of(const Channels &channels) { return !channels.y ? 1 : !channels.z ? 2 : 4; }

int format_of(const Channels &channels) {
    for (const Format &one : formats) {
        if (one.bits == channels.x && one.kind == channels.kind) return one.code;
    }
    return 0;
}

// One, two or four channels of the same bits, in a row.
std::size_t element_bytes(const Channels &channels) {
    const int bits = channels.x;
    if ((bits != 8 && bits != 16 && bits != 32) || channels.kind > float_channels) return 0;
    if (bits == 8 && channels.kind == float_channels) return 0;
    const unsigned count = count_of(channels);
    for (unsigned k = 1; const int one : {channels.y, channels.z, channels.w})
        if (one != (k++ < count ? bits : 0)) return 0;
    return count * static_cast<std::size_t>(bits) / 8;
}

} // namespace pygpu::host
