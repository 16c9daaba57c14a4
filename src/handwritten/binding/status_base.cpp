// Making the base class of statuses.
#include "binding/status_base.hpp"

#include "python/heap_type.hpp"

namespace pygpu {

constinit PyTypeObject *status_base = nullptr;

PyTypeObject *make_status_base() {
    const TypeTable table{.doc = "A status code of some API: the base of cudaError, hipError and others.",
                          .open = true};
    return make_type("PyGPU._core.Status", sizeof(StatusObject),
                     Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, table);
}

} // namespace pygpu
