// What the items of an array are, and whether they are what C reads or writes behind a pointer.
//
// C's rule, for which a cast is a view of another dtype: the same size and the same kind. Only signs don't
// matter. `void *`, pointers to structs, bytes, addresses and memory without a dtype fit all.
#pragma once

#include "binding/argument_context.hpp"

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace pygpu {

// The kinds: 'i' an integer or bool, 'f' a float, 'c' a complex number, 'p' a pointer; of C alone 'b' a
// bfloat16, and 'I' and 'F' a vector of integers or floats, with the size of one of them. 0 is unknown.
struct Element {
    char kind = 0;
    std::uint8_t size = 0;

    constexpr explicit operator bool() const { return kind; }
};

// Whether C, which wants the one, can be given the other.
constexpr bool fits(Element wanted, Element held) {
    if (!wanted || !held) return true;
    const bool same = wanted.size == held.size;
    switch (wanted.kind) {
    case 'f': // numpy has no bfloat16 and no C type for halves: their bits are integers
        return same && (held.kind == 'f' || (held.size == 2 && held.kind == 'i'));
    case 'b':
        return same && held.kind == 'i';
    case 'p':
        return same && (held.kind == 'i' || held.kind == 'p');
    case 'F': // float2 is a complex number
        return (same && held.kind == 'f') || (wanted.size == 2 && same && held.kind == 'i') ||
               (held.kind == 'c' && held.size == 2 * wanted.size);
    case 'I':
        return same && held.kind == 'i';
    default:
        return same && wanted.kind == held.kind;
    }
}

// The element of one of C's types; unknown for void and structs.
template <class T> constexpr Element element_of() {
    if constexpr (std::is_floating_point_v<T>)
        return {'f', sizeof(T)};
    else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
        return {'i', sizeof(T)};
    else if constexpr (std::is_pointer_v<T>)
        return {'p', sizeof(T)};
    else
        return {};
}

// By numpy's letter of a kind, as it is in a typestr.
Element element_of(char letter, std::size_t size);
Element element_of_typestr(const char *text); // "<f4"
// By the format of a buffer, in the letters of the struct module. Plain bytes are unknown.
Element element_of_format(const char *format, Py_ssize_t size);
Element element_of_dtype(PyObject *dtype); // of numpy's; unknown for any other object

std::string described(Element element); // "float", "integers of 4 bytes"

// Raises TypeError; always returns false.
bool wrong_element(Element wanted, Element held, const ArgumentContext &context);

} // namespace pygpu
