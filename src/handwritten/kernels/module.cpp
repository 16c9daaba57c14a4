// PyGPU._core.kernels: its types.
#include "kernels/module.hpp"

#include "kernels/elementwise.hpp"
#include "kernels/images.hpp"
#include "kernels/kernel.hpp"
#include "python/reference.hpp"

namespace pygpu::kernels {

bool add_kernels(PyObject *core) {
    const Reference module(PyModule_New("PyGPU._core.kernels"));
    return module && add_kernel_types(module.get()) && add_elementwise(module.get()) &&
           add_image_functions(module.get()) && !PyModule_AddObjectRef(core, "kernels", module.get());
}

} // namespace pygpu::kernels
