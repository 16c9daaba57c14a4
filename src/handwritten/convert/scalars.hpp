// Integers, enumerators, floating-point and complex numbers, in and out.
#pragma once

#include "binding/status_type.hpp"
#include "convert/converter.hpp"
#include "python/boolean.hpp"

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

namespace pygpu {

// Whether an object may stand for an integer of C: it must have __index__. A bool is refused, because it is
// no device number, no size and no address; so is a status.
bool is_integer(PyObject *object);

// The code of an error object of the API that is called; false for anything else.
bool is_error_of(const ArgumentContext &context, PyObject *object, int &code);

// Out of line: the slow ways of reading an integer (index protocol, range errors).
bool load_signed(PyObject *object, const ArgumentContext &context, long long least, long long most,
                 long long &value);
bool load_unsigned(PyObject *object, const ArgumentContext &context, unsigned long long most,
                   unsigned long long &value);
bool load_double(PyObject *object, const ArgumentContext &context, double &value);
bool load_complex(PyObject *object, const ArgumentContext &context, double &real, double &imaginary);
// A bool, 0 or 1.
bool load_truth(PyObject *object, const ArgumentContext &context, bool &value);

// Any integer, within the limits of its C type. One function for each type that C has: calls with many
// integers would be several times as large otherwise.
template <std::integral T>
[[gnu::hot]] bool load_integer(PyObject *object, const ArgumentContext &context, T &value);

template <std::integral T> struct Converter<T> {
    T loaded{};

    bool load(PyObject *object, const ArgumentContext &context) {
        return load_integer(object, context, loaded);
    }
    void fallback(long long value) { loaded = static_cast<T>(value); }
    T value() const { return loaded; }
};

template <> struct Converter<bool> {
    bool loaded = false;

    bool load(PyObject *object, const ArgumentContext &context) {
        return load_truth(object, context, loaded);
    }
    void fallback(long long value) { loaded = value != 0; }
    bool value() const { return loaded; }
};

// C's char is a number with the sign that the machine gives it.
using CharNumber = std::conditional_t<std::is_signed_v<char>, signed char, unsigned char>;

template <> struct Converter<char> : Converter<CharNumber> {
    char value() const { return static_cast<char>(loaded); }
};

template <class T>
    requires std::is_enum_v<T>
struct Converter<T> {
    using Number = std::underlying_type_t<T>;
    Converter<Number> number;

    bool load(PyObject *object, const ArgumentContext &context) {
        if constexpr (is_status<T>) {
            int code = 0;
            if (is_error_of(context, object, code)) {
                number.fallback(code);
                return true;
            }
        }
        return number.load(object, context);
    }
    void fallback(long long value) { number.fallback(value); }
    T value() const { return static_cast<T>(number.value()); }
};

// A number that C only compares with zero: a bool will do, too.
template <std::integral T> struct Boolean {
    T number;
    operator T() const { return number; }
};

template <std::integral T> struct Converter<Boolean<T>> : Converter<T> {
    bool load(PyObject *object, const ArgumentContext &context) {
        if (!is_bool(object)) return Converter<T>::load(object, context);
        const int truth = PyObject_IsTrue(object);
        this->loaded = static_cast<T>(truth);
        return truth >= 0;
    }
    Boolean<T> value() const { return {this->loaded}; }
};

template <std::floating_point T> struct Converter<T> {
    double loaded{};

    bool load(PyObject *object, const ArgumentContext &context) {
        if (!load_double(object, context, loaded)) return false;
        if (!std::isfinite(loaded) || std::isfinite(static_cast<T>(loaded))) return true;
        return overflow_error(context, object, "-3.4e38", "3.4e38"); // there is no float near this double
    }
    void fallback(long long value) { loaded = static_cast<double>(value); }
    T value() const { return static_cast<T>(loaded); }
};

// C's complex numbers, as GNU C++ knows them.
template <class T>
concept Complex = std::same_as<T, _Complex float> || std::same_as<T, _Complex double>;

template <Complex T> struct Converter<T> {
    double real = 0, imaginary = 0;

    bool load(PyObject *object, const ArgumentContext &context) {
        return load_complex(object, context, real, imaginary);
    }
    void fallback(long long value) { real = static_cast<double>(value); }
    T value() const {
        using Part = std::conditional_t<std::same_as<T, _Complex float>, float, double>;
        T result{};
        __real__ result = static_cast<Part>(real);
        __imag__ result = static_cast<Part>(imaginary);
        return result;
    }
};

template <Complex T> PyObject *to_python(T value) {
    return PyComplex_FromDoubles(static_cast<double>(__real__ value), static_cast<double>(__imag__ value));
}

template <std::integral T> PyObject *to_python(T value) {
    if constexpr (std::same_as<T, bool>)
        return PyBool_FromLong(value);
    else if constexpr (std::is_signed_v<T>)
        return PyLong_FromLongLong(value);
    else
        return PyLong_FromUnsignedLongLong(value);
}

template <std::floating_point T> PyObject *to_python(T value) {
    return PyFloat_FromDouble(static_cast<double>(value));
}

} // namespace pygpu
