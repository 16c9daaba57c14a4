// Elementwise functions and loops: their kernels, one for each combination of types and layouts, and their
// calls.
//
// The type Elementwise(maker, name, inputs, outputs, form) has three forms. A function makes its results, or
// takes `out=`. An operator is a method of arrays, and returns
// NotImplemented for operands that are none; a comparison raises TypeError.  A
// loop gets all arrays, and returns None. The maker is an object of Python with
//
//     types(name, kinds, outputs) -> (plan, parameters, pack, written)
//     kernel(plan, axes, packed, wide, plain, ranged) -> Kernel
//     scalar(name, value, dtype) -> bytes
//
// `kinds` has an item for each operand, outputs first: the dtype of an array, the type of a number, or None
// for an output that is not given. `parameters` has the dtype of each operand for the kernel. `pack` is how
// many elements a thread takes at once from aligned runs of memory; 0 if there is no such kernel.
#pragma once

#include <Python.h>

namespace pygpu::kernels {

bool add_elementwise(PyObject *module); // false with an exception set

} // namespace pygpu::kernels
