// PyGPU.Kernel's base: a function of loaded code, called with its arguments.
#pragma once

#include "arrays/base/runtime.hpp"
#include "kernels/code.hpp"
#include "kernels/parameters.hpp"
#include "python/reference.hpp"

#include <Python.h>

#include <optional>
#include <string>
#include <vector>

namespace pygpu::kernels {

// The driver's functions for a launch. Those of cuda.h and hip_runtime_api.h have the same ABI. `cooperative`
// and `clusters` are null if the driver lacks them.
struct Launchers {
    using Cooperative = int(void *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                            unsigned block_y, unsigned block_z, unsigned shared, void *stream,
                            void **arguments);

    arrays::LaunchKernel *plain = nullptr;
    Cooperative *cooperative = nullptr;
    void *clusters = nullptr; // for Runtime::launch_clusters
    int (*get_device)(int *device) = nullptr;
    int (*get_capturing)(void *stream, int *status) = nullptr;
};

struct Kernel {
    Reference code; // a CodeObject
    std::string name;
    std::string call;  // "saxpy()"
    std::string place; // "saxpy(): argument"
    void *function = nullptr;
    Reference of_all_contexts; // the library's kernel (a CUkernel); empty for code without a library
    Launchers launchers;
    unsigned most_threads = 0;                        // in a block
    std::optional<std::vector<Parameter>> known;      // the parameters, as the code declares them
    std::optional<std::vector<Parameter>> parameters; // the same as they were declared last
};

struct Configuration;

// Launches the kernel. Returns None, or null with an exception set.
PyObject *launch(const Kernel &kernel, const Configuration &configuration, PyObject *const *arguments,
                 Py_ssize_t count);

// The kernel in an object of the class Kernel; null for any other object.
const Kernel *kernel_in(PyObject *object);

// Adds Code, Kernel and the type of `kernel[grid, block]` to a module.
bool add_kernel_types(PyObject *module);

} // namespace pygpu::kernels
