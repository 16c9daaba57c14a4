// Reading numbers that are not small exact ints, and saying what is wrong with them.
#include "convert/scalars.hpp"

#include "interpreter/reference.hpp"

#include <string>

namespace pygpu {
namespace {

// An int for `object` by the index protocol; floats and strings are refused, bools are integers.
Reference as_int(PyObject *object, const Place &place) {
    if (!PyIndex_Check(object)) {
        type_error(place, "an integer", object);
        return {};
    }
    Reference number(PyNumber_Index(object));
    if (!number && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        type_error(place, "an integer", object);
    }
    return number;
}

} // namespace

bool load_signed(PyObject *object, const Place &place, long long least, long long most, long long &value) {
    Reference number = as_int(object, place);
    if (!number) return false;
    int overflow = 0;
    value = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
    if (!overflow && value >= least && value <= most) return true;
    return overflow_error(place, number.get(), std::to_string(least).c_str(), std::to_string(most).c_str());
}

bool load_unsigned(PyObject *object, const Place &place, unsigned long long most, unsigned long long &value) {
    Reference number = as_int(object, place);
    if (!number) return false;
    value = PyLong_AsUnsignedLongLong(number.get());
    const bool failed = value == static_cast<unsigned long long>(-1) && PyErr_Occurred();
    if (failed) PyErr_Clear();
    if (!failed && value <= most) return true;
    return overflow_error(place, number.get(), "0", std::to_string(most).c_str());
}

bool load_double(PyObject *object, const Place &place, double &value) {
    value = PyFloat_AsDouble(object);
    if (value != -1.0 || !PyErr_Occurred()) return true;
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        return overflow_error(place, object, "-1.8e308", "1.8e308");
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false; // what the object raised itself
    PyErr_Clear();
    return type_error(place, "a number", object);
}

} // namespace pygpu
