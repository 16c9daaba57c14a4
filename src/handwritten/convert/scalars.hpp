// Integers, enumerators and floating-point numbers, in and out.
#pragma once

#include "convert/converter.hpp"

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

namespace pygpu {

// Out of line: the slow ways of reading an integer (index protocol, range errors).
bool load_signed(PyObject *object, const Place &place, long long least, long long most, long long &value);
bool load_unsigned(PyObject *object, const Place &place, unsigned long long most, unsigned long long &value);
bool load_double(PyObject *object, const Place &place, double &value);

template <std::integral T> struct Converter<T> {
    T held{};

    bool load(PyObject *object, const Place &place) {
        if (PyLong_CheckExact(object)) {
            int overflow = 0;
            const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
            if (!overflow && std::in_range<T>(value)) {
                held = static_cast<T>(value);
                return true;
            }
        }
        return load_slowly(object, place);
    }
    void fallback(long long value) { held = static_cast<T>(value); }
    T value() const { return held; }

private:
    bool load_slowly(PyObject *object, const Place &place) {
        using Limits = std::numeric_limits<T>;
        if constexpr (std::is_signed_v<T>) {
            long long value = 0;
            if (!load_signed(object, place, Limits::min(), Limits::max(), value)) return false;
            held = static_cast<T>(value);
        } else {
            unsigned long long value = 0;
            if (!load_unsigned(object, place, Limits::max(), value)) return false;
            held = static_cast<T>(value);
        }
        return true;
    }
};

template <class T>
    requires std::is_enum_v<T>
struct Converter<T> {
    using Number = std::underlying_type_t<T>;
    Converter<Number> number;

    bool load(PyObject *object, const Place &place) { return number.load(object, place); }
    void fallback(long long value) { number.fallback(value); }
    T value() const { return static_cast<T>(number.value()); }
};

template <std::floating_point T> struct Converter<T> {
    double held{};

    bool load(PyObject *object, const Place &place) {
        if (!load_double(object, place, held)) return false;
        if (!std::isfinite(held) || std::isfinite(static_cast<T>(held))) return true;
        return overflow_error(place, object, "-3.4e38", "3.4e38"); // a double that no float is near to
    }
    void fallback(long long value) { held = static_cast<double>(value); }
    T value() const { return static_cast<T>(held); }
};

template <std::integral T> PyObject *to_python(T value) {
    if constexpr (std::is_signed_v<T>)
        return PyLong_FromLongLong(value);
    else
        return PyLong_FromUnsignedLongLong(value);
}

template <std::floating_point T> PyObject *to_python(T value) {
    return PyFloat_FromDouble(static_cast<double>(value));
}

} // namespace pygpu
