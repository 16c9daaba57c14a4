// Messages about refused arguments.
#include "binding/argument_errors.hpp"

#include "binding/status_base.hpp"
#include "python/reference.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

namespace pygpu {

bool type_error(const ArgumentContext &context, const char *expected, PyObject *got) {
    PyErr_Format(PyExc_TypeError, "%s must be %s, not %.80s", context.text().c_str(), expected,
                 type_description(got));
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

bool name_argument(const ArgumentContext &context) {
    for (PyObject *kind : {PyExc_TypeError, PyExc_ValueError, PyExc_OverflowError, PyExc_BufferError}) {
        if (PyErr_Occurred() != kind) continue;
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        const Reference held(type), value(error), trace(traceback);
        PyErr_Format(kind, "%s: %S", context.text().c_str(), value ? value.get() : kind);
        break;
    }
    return false;
}

const char *type_description(PyObject *object) {
    const char *name = Py_TYPE(object)->tp_name;
    const Py_ssize_t size = PyTuple_CheckExact(object) ? PyTuple_GET_SIZE(object) : 0;
    if (size > 1 && is_status_object(PyTuple_GET_ITEM(object, size - 1)))
        return "tuple: calls return (value, err), so write value, err = call()";
    if (!is_status_object(object)) return name;
    thread_local std::string text;
    const char *dot = std::strrchr(name, '.');
    text = std::string(dot ? dot + 1 : name) + ": calls return (value, err), not (err, value)";
    return text.c_str();
}

} // namespace pygpu
