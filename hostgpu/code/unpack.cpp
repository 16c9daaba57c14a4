// LZ4 by its description (github.com/lz4/lz4, doc/lz4_Block_format.md), Zstandard by a library found at run
// time.
#include "code/unpack.hpp"

#include "common/bytes.hpp"

#include <dlfcn.h>
#include <memory>

namespace pygpu::host {
namespace {

constexpr unsigned goes_on = 15;         // in the token's four bits: bytes follow, up to one that isn't 255
constexpr std::size_t least_match = 4;   // bytes that a match copies at least
constexpr std::uint64_t lz4_ratio = 255; // no packed byte yields more bytes than this
constexpr std::uint64_t zstd_ratio = 1 << 17; // a block is 128 KiB at most

// A length that starts with four bits of the token; false where the image ends in it.
bool length_at(std::string_view packed, std::size_t &at, unsigned bits, std::size_t &length) {
    length = bits;
    for (unsigned char more = bits == goes_on ? 255 : 0; more == 255; length += more) {
        if (!read_at(packed, at++, more)) return false;
    }
    return true;
}

// A block: sequences of literal bytes, and of bytes repeated from before. The last one has only literals.
bool unpack_lz4(std::string_view packed, std::size_t size, std::string &whole) {
    whole.reserve(size);
    std::size_t at = 0, length = 0;
    unsigned char token = 0;
    while (read_at(packed, at, token)) {
        std::string_view literals;
        if (!length_at(packed, ++at, token >> 4, length) || !part_of(packed, at, length, literals))
            return false;
        if (length > size - whole.size()) return false;
        whole += literals;
        at += length;
        if (at == packed.size()) break;
        std::uint16_t back = 0;
        if (!read_at(packed, at, back) || !back || back > whole.size()) return false;
        at += sizeof back;
        if (!length_at(packed, at, token & 15, length)) return false;
        length += least_match;
        if (length > size - whole.size()) return false;
        for (; length; --length) whole.push_back(whole[whole.size() - back]); // it may overlap its own output
    }
    return whole.size() == size;
}

using ZstdDecompress = std::size_t(void *, std::size_t, const void *, std::size_t);

// ZSTD_decompress; null where there is no library.
ZstdDecompress *zstd() {
    static const auto function = [] {
        void *const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
        return reinterpret_cast<ZstdDecompress *>(library ? dlsym(library, "ZSTD_decompress") : nullptr);
    }();
    return function;
}

} // namespace

Unpacked unpack(std::string_view packed, Packing packing, std::uint64_t size, std::string &whole) {
    whole.clear();
    if (size / (packing == Packing::zstd ? zstd_ratio : lz4_ratio) > packed.size()) return Unpacked::damaged;
    switch (packing) {
    case Packing::none:
        whole = packed;
        return Unpacked::whole;
    case Packing::lz4:
        return unpack_lz4(packed, size, whole) ? Unpacked::whole : Unpacked::damaged;
    case Packing::zstd:
        break;
    }
    ZstdDecompress *const decompress = zstd();
    if (!decompress) return Unpacked::no_library;
    // An image may claim any size. What isn't unpacked stays untouched, and takes no memory.
    const auto place = std::make_unique_for_overwrite<char[]>(size);
    // An error code is never equal to a size.
    if (decompress(place.get(), size, packed.data(), packed.size()) != size) return Unpacked::damaged;
    whole.assign(place.get(), size);
    return Unpacked::whole;
}

} // namespace pygpu::host
