// DLPack's C exchange API of other libraries' types.
#pragma once

#include <Python.h>
#include <dlpack/dlpack.h>

namespace pygpu::arrays {

// The table behind a type's `__dlpack_c_exchange_api__`, in a version that is known here; null if there is
// none. Remembers the types that it has seen, and retains them. Never sets an exception.
const DLPackExchangeAPI *exchange_api_of(PyTypeObject *type);

// Whether the arrays of a type never change: JAX's and TensorFlow's. Other arrays of these libraries may use
// the same memory, so that it is read-only here, though not all their tensors say so.
bool is_immutable(PyTypeObject *type);

} // namespace pygpu::arrays
