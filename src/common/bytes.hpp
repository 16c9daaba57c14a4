// Reading numbers and parts of an image, never beyond its end.
#pragma once

#include "common/checked_int.hpp"

#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace pygpu {

// A part of an image; false where it isn't wholly there.
inline bool part_of(std::string_view image, CheckedInt<std::size_t> at, CheckedInt<std::size_t> size,
                    std::string_view &part) {
    std::size_t start = 0, length = 0;
    if (!at.fits(start) || !size.fits(length)) return false;
    if (start > image.size() || length > image.size() - start) return false;
    part = image.substr(start, length);
    return true;
}

// Reads a struct at any offset of an image.
template <class Value> bool read_at(std::string_view image, CheckedInt<std::size_t> at, Value &value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    std::string_view part;
    if (!part_of(image, at, sizeof value, part)) return false;
    std::memcpy(&value, part.data(), sizeof value);
    return true;
}

// The text from there to the next NUL; empty where none comes.
inline std::string_view text_at(std::string_view image, std::size_t at) {
    if (at >= image.size()) return {};
    const std::string_view rest = image.substr(at);
    const std::size_t end = rest.find('\0');
    return end == rest.npos ? std::string_view{} : rest.substr(0, end);
}

} // namespace pygpu
