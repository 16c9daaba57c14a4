// PyGPU._core.arrays: its types and functions.
#include "arrays/module.hpp"

#include "arrays/memory/functions.hpp"
#include "interpreter/reference.hpp"

namespace pygpu::arrays {

bool add_arrays(PyObject *core) {
    Reference module(PyModule_New("PyGPU._core.arrays"));
    return module && add_memory(module.get()) && !PyModule_AddObjectRef(core, "arrays", module.get());
}

} // namespace pygpu::arrays
