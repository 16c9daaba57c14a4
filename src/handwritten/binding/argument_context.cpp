// Messages about values: always the function, the parameter or field, and what was expected.
#include "binding/argument_context.hpp"

#include "binding/error_type.hpp"
#include "binding/mode.hpp"
#include "binding/signature.hpp"
#include "python/reference.hpp"

#include <cstdarg>
#include <cstdio>

namespace pygpu {

std::string Trail::text() const {
    std::string text = outer ? outer->text() : "";
    if (item >= 0) return text + "[" + std::to_string(item) + "]";
    if (!field) return text;
    return text.empty() ? field : text + "." + field;
}

const char *Trail::found_meaning() const { return meaning || !outer ? meaning : outer->found_meaning(); }

const char *Place::function() const {
    const Flavor &flavor = flavor_of(self);
    return flavor.constructor ? flavor.constructor : shown(flavor, row).name;
}

std::string Place::parameter() const {
    return std::string(parameter_name(shown(flavor_of(self), row), index));
}

std::string Place::text() const {
    if (!self) return trail->text();
    const std::string argument = std::string(function()) + "(): parameter '" + parameter();
    const std::string inner = trail ? trail->text() : "";
    const char *meaning = trail ? trail->found_meaning() : nullptr;
    const std::string end = meaning ? std::string("' (") + meaning + ")" : "'";
    if (inner.empty() || inner[0] == '[') return argument + inner + end;
    return argument + end + ": field '" + inner + "'";
}

bool type_error(const Place &place, const char *expected, PyObject *got) {
    PyErr_Format(PyExc_TypeError, "%s must be %s, not %.80s", place.text().c_str(), expected, type_told(got));
    return false;
}

bool overflow_error(const Place &place, PyObject *got, const char *least, const char *most) {
    Reference shown(PyObject_Repr(got));
    if (!shown) { // Python refuses to write out a huge int
        PyErr_Clear();
        shown = Reference(PyUnicode_FromString("a huge number"));
    }
    PyErr_Format(PyExc_OverflowError, "%s = %U is out of range (%s to %s)", place.text().c_str(), shown.get(),
                 least, most);
    return false;
}

bool value_error(const Place &place, const char *format, ...) {
    char text[256];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    PyErr_Format(PyExc_ValueError, "%s %s", place.text().c_str(), text);
    return false;
}

} // namespace pygpu
