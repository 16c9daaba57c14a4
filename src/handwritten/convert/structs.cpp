// Struct arguments as raw buffers.
#include "convert/structs.hpp"

namespace pygpu {

bool load_struct(Memory &memory, PyObject *object, const Place &place, std::size_t size) {
    if (!memory.load(object, place, Access::address)) return false;
    if (memory.size() >= size) return true; // an address has unknown, thus greatest, size
    return value_error(place, "needs %zu bytes, got %zu", size, memory.size());
}

PyObject *struct_to_python(const void *bytes, std::size_t size) {
    return PyBytes_FromStringAndSize(static_cast<const char *>(bytes), static_cast<Py_ssize_t>(size));
}

PyObject *overrun_to_python(std::size_t size) {
    if (PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
                         "the loaded library wrote a struct longer than the %zu bytes this build knows; "
                         "its value is withheld: update PyGPU for this release",
                         size)) {
        return nullptr;
    }
    Py_RETURN_NONE;
}

} // namespace pygpu
