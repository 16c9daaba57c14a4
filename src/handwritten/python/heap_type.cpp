// Making heap types.
#include "python/heap_type.hpp"

namespace pygpu {

PyTypeObject *make_type(const char *name, std::size_t size, unsigned long flags, PyType_Slot *slots,
                        std::size_t item) {
    PyType_Spec spec{name, static_cast<int>(size), static_cast<int>(item),
                     static_cast<unsigned>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | flags), slots};
    return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}

} // namespace pygpu
