// Objects of PyGPU's own that stand for memory: read without asking for attributes.
//
// All classes of one kind share a destructor, by which they are told; classes derived from them in Python are
// of that kind, too. Kinds are added while the module is made, by the layers above this one.
#pragma once

#include <Python.h>

#include <cstddef>

namespace pygpu {

struct Carried {
    void *pointer = nullptr;
    std::size_t size; // bytes from there on, or Memory::unknown
    bool readonly = false;
};

// Gives what an object stands for. The address leaves PyGPU by that.
using Carry = Carried (*)(PyObject *object);

void add_carrier(destructor kind, Carry carry);

// Null for an object of any other kind.
Carry carrier_of(PyObject *object);

} // namespace pygpu
