// A launch whose arguments are read.
#pragma once

#include "arrays/memory/buffer.hpp"
#include "arrays/streams/argument.hpp"
#include "kernels/configuration.hpp"
#include "kernels/kernel.hpp"

#include <Python.h>

#include <span>

namespace pygpu::kernels {

struct Launch {
    void **pointers; // the address of each argument
    // The uses of memory, which have begun. A graph that captures the launch takes them over.
    std::span<arrays::Buffer::Using> uses;
    // The launch comes after the work that is queued there.
    std::span<const arrays::StreamArgument> producers;
};

// Launches the kernel, ordered with other work on the memory. Returns None, or null with an exception set.
PyObject *launch(const Kernel &kernel, const Configuration &configuration, const Launch &arguments);

} // namespace pygpu::kernels
