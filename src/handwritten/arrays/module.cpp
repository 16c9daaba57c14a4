// PyGPU._core.arrays: its types and functions.
#include "arrays/module.hpp"

#include "arrays/memory/functions.hpp"
#include "arrays/typed/classes.hpp"
#include "interpreter/reference.hpp"

namespace pygpu::arrays {

bool add_arrays(PyObject *core) {
    Reference module(PyModule_New("PyGPU._core.arrays"));
    return module && add_memory(module.get()) && add_typed(module.get()) &&
           !PyModule_AddObjectRef(core, "arrays", module.get());
}

} // namespace pygpu::arrays
