// What a parameter asks for, as signatures and TypeErrors spell it: "device_span[float32, ndim=2, on_gpu]",
// "device_span[writable float32]".
#pragma once

#include "PyGPU/device_span.h"
#include "PyGPU/ptr_wrapper.h"

#include <cstddef>
#include <type_traits>

namespace pygpu {

template <class T> class device_array;

namespace detail {

// Text of a constant expression; the binding libraries take its characters.
template <std::size_t Length> struct text {
    char chars[Length + 1] = {};
};

template <std::size_t Size> constexpr text<Size - 1> spelled(const char (&literal)[Size]) {
    text<Size - 1> result;
    for (std::size_t at = 0; at + 1 < Size; ++at) result.chars[at] = literal[at];
    return result;
}

template <std::size_t One, std::size_t Other>
constexpr text<One + Other> operator+(const text<One> &one, const text<Other> &other) {
    text<One + Other> result;
    for (std::size_t at = 0; at < One; ++at) result.chars[at] = one.chars[at];
    for (std::size_t at = 0; at < Other; ++at) result.chars[One + at] = other.chars[at];
    return result;
}

template <int Number> constexpr auto digits() {
    constexpr text<1> last{{static_cast<char>('0' + Number % 10)}};
    if constexpr (Number < 10)
        return last;
    else
        return digits<Number / 10>() + last;
}

constexpr std::size_t length_of(const char *word) {
    std::size_t length = 0;
    while (word[length]) ++length;
    return length;
}

template <class T> constexpr auto element_text() {
    constexpr dtype type = dtype_v<T>;
    text<length_of(word_of(type))> word;
    for (std::size_t at = 0; word_of(type)[at]; ++at) word.chars[at] = word_of(type)[at];
    if constexpr (!std::is_const_v<T>)
        return spelled("writable ") + element_text<const T>();
    else if constexpr (type == dtype_of<bool>::value)
        return word;
    else
        return word + digits<type.bits>();
}

template <int Axes> constexpr auto wanted_text(ndim<Axes>) { return spelled(", ndim=") + digits<Axes>(); }
constexpr auto wanted_text(c_contig) { return spelled(", c_contig"); }
constexpr auto wanted_text(f_contig) { return spelled(", f_contig"); }
constexpr auto wanted_text(on_gpu) { return spelled(", on_gpu"); }
constexpr auto wanted_text(on_host) { return spelled(", on_host"); }

template <class Parameter> struct signature;

template <class T, class... Wanted> struct signature<device_span<T, Wanted...>> {
    static constexpr auto value =
        ((spelled("device_span[") + element_text<T>()) + ... + wanted_text(Wanted{})) + spelled("]");
};

template <class T> struct signature<ptr_wrapper<T>> {
    static constexpr auto value = spelled("ptr_wrapper[") + element_text<T>() + spelled("]");
};

} // namespace detail
} // namespace pygpu
