// Recognises objects of ctypes without importing it: as long as nobody has imported it, there are none.
#include "convert/c_types.hpp"

#include "binding/argument_errors.hpp"
#include "python/reference.hpp"

#include <cstring>

namespace pygpu {
namespace {

// Base classes of the module _ctypes; never released.
struct Bases {
    PyTypeObject *simple, *pointer, *function, *array;
};

PyTypeObject *class_of(PyObject *module, const char *name) {
    PyObject *base = PyObject_GetAttrString(module, name);
    if (base && PyType_Check(base)) return reinterpret_cast<PyTypeObject *>(base);
    Py_XDECREF(base);
    PyErr_Clear();
    return nullptr;
}

const Bases *bases() {
    static Bases bases{}; // guarded by the GIL
    if (bases.array) return &bases;
    static PyObject *const name = PyUnicode_InternFromString("_ctypes");
    Reference module(PyImport_GetModule(name));
    if (!module) {
        PyErr_Clear();
        return nullptr;
    }
    const Bases all{class_of(module.get(), "_SimpleCData"), class_of(module.get(), "_Pointer"),
                    class_of(module.get(), "CFuncPtr"), class_of(module.get(), "Array")};
    if (!all.simple || !all.pointer || !all.function || !all.array) return nullptr; // half imported
    bases = all;
    return &bases;
}

Reference element_type(PyTypeObject *type) {
    static PyObject *const name = PyUnicode_InternFromString("_type_");
    Reference value(PyObject_GetAttr(reinterpret_cast<PyObject *>(type), name));
    if (!value) PyErr_Clear();
    return value;
}

} // namespace

bool is_c_pointer_type(PyTypeObject *type) {
    const Bases *ctypes = bases();
    if (!ctypes) return false;
    if (PyType_IsSubtype(type, ctypes->pointer) || PyType_IsSubtype(type, ctypes->function)) return true;
    if (!PyType_IsSubtype(type, ctypes->simple)) return false;
    Reference code = element_type(type);
    if (!code || !PyUnicode_Check(code.get())) return false;
    const char *letter = PyUnicode_AsUTF8(code.get());
    if (!letter) PyErr_Clear();
    return letter && *letter && std::strchr("PzZ", *letter);
}

bool is_c_pointer(PyObject *object) { return is_c_pointer_type(Py_TYPE(object)); }

bool load_c_pointer(PyObject *object, void *&pointer) {
    Py_buffer cell{};
    if (PyObject_GetBuffer(object, &cell, PyBUF_SIMPLE)) return false;
    // The letter of a simple type may have been changed since the type was made.
    const bool whole = cell.len == sizeof pointer;
    if (whole)
        std::memcpy(&pointer, cell.buf, sizeof pointer);
    else
        PyErr_Format(PyExc_TypeError, "a %.80s is no pointer: it has %zd bytes", type_description(object),
                     cell.len);
    PyBuffer_Release(&cell);
    return whole;
}

bool is_c_scalar(PyObject *object) {
    const Bases *ctypes = bases();
    PyTypeObject *type = Py_TYPE(object);
    // The type is nearly always one of ctypes' own classes. A user's class may have its own __buffer__().
    return ctypes && (type->tp_base == ctypes->simple || PyType_IsSubtype(type, ctypes->simple)) &&
           type->tp_as_buffer->bf_getbuffer == ctypes->simple->tp_as_buffer->bf_getbuffer;
}

bool is_of_ctypes(PyTypeObject *type) {
    const Reference module(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__module__"));
    if (module && PyUnicode_Check(module.get()))
        return !PyUnicode_CompareWithASCIIString(module.get(), "ctypes");
    PyErr_Clear();
    return false;
}

bool is_c_array(PyObject *object) {
    const Bases *ctypes = bases();
    return ctypes && PyType_IsSubtype(Py_TYPE(object), ctypes->array);
}

bool is_array_of_c_pointers(PyObject *object) {
    if (!is_c_array(object)) return false;
    Reference element = element_type(Py_TYPE(object));
    return element && PyType_Check(element.get()) &&
           is_c_pointer_type(reinterpret_cast<PyTypeObject *>(element.get()));
}

} // namespace pygpu
