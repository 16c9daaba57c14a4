// A number that C reads through a pointer: a Python number, or the address where the caller has it.
#pragma once

#include "convert/converter.hpp"
#include "convert/memory.hpp"
#include "convert/scalars.hpp"
#include "types/structs/converters.hpp"

#include <array>
#include <cstring>
#include <optional>

namespace pygpu {

// The number itself, for a call that returns before C's own copy of the argument is gone; or its address.
template <class T> struct OneNumber {
    std::optional<T> held;
    const T *address;
    operator const T *() const { return held ? &*held : address; }
};

// Whether an object is a number by itself, and no memory that holds one. An int is a number, too: an address
// has a type of its own, such as pointer_wrapper or ctypes.c_void_p.
inline bool is_value(PyObject *object) {
    const PyNumberMethods *numbers = Py_TYPE(object)->tp_as_number;
    return is_number(object) || PyComplex_Check(object) ||
           (numbers && numbers->nb_float && !PySequence_Check(object));
}

template <class T> struct Converter<OneNumber<T>> {
    Converter<T> number;
    Memory memory;
    bool is_held = false;

    bool load(PyObject *object, const ArgumentContext &context) {
        is_held = is_value(object);
        if (is_held) return number.load(object, context);
        return memory.load(object, context, Access::location) &&
               memory.holds(element_of<T>(), object, context);
    }
    OneNumber<T> value() const {
        if (is_held) return {number.value(), nullptr};
        return {std::nullopt, static_cast<const T *>(memory.pointer())};
    }
};

// A complex number that C declares as a struct of two numbers, as cuComplex.
template <CStruct T> struct Converter<OneNumber<T>> {
    std::optional<T> held;
    Memory memory;

    bool load(PyObject *object, const ArgumentContext &context) {
        if (!is_value(object)) return memory.load(object, context, Access::location);
        double real = 0, imaginary = 0;
        if (!load_complex(object, context, real, imaginary)) return false;
        if constexpr (sizeof(T) == 2 * sizeof(float))
            keep(static_cast<float>(real), static_cast<float>(imaginary));
        else
            keep(real, imaginary);
        return true;
    }
    OneNumber<T> value() const { return {held, static_cast<const T *>(memory.pointer())}; }

private:
    template <class Part> void keep(Part real, Part imaginary) {
        static_assert(sizeof(T) == 2 * sizeof(Part));
        const std::array<Part, 2> parts{real, imaginary};
        std::memcpy(&held.emplace(), parts.data(), sizeof(T));
    }
};

} // namespace pygpu
