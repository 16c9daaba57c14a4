// Messages about arguments: always the function, the parameter and what was expected.
#include "call/place.hpp"

#include "call/flavor.hpp"
#include "call/needs.hpp"

#include <cstdarg>
#include <cstdio>

namespace pygpu {

const char *Place::function() const { return shown(flavor_of(self), row).name; }

const char *Place::parameter() const { return shown(flavor_of(self), row).parameters[index].name; }

bool type_error(const Place &place, const char *expected, PyObject *got) {
    PyErr_Format(PyExc_TypeError, "%s(): parameter '%s' must be %s, not %.80s", place.function(),
                 place.parameter(), expected, Py_TYPE(got)->tp_name);
    return false;
}

bool overflow_error(const Place &place, PyObject *got, const char *least, const char *most) {
    PyErr_Format(PyExc_OverflowError, "%s(): parameter '%s' = %R is out of range (%s to %s)",
                 place.function(), place.parameter(), got, least, most);
    return false;
}

bool value_error(const Place &place, const char *format, ...) {
    char text[256];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    PyErr_Format(PyExc_ValueError, "%s(): parameter '%s' %s", place.function(), place.parameter(), text);
    return false;
}

PyObject *too_short(const Place &place, const Need &need, std::size_t size) {
    value_error(place, "is too short: %zu needed, %zu given", need.size, size);
    return nullptr;
}

} // namespace pygpu
