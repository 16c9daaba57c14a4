// DLPack's C exchange API of other libraries' types.
#pragma once

#include <Python.h>
#include <dlpack/dlpack.h>

namespace pygpu::arrays {

// Whether a tensor is a lazy view, whose elements are the negatives or conjugates of the numbers in memory.
// torch has such views, and its table doesn't tell them apart. -1 with an exception set.
int is_lazy(PyObject *tensor, DLDataType type);

// The table behind a type's `__dlpack_c_exchange_api__`, in a version that is known here; null if there is
// none. Remembers the types that it has seen, and retains them. Never sets an exception.
const DLPackExchangeAPI *exchange_api_of(PyTypeObject *type);

} // namespace pygpu::arrays
