// Making a ctypes.c_void_p.
#include "arrays/python/c_pointer.hpp"

#include "interpreter/reference.hpp"

namespace pygpu::arrays {

PyObject *c_pointer(const void *pointer) {
    static PyObject *type = nullptr; // kept for ever
    if (!type) {
        Reference ctypes(PyImport_ImportModule("ctypes"));
        PyObject *found = ctypes ? PyObject_GetAttrString(ctypes.get(), "c_void_p") : nullptr;
        if (!found) return nullptr;
        Py_XSETREF(type, found);
    }
    Reference address(PyLong_FromVoidPtr(const_cast<void *>(pointer)));
    return address ? PyObject_CallOneArg(type, address.get()) : nullptr;
}

} // namespace pygpu::arrays
