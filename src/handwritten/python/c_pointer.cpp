// Making a ctypes.c_void_p.
#include "python/c_pointer.hpp"

#include "python/package.hpp"
#include "python/reference.hpp"

namespace pygpu {
namespace {

PyObject *made_of(PyObject *address) {
    static PyObject *type = nullptr; // never released
    if (!type) {
        PyObject *pointer_class = from_module("ctypes", "c_void_p").release();
        if (!pointer_class) return nullptr;
        Py_XSETREF(type, pointer_class);
    }
    return PyObject_CallOneArg(type, address);
}

} // namespace

PyObject *c_pointer_to(const void *pointer, char kind, std::size_t size) {
    return call_in_package(package::typed_pointer, "(NCn)", PyLong_FromVoidPtr(const_cast<void *>(pointer)),
                           kind, static_cast<Py_ssize_t>(size));
}

PyObject *memory_as_parameter(PyObject *self, void *) {
    PyObject *address = PyNumber_Long(self);
    return address ? call_in_package(package::memory_pointer, "(N)", address) : nullptr;
}

PyObject *as_parameter(PyObject *self, void *) {
    const Reference address(PyNumber_Long(self));
    return address ? made_of(address.get()) : nullptr;
}

} // namespace pygpu
