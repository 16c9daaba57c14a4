// Reading a pointer from the kinds of object that carry one.
#include "convert/memory.hpp"

#include "convert/carrier.hpp"
#include "convert/scalars.hpp"
#include "interpreter/reference.hpp"

#include <cstring>

namespace pygpu {
namespace {

constexpr const char *expected =
    "an address (int), None, a contiguous buffer or an object with __cuda_array_interface__";

constexpr const char *written = "writable memory (C writes into it)";

// Numbers have no items; numpy arrays and torch tensors define __index__ too, and must not be read as one.
bool is_number(PyObject *object) { return PyIndex_Check(object) && !PySequence_Check(object); }

PyObject *interned(const char *text) { return PyUnicode_InternFromString(text); }

// The attribute, or empty with no exception set where the object has none.
Reference optional_attribute(PyObject *object, PyObject *name) {
    Reference value(PyObject_GetAttr(object, name));
    if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return value;
}

// The kind of a ctypes type, by which it is told without importing ctypes here.
const char *metaclass(PyTypeObject *type) {
    const char *name = Py_TYPE(type)->tp_name;
    return std::strncmp(name, "_ctypes.", 8) ? name : name + 8;
}

Reference element_type(PyTypeObject *type) {
    static PyObject *name = interned("_type_");
    return optional_attribute(reinterpret_cast<PyObject *>(type), name);
}

} // namespace

bool is_c_pointer_type(PyTypeObject *type) {
    const char *meta = metaclass(type);
    if (!std::strcmp(meta, "PyCPointerType") || !std::strcmp(meta, "PyCFuncPtrType")) return true;
    if (std::strcmp(meta, "PyCSimpleType")) return false;
    Reference code = element_type(type);
    if (!code || !PyUnicode_Check(code.get())) return false;
    const char *letter = PyUnicode_AsUTF8(code.get());
    return letter && std::strchr("PzZ", *letter);
}

bool is_c_pointer(PyObject *object) { return is_c_pointer_type(Py_TYPE(object)); }

bool is_c_array(PyObject *object) { return !std::strcmp(metaclass(Py_TYPE(object)), "PyCArrayType"); }

bool is_array_of_c_pointers(PyObject *object) {
    if (!is_c_array(object)) return false;
    Reference element = element_type(Py_TYPE(object));
    return element && PyType_Check(element.get()) &&
           is_c_pointer_type(reinterpret_cast<PyTypeObject *>(element.get()));
}

bool Memory::load(PyObject *object, const Place &place, Access access) {
    if (object == Py_None) return true;
    if (const Carry carry = carrier_of(object)) return load_carried(carry(object), object, place, access);
    if (PyLong_CheckExact(object) || is_number(object)) {
        unsigned long long address = 0;
        if (!load_unsigned(object, place, UINTPTR_MAX, address)) return false;
        set(static_cast<std::uintptr_t>(address));
        return true;
    }
    if (!PyObject_CheckBuffer(object) || PySequence_Check(object)) {
        static PyObject *name = interned("__cuda_array_interface__");
        if (Reference interface = optional_attribute(object, name)) {
            return load_cuda_array(interface.get(), place, access);
        }
        if (PyErr_Occurred()) return false;
    }
    if (PyObject_CheckBuffer(object)) return load_buffer(object, place, access);
    return type_error(place, expected, object);
}

bool Memory::load_carried(const Carried &carried, PyObject *object, const Place &place, Access access) {
    if (carried.readonly && access == Access::write) return type_error(place, written, object);
    pointer_ = carried.pointer;
    size_ = carried.size;
    return true;
}

bool Memory::load_buffer(PyObject *object, const Place &place, Access access) {
    const int flags = PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT | (access == Access::write ? PyBUF_WRITABLE : 0);
    if (is_c_pointer(object)) {
        Py_buffer cell{};
        if (PyObject_GetBuffer(object, &cell, PyBUF_SIMPLE)) return false;
        std::memcpy(&pointer_, cell.buf, sizeof pointer_);
        PyBuffer_Release(&cell);
        return true;
    }
    if (PyObject_GetBuffer(object, &pinned_, flags)) {
        pinned_.obj = nullptr;
        // numpy reports a failed request as ValueError, the standard library as BufferError.
        if (!PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(PyExc_ValueError)) {
            return false;
        }
        PyErr_Clear();
        Py_buffer readable{};
        const bool contiguous = !PyObject_GetBuffer(object, &readable, PyBUF_ANY_CONTIGUOUS);
        if (contiguous)
            PyBuffer_Release(&readable);
        else
            PyErr_Clear();
        return contiguous ? type_error(place, written, object)
                          : value_error(place, "must be contiguous memory");
    }
    pointer_ = pinned_.buf;
    size_ = static_cast<std::size_t>(pinned_.len);
    return true;
}

bool Memory::load_cuda_array(PyObject *interface, const Place &place, Access access) {
    if (!PyDict_Check(interface)) return type_error(place, expected, interface);
    PyObject *data = PyDict_GetItemString(interface, "data");
    PyObject *shape = PyDict_GetItemString(interface, "shape");
    PyObject *typestr = PyDict_GetItemString(interface, "typestr");
    PyObject *strides = PyDict_GetItemString(interface, "strides");
    if (!data || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2 || !shape || !PyTuple_Check(shape) ||
        !typestr || !PyUnicode_Check(typestr)) {
        return value_error(place, "has a __cuda_array_interface__ without data, shape and typestr");
    }
    if (access == Access::write && PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) == 1) {
        return type_error(place, written, interface);
    }
    unsigned long long address = 0;
    if (PyTuple_GET_ITEM(data, 0) != Py_None &&
        !load_unsigned(PyTuple_GET_ITEM(data, 0), place, UINTPTR_MAX, address)) {
        return false;
    }
    set(static_cast<std::uintptr_t>(address));
    if (strides && strides != Py_None) return true; // strided: the extent is the caller's affair
    const char *type = PyUnicode_AsUTF8(typestr);
    if (!type) return false;
    std::size_t bytes = std::strtoull(type + std::strcspn(type, "0123456789"), nullptr, 10);
    for (Py_ssize_t axis = 0; axis < PyTuple_GET_SIZE(shape); ++axis) {
        unsigned long long extent = 0;
        if (!load_unsigned(PyTuple_GET_ITEM(shape, axis), place, UINT64_MAX, extent)) return false;
        bytes *= extent;
    }
    size_ = bytes;
    return true;
}

} // namespace pygpu
