// How a kernel is launched: grid, block, stream, shared memory, and the forms of launches.
#pragma once

#include "arrays/streams/argument.hpp"
#include "python/reference.hpp"

#include <Python.h>

#include <array>

namespace pygpu::kernels {

using Dimensions = std::array<unsigned, 3>;

struct Configuration {
    Dimensions grid{1, 1, 1};
    Dimensions block{0, 0, 0};   // zeros: not given, which is an error
    Dimensions cluster{0, 0, 0}; // zeros: no clusters
    Reference stream;            // as given
    unsigned shared = 0;         // bytes of dynamic shared memory
    bool cooperative = false;
};

// Reads `k[grid, block, stream, shared]`, of which the last two may be missing. False with an exception set.
bool load_positional(const char *kernel, PyObject *items, Configuration &configuration);
// Reads one keyword. False with TypeError, ValueError or OverflowError set.
bool load_keyword(const char *kernel, PyObject *name, PyObject *value, Configuration &configuration);

} // namespace pygpu::kernels
