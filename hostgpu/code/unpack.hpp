// Unpacking the images that nvcc compresses: by LZ4, or by Zstandard, which is CUDA 13's default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pygpu::host {

enum class Packing { none, lz4, zstd };
enum class Unpacked { whole, damaged, no_library };

// Unpacks `packed` into `whole`. Anything but `size` bytes means that the image is damaged. Zstandard needs
// the system's libzstd; without it the result is no_library.
Unpacked unpack(std::string_view packed, Packing packing, std::uint64_t size, std::string &whole);

} // namespace pygpu::host
