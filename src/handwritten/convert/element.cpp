// Reading what the items of an array are.
#include "convert/element.hpp"

#include "PyGPU/detail/array_interface.h"
#include "binding/argument_errors.hpp"
#include "python/attribute.hpp"
#include "python/object_cache.hpp"
#include "python/reference.hpp"

#include <cstring>

namespace pygpu {
namespace {

// `name` is a str that stays: with a C string each call would look for it among all strings.
Reference attribute(PyObject *object, PyObject *name) {
    Reference value = optional_attribute(object, name);
    if (!value) PyErr_Clear();
    return value;
}

const char *name_of_float(std::size_t size) {
    return size == 2 ? "half" : size == 4 ? "float" : size == 8 ? "double" : "long double";
}

} // namespace

Element element_of(char letter, std::size_t size) {
    const auto bytes = static_cast<std::uint8_t>(size);
    if (!size || bytes != size) return {};
    switch (letter) {
    case 'b':
    case 'i':
    case 'u':
    case 'm': // dates are integers
    case 'M':
        return {'i', bytes};
    case 'f':
    case 'c':
        return {letter, bytes};
    default: // fields, text and other bytes
        return {};
    }
}

Element element_of_typestr(const char *text) {
    detail::typestr_element element;
    return detail::read_typestr(text, element) ? element_of(element.kind, element.size) : Element();
}

Element element_of_format(const char *format, Py_ssize_t size) {
    if (!format) return {};
    if (*format && std::strchr("@=<>!|", *format)) ++format;
    if (*format == '&' || *format == 'P' || *format == 'z') return {'p', static_cast<std::uint8_t>(size)};
    if (*format == 'Z' && format[1]) return element_of('c', static_cast<std::size_t>(size));
    if (!*format || format[1]) return {};
    if (std::strchr("efdg", *format)) return element_of('f', static_cast<std::size_t>(size));
    if (std::strchr("?bBhHiIlLqQnN", *format)) return element_of('i', static_cast<std::size_t>(size));
    return {};
}

Element element_of_dtype(PyObject *dtype) {
    static auto &known = *new ObjectCache<Element>; // never destroyed: static objects outlive the interpreter
    if (const Element *element = known.find(dtype)) return *element;
    static PyObject *const names[] = {PyUnicode_InternFromString("kind"),
                                      PyUnicode_InternFromString("itemsize")};
    const Reference kind = attribute(dtype, names[0]), itemsize = attribute(dtype, names[1]);
    const char *letter = kind && PyUnicode_Check(kind.get()) ? PyUnicode_AsUTF8(kind.get()) : nullptr;
    const std::size_t size = letter && itemsize ? PyLong_AsSize_t(itemsize.get()) : 0;
    Element element;
    if (!PyErr_Occurred() && letter) element = element_of(*letter, size);
    PyErr_Clear();
    known.put(dtype, element);
    return element;
}

std::string described(Element element) {
    const std::string size = std::to_string(element.size);
    switch (element.kind) {
    case 'f':
        return name_of_float(element.size);
    case 'b':
        return "bfloat16";
    case 'c':
        return "complex numbers of " + size + " bytes";
    case 'p':
        return "pointers";
    case 'F':
        return std::string("vectors of ") + name_of_float(element.size);
    case 'I':
        return "vectors of integers of " + size + (element.size == 1 ? " byte" : " bytes");
    default:
        return "integers of " + size + (element.size == 1 ? " byte" : " bytes");
    }
}

bool wrong_element(Element wanted, Element held, const ArgumentContext &context) {
    PyErr_Format(PyExc_TypeError,
                 "%s holds %s, but C takes a pointer to %s: convert the array, or give a view of that dtype",
                 context.text().c_str(), described(held).c_str(), described(wanted).c_str());
    return false;
}

} // namespace pygpu
