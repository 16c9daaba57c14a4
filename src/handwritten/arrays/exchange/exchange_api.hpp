// The C exchange API of DLPack that a type of another library has.
#pragma once

#include <Python.h>
#include <dlpack/dlpack.h>

namespace pygpu::arrays {

// Whether a tensor's elements are the negatives or the conjugates of what its memory holds, as torch has such
// views: its table says nothing of that. -1 with an exception set.
int is_lazy(PyObject *tensor, DLDataType type);

// The table behind `__dlpack_c_exchange_api__` of a type, of a version that is known here; null where there
// is none. Types that were seen are remembered, and stay. With no exception set.
const DLPackExchangeAPI *exchange_api_of(PyTypeObject *type);

} // namespace pygpu::arrays
