// Messages about values: always the function, the parameter or field, and what was expected.
#include "binding/argument_context.hpp"

#include "binding/error_type.hpp"
#include "binding/mode.hpp"
#include "binding/signature.hpp"
#include "python/reference.hpp"

#include <cstdarg>
#include <cstdio>

namespace pygpu {

std::string FieldPath::text() const {
    std::string text = outer ? outer->text() : "";
    if (item >= 0) return text + "[" + std::to_string(item) + "]";
    if (!field) return text;
    return text.empty() ? field : text + "." + field;
}

const char *FieldPath::found_meaning() const { return meaning || !outer ? meaning : outer->found_meaning(); }

const char *ArgumentContext::function() const {
    const BindingMode &mode = mode_of(self);
    return mode.constructor ? mode.constructor : shown(mode, record).name;
}

std::string ArgumentContext::parameter() const {
    return std::string(parameter_name(shown(mode_of(self), record), index));
}

std::string ArgumentContext::text() const {
    if (!self) return path->text();
    const std::string argument = std::string(function()) + "(): parameter '" + parameter();
    const std::string inner = path ? path->text() : "";
    const char *meaning = path ? path->found_meaning() : nullptr;
    const std::string end = meaning ? std::string("' (") + meaning + ")" : "'";
    if (inner.empty() || inner[0] == '[') return argument + inner + end;
    return argument + end + ": field '" + inner + "'";
}

bool type_error(const ArgumentContext &context, const char *expected, PyObject *got) {
    PyErr_Format(PyExc_TypeError, "%s must be %s, not %.80s", context.text().c_str(), expected,
                 type_told(got));
    return false;
}

bool overflow_error(const ArgumentContext &context, PyObject *got, const char *least, const char *most) {
    Reference shown(PyObject_Repr(got));
    if (!shown) { // Python refuses to write out a huge int
        PyErr_Clear();
        shown = Reference(PyUnicode_FromString("a huge number"));
    }
    PyErr_Format(PyExc_OverflowError, "%s = %U is out of range (%s to %s)", context.text().c_str(),
                 shown.get(), least, most);
    return false;
}

bool value_error(const ArgumentContext &context, const char *format, ...) {
    char text[256];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    PyErr_Format(PyExc_ValueError, "%s %s", context.text().c_str(), text);
    return false;
}

} // namespace pygpu
