// Making the base class of statuses.
#include "binding/status_base.hpp"

namespace pygpu {

PyTypeObject *make_status_base() {
    static PyType_Slot slots[] = {
        {Py_tp_doc,
         const_cast<char *>("A status code of some API: the base of cudaError, hipError and others.")},
        {0, nullptr}};
    static PyType_Spec spec{"PyGPU._core.Status", sizeof(StatusObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                            slots};
    return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}

} // namespace pygpu
