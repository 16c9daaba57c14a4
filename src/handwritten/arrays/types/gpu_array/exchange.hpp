// GPUArray's part in exchanges: exporting arrays, and making arrays on the memory of other libraries.
#pragma once

#include "arrays/exchange/exported.hpp"
#include "arrays/exchange/imported.hpp"
#include "arrays/types/gpu_array/array.hpp"

namespace pygpu::arrays {

// dlpack.cpp
PyObject *dlpack(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *dlpack_device(PyObject *self, PyObject *);
Exported exported(const Array &array);

// imports.cpp
PyObject *from_dlpack(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
// _shared(object, call, stream): an array on the memory that an object shares; a GPUArray itself; or None.
PyObject *shared_array(PyObject *module, PyObject *args);
// _host_array(tensor, call): the numpy array on the memory of a tensor of the host.
PyObject *host_array(PyObject *module, PyObject *args);
// _placed(array, device, copy, stream, call): the array, or a copy if one is asked for or needed.
PyObject *placed_array(PyObject *module, PyObject *args);
PyObject *make_imported(const Imported &imported);
// A view of all elements of a GPUArray, or of the device's side of a DeviceArray. Null with ValueError set if
// nothing is on the device.
PyObject *same_array(const char *call, PyObject *object);

// Makes an array on the device memory that another library's object exports. `array` stays empty if the
// object is none of these, or if its memory is the host's. With `may_be_bytes` the array's dtype may be raw
// bytes, for elements that numpy doesn't have. False with an exception set.
bool load_shared(PyObject *object, const char *call, PyObject *stream, Reference &array,
                 bool may_be_bytes = false);

// transfer.cpp: a new array on the current device, with the elements of the array `shared`.
PyObject *copy_shared(PyTypeObject *type, PyObject *shared, char order, PyObject *allocator,
                      const StreamArgument &stream, bool asynchronous, const char *call);

// exchange_table.cpp
PyObject *exchange_table(); // the capsule that is `__dlpack_c_exchange_api__`

} // namespace pygpu::arrays
