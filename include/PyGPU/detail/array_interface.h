// Reads the dict of a CUDA Array Interface, of any version. Needs only Python's C API.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace pygpu::detail {

// What a typestr such as "<f4" says of an element: byte order, kind and bytes.
struct typestr_element {
    char order = '|', kind = 'V';
    std::size_t size = 0;
};

// False for a text without a size.
inline bool read_typestr(const char *text, typestr_element &element) {
    if (!text || !text[0] || !text[1]) return false;
    element = {text[0], text[1], 0};
    const char *digit = text + 2;
    for (; *digit >= '0' && *digit <= '9' && element.size < std::size_t{1} << 40; ++digit)
        element.size = 10 * element.size + static_cast<std::size_t>(*digit - '0');
    return digit != text + 2;
}

// What an interface says. `Owned` is a class of owned references to Python objects.
template <class Owned> struct array_interface {
    std::uintptr_t address = 0;
    bool readonly = false;
    typestr_element element{};
    Owned typestr, shape; // a str and a tuple
    Owned strides;        // a tuple, in bytes; null if the elements are compact in C order
    Owned descr;          // the fields of a kind 'V'; null if it has none
    Owned stream;         // null if it names none
};

// False with an exception set, or with `why` set: what is wrong, as the rest of a sentence about the
// interface.
template <class Owned>
bool read_array_interface(PyObject *interface, array_interface<Owned> &parsed, const char *&why) {
    why = nullptr;
    const auto entry = [&](const char *name) { // null for None, too
        PyObject *value = PyDict_GetItemString(interface, name);
        if (!value || value == Py_None) return Owned();
        Py_INCREF(value);
        return Owned(value);
    };
    const auto refuse = [&](const char *text) {
        if (!PyErr_Occurred()) why = text;
        return false;
    };
    if (!PyDict_Check(interface)) return refuse("is no dict");
    if (entry("mask")) return refuse("has a mask");
    const Owned data = entry("data");
    if (!data || !PyTuple_Check(data.get()) || PyTuple_GET_SIZE(data.get()) != 2)
        return refuse("has no pair of an address and a flag as data");
    parsed.shape = entry("shape");
    if (!parsed.shape || !PyTuple_Check(parsed.shape.get())) return refuse("has no tuple as shape");
    parsed.strides = entry("strides");
    if (parsed.strides && !PyTuple_Check(parsed.strides.get())) return refuse("has no tuple as strides");
    parsed.typestr = entry("typestr");
    const bool is_text = parsed.typestr && PyUnicode_Check(parsed.typestr.get());
    const char *text = is_text ? PyUnicode_AsUTF8(parsed.typestr.get()) : nullptr;
    if (!text) PyErr_Clear();
    if (!read_typestr(text, parsed.element)) return refuse("has no typestr with a size");
    if (parsed.element.kind == 'V') parsed.descr = entry("descr");
    parsed.stream = entry("stream");
    const int flag = PyObject_IsTrue(PyTuple_GET_ITEM(data.get(), 1));
    if (flag < 0) return false;
    parsed.readonly = flag != 0;
    PyObject *pointer = PyTuple_GET_ITEM(data.get(), 0);
    if (pointer == Py_None) return true;
    const Owned number(PyNumber_Index(pointer));
    parsed.address = number ? static_cast<std::uintptr_t>(PyLong_AsUnsignedLongLong(number.get())) : 0;
    if (!PyErr_Occurred()) return true;
    PyErr_Clear();
    return refuse(number ? "has an address that is out of range" : "has an address that is no int");
}

} // namespace pygpu::detail
