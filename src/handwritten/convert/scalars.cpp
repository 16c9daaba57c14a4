// Reading numbers, and saying what is wrong with them.
#include "convert/scalars.hpp"

#include "binding/function_record.hpp"
#include "python/reference.hpp"
#include "python/small_int.hpp"

#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace pygpu {
namespace {

// An int for `object` by the index protocol; floats, strings and bools are refused.
Reference as_int(PyObject *object, const ArgumentContext &context) {
    if (!is_integer(object)) {
        type_error(context, "an integer", object);
        return {};
    }
    Reference number(PyNumber_Index(object));
    if (!number && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        type_error(context, "an integer", object);
    }
    return number;
}

template <std::integral T>
[[gnu::noinline]] bool load_large(PyObject *object, const ArgumentContext &context, T &value) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_signed_v<T>) {
        long long number = 0;
        if (!load_signed(object, context, Limits::min(), Limits::max(), number)) return false;
        value = static_cast<T>(number);
    } else {
        unsigned long long number = 0;
        if (!load_unsigned(object, context, Limits::max(), number)) return false;
        value = static_cast<T>(number);
    }
    return true;
}

} // namespace

bool is_integer(PyObject *object) {
    if (PyLong_CheckExact(object)) return true;
    return PyIndex_Check(object) && !is_bool(object) && !StatusType::check(object);
}

bool is_error_of(const ArgumentContext &context, PyObject *object, int &code) {
    const StatusType *kind = StatusType::of(Py_TYPE(object));
    if (!kind || &kind->api() != &context.record.api) return false;
    code = StatusType::code_of(object);
    return true;
}

bool load_signed(PyObject *object, const ArgumentContext &context, long long least, long long most,
                 long long &value) {
    Reference number = as_int(object, context);
    if (!number) return false;
    int overflow = 0;
    value = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
    if (!overflow && value >= least && value <= most) return true;
    return overflow_error(context, number.get(), std::to_string(least).c_str(), std::to_string(most).c_str());
}

bool load_unsigned(PyObject *object, const ArgumentContext &context, unsigned long long most,
                   unsigned long long &value) {
    Reference number = as_int(object, context);
    if (!number) return false;
    value = PyLong_AsUnsignedLongLong(number.get());
    const bool failed = value == static_cast<unsigned long long>(-1) && PyErr_Occurred();
    if (failed) PyErr_Clear();
    if (!failed && value <= most) return true;
    return overflow_error(context, number.get(), "0", std::to_string(most).c_str());
}

template <std::integral T> bool load_integer(PyObject *object, const ArgumentContext &context, T &value) {
    if (Py_ssize_t number = 0; read_small_int(object, number) && std::in_range<T>(number)) [[likely]] {
        value = static_cast<T>(number);
        return true;
    }
    return load_large(object, context, value);
}

template bool load_integer(PyObject *, const ArgumentContext &, signed char &);
template bool load_integer(PyObject *, const ArgumentContext &, unsigned char &);
template bool load_integer(PyObject *, const ArgumentContext &, short &);
template bool load_integer(PyObject *, const ArgumentContext &, unsigned short &);
template bool load_integer(PyObject *, const ArgumentContext &, int &);
template bool load_integer(PyObject *, const ArgumentContext &, unsigned int &);
template bool load_integer(PyObject *, const ArgumentContext &, long &);
template bool load_integer(PyObject *, const ArgumentContext &, unsigned long &);
template bool load_integer(PyObject *, const ArgumentContext &, long long &);
template bool load_integer(PyObject *, const ArgumentContext &, unsigned long long &);

bool load_double(PyObject *object, const ArgumentContext &context, double &value) {
    if (PyFloat_CheckExact(object)) [[likely]] {
        value = PyFloat_AS_DOUBLE(object);
        return true;
    }
    if (is_bool(object)) return type_error(context, "a number", object);
    value = PyFloat_AsDouble(object);
    if (value != -1.0 || !PyErr_Occurred()) return true;
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        return overflow_error(context, object, "-1.8e308", "1.8e308");
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false; // what the object raised itself
    PyErr_Clear();
    return type_error(context, "a number", object);
}

bool load_complex(PyObject *object, const ArgumentContext &context, double &real, double &imaginary) {
    if (is_bool(object)) return type_error(context, "a number", object);
    const Py_complex loaded = PyComplex_AsCComplex(object);
    real = loaded.real;
    imaginary = loaded.imag;
    if (real != -1.0 || !PyErr_Occurred()) return true;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false; // what the object raised itself
    PyErr_Clear();
    return type_error(context, "a number", object);
}

bool load_truth(PyObject *object, const ArgumentContext &context, bool &value) {
    if (is_bool(object)) {
        const int truth = PyObject_IsTrue(object);
        value = truth > 0;
        return truth >= 0;
    }
    unsigned long long number = 0;
    if (!load_unsigned(object, context, 1, number)) return false;
    value = number != 0;
    return true;
}

} // namespace pygpu
