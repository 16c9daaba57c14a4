// Text in and out: UTF-8, with undecodable bytes kept as surrogates, as Python does for paths.
#include "convert/text.hpp"

#include <cstring>

namespace pygpu {

bool Converter<Text>::load(PyObject *object, const ArgumentContext &context) {
    if (object == Py_None) return true;
    if (PyBytes_Check(object)) {
        encoded = Reference::borrow(object);
    } else if (PyUnicode_Check(object)) {
        encoded = Reference(PyUnicode_EncodeFSDefault(object));
    } else {
        Reference path(PyOS_FSPath(object));
        if (!path) {
            if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
            PyErr_Clear();
            return type_error(context, "str, bytes or a path", object);
        }
        encoded =
            PyBytes_Check(path.get()) ? std::move(path) : Reference(PyUnicode_EncodeFSDefault(path.get()));
    }
    if (!encoded) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeError)) return false;
        PyErr_Clear();
        return value_error(context, "cannot be encoded as UTF-8");
    }
    loaded = PyBytes_AS_STRING(encoded.get());
    if (std::strlen(loaded) != static_cast<std::size_t>(PyBytes_GET_SIZE(encoded.get()))) {
        return value_error(context, "holds a NUL character");
    }
    return true;
}

bool Converter<TextItem>::load(PyObject *object, const ArgumentContext &context) {
    if (object == Py_None) return type_error(context, "str, bytes or a path for each item", object);
    return Converter<Text>::load(object, context);
}

PyObject *to_python(const char *text) {
    if (!text) Py_RETURN_NONE;
    return PyUnicode_DecodeFSDefault(text);
}

PyObject *to_python(const LentText &text) { return to_python(text.text()); }

PyObject *to_python(const TextBuffer &buffer) { return PyUnicode_DecodeFSDefault(buffer.text().c_str()); }

PyObject *to_python(const ByteBuffer &bytes) {
    return PyBytes_FromStringAndSize(bytes.memory(), static_cast<Py_ssize_t>(bytes.size()));
}

PyObject *to_python(const CodeText &code) {
    return PyBytes_FromStringAndSize(code.memory(), static_cast<Py_ssize_t>(code.size()));
}

} // namespace pygpu
