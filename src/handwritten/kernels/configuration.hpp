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
    Dimensions block{0, 0, 0};   // has to be given
    Dimensions cluster{0, 0, 0}; // zeros: none
    Reference stream;            // as given
    unsigned shared = 0;         // bytes of dynamic shared memory
    bool cooperative = false;
};

// The names of the keywords, in the order in which `k[grid, block, stream, shared]` takes the first four.
bool load_positional(const char *kernel, PyObject *items, Configuration &configuration);
// One keyword. False with TypeError, ValueError or OverflowError set.
bool load_keyword(const char *kernel, PyObject *name, PyObject *value, Configuration &configuration);

} // namespace pygpu::kernels
