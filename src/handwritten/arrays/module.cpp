// PyGPU._core.arrays: its types and functions.
#include "arrays/module.hpp"

#include "arrays/exchange/processes.hpp"
#include "arrays/memory/functions.hpp"
#include "arrays/streams/owned_graphs.hpp"
#include "arrays/streams/queued_calls.hpp"
#include "arrays/streams/types.hpp"
#include "arrays/types/gpu_array/type.hpp"
#include "arrays/types/per_dtype/classes.hpp"
#include "python/reference.hpp"

namespace pygpu::arrays {

bool add_arrays(PyObject *core) {
    // The name of the module that users import: functions carry it, and pickle looks for them there.
    Reference module(PyModule_New("PyGPU.gpuarray"));
    return module && add_memory(module.get()) && add_streams(module.get()) &&
           add_owned_graphs(module.get()) && add_queued_calls(module.get()) && add_typed(module.get()) &&
           add_gpu_array(module.get()) && add_process_functions(module.get()) &&
           !PyModule_AddObjectRef(core, "arrays", module.get());
}

} // namespace pygpu::arrays
