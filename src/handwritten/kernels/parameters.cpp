// Reading the facts about a kernel's parameters that PyGPU's Python code has found out.
#include "kernels/parameters.hpp"

#include "python/reference.hpp"

#include <string_view>
#include <utility>

namespace pygpu::kernels {
namespace {

constexpr std::pair<std::string_view, Holds> kinds[] = {{"", Holds::anything},  {"integer", Holds::integer},
                                                        {"float", Holds::real}, {"pointer", Holds::pointer},
                                                        {"word", Holds::word},  {"bytes", Holds::bytes}};

// Whether a parameter of 8 bytes may be an address, and a number.
bool is_word(const Parameter &one) {
    return one.size == sizeof(void *) &&
           (one.holds == Holds::integer || one.holds == Holds::pointer || one.holds == Holds::word);
}

bool load_details(PyObject *object, Parameter &parameter) {
    const Py_ssize_t count = PyTuple_GET_SIZE(object);
    PyObject *const is_signed = count > 2 ? PyTuple_GET_ITEM(object, 2) : Py_None;
    if (is_signed != Py_None) parameter.range = is_signed == Py_True ? Range::is_signed : Range::is_unsigned;
    PyObject *const type = count > 4 ? PyTuple_GET_ITEM(object, 4) : Py_None;
    if (PyUnicode_Check(type) && !PyUnicode_CompareWithASCIIString(type, "bool"))
        parameter.range = Range::boolean;
    if (count < 6) return true;
    Py_ssize_t length = 0;
    const char *element = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(object, 5), &length);
    if (!element) return false;
    if (length == 2) parameter.element = {element[0], static_cast<std::uint8_t>(element[1] - '0')};
    return true;
}

bool load_one(PyObject *object, Parameter &parameter) {
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) < 2) {
        PyErr_SetString(PyExc_TypeError, "kernel: a parameter is a tuple (size, kind, ...)");
        return false;
    }
    parameter.size = PyLong_AsSize_t(PyTuple_GET_ITEM(object, 0));
    const char *name = PyErr_Occurred() ? nullptr : PyUnicode_AsUTF8(PyTuple_GET_ITEM(object, 1));
    if (!name) return false;
    for (const auto &[known, holds] : kinds) {
        parameter.holds = holds;
        if (known != name) continue;
        return load_details(object, parameter);
    }
    PyErr_Format(PyExc_ValueError, "kernel: %.80s is no kind of parameter", name);
    return false;
}

} // namespace

bool load_parameters(PyObject *object, std::vector<Parameter> &parameters) {
    const Reference all(PySequence_Tuple(object));
    if (!all) return false;
    parameters.resize(static_cast<std::size_t>(PyTuple_GET_SIZE(all.get())));
    Py_ssize_t at = 0;
    for (Parameter &one : parameters) {
        if (!load_one(PyTuple_GET_ITEM(all.get(), at++), one)) return false;
    }
    return true;
}

bool join(const Parameter &known, Parameter &declared) {
    if (known.size != declared.size) return false;
    if (known.holds == Holds::anything || known.holds == Holds::bytes) return true;
    const bool vague = declared.holds == Holds::anything || declared.holds == Holds::bytes;
    // The bits of a half or a bfloat16 are declared as an integer.
    const bool bits = known.holds == Holds::real && known.size == 2 && declared.holds == Holds::integer;
    if (vague)
        declared = known;
    else if (known.holds != declared.holds && !bits && !(is_word(known) && is_word(declared)))
        return false;
    else if (known.holds == Holds::pointer || known.holds == Holds::word)
        declared.holds = declared.holds == Holds::pointer ? Holds::pointer : known.holds;
    declared.element = known.element;
    return true;
}

const char *described(Holds holds) {
    switch (holds) {
    case Holds::integer:
        return "an integer";
    case Holds::pointer:
        return "a pointer";
    case Holds::word:
        return "an integer or a pointer";
    case Holds::real:
        return "a floating-point number";
    case Holds::bytes:
        return "a struct";
    case Holds::anything:
        break;
    }
    return "a value";
}

} // namespace pygpu::kernels
