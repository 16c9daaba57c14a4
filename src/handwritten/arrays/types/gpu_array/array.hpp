// The array object: a layout on a piece of device memory. PyGPU.GPUArray is the Python class of it.
#pragma once

#include "arrays/base/layout.hpp"
#include "arrays/memory/buffer.hpp"
#include "arrays/transfer/cast.hpp"
#include "convert/sizes.hpp"

#include <Python.h>

#include <cstdint>
#include <optional>

namespace pygpu::arrays {

struct Array {
    PyObject_VAR_HEAD // ob_size is the number of axes
        PyObject *weak_references;
    Buffer *buffer; // retained
    char *data;     // the first element
    PyObject *dtype;
    PyObject *base;      // the array that this is a view of, or the base that a user gave; or null
    PyObject *allocator; // the allocator that a user gave; or null
    ssize_t itemsize;
    // First all extents, then all strides, then the strides of the last tensor (exchange_table.cpp).
    ssize_t dimensions[3];

    int axes() const { return static_cast<int>(Py_SIZE(this)); }
    const ssize_t *shape() const { return dimensions; }
    const ssize_t *strides() const { return dimensions + axes(); }
    std::int64_t *tensor_strides() { return dimensions + 2 * axes(); }
    Layout layout() const;
};

inline Array &array_of(PyObject *object) { return *reinterpret_cast<Array *>(object); }

bool is_array(PyObject *object);

// The base of PyGPU.GPUArray; null with an exception set.
PyTypeObject *array_type();

// The class of new arrays: PyGPU.GPUArray, imported on first use.
PyTypeObject *public_type();
void set_public_type(PyTypeObject *type);
PyTypeObject *public_type_or_null(); // without the import

// A new array object, which retains all objects that it gets. Null with an exception set.
PyObject *make_array(PyTypeObject *type, const Layout &layout, PyObject *dtype, Buffer &buffer, char *data,
                     PyObject *base = nullptr, PyObject *allocator = nullptr);

// A view on an array, at `offset` bytes from its first element.
PyObject *make_view(PyObject *array, const Layout &layout, ssize_t offset, PyObject *dtype = nullptr);

// A new array on fresh memory of the current device.
PyObject *make_empty(PyTypeObject *type, const char *call, const Layout &layout, PyObject *dtype,
                     PyObject *allocator, const StreamArgument &stream);

// A shape: an int, or a sequence of ints. False with TypeError or ValueError set.
bool load_shape(PyObject *object, const char *call, Layout &layout);

// Reads sizes of any kind, also strides: an int, or a sequence of ints.
bool load_sizes(PyObject *object, const char *call, const char *parameter, ssize_t *sizes, int &count);

// "C" or "F". For an existing array also "A", which is the order that the array has. False with ValueError
// set.
bool load_order(PyObject *object, const char *call, char &order, const Array *array = nullptr);

// indexing.cpp
PyObject *get_item(PyObject *self, PyObject *key);
// This slot makes arrays sequences, so that reversed() accepts them. For classes derived from Array, Python
// calls get_item() instead.
PyObject *get_at(PyObject *self, Py_ssize_t index);
int set_item(PyObject *self, PyObject *key, PyObject *value);

// reshape.cpp
PyObject *reshape(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
// The elements in another shape with the same number of elements: a view if the strides allow it, else a view
// of a copy.
PyObject *reshaped(PyObject *self, Layout to, char order);

// transpose.cpp
PyObject *get_transposed(PyObject *self, void *); // T
PyObject *transpose(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords);

// fill.cpp
PyObject *fill_call(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *fill_with(PyObject *self, PyObject *args); // _fill(pattern, stream, asynchronous)
bool assign(PyObject *self, PyObject *value);        // `a[...] = value`; false with an exception set

// typed.cpp
PyObject *device_data(PyObject *self, PyObject *);
PyObject *device_array(PyObject *self, void *);

// transfer.cpp
PyObject *to_gpu(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
// What a numpy array of another shape with as many elements is: a likely mistake, deprecated, or welcome.
enum class OtherShape { mistake, deprecated, welcome };
PyObject *get(OtherShape other_shape, PyObject *self, PyObject *const *args, Py_ssize_t count,
              PyObject *keywords);
PyObject *set(OtherShape other_shape, PyObject *self, PyObject *const *args, Py_ssize_t count,
              PyObject *keywords);
// Sets all elements as set() does, if `value` is a plain numpy array of the same dtype and shape. `done` says
// whether it was one. False with an exception set.
bool upload_alike(PyObject *self, PyObject *value, bool &done);
// Sets all elements from a numpy array of the same shape and item size; false with an exception set.
bool upload_elements(PyObject *self, PyObject *values, const StreamArgument &stream, bool asynchronous,
                     const char *call);

// copies.cpp
PyObject *copy_of(PyObject *self, PyObject *args);      // _copy(order, stream)
PyObject *cast_at_once(PyObject *self, PyObject *args); // _cast(dtype, order, stream)
// A new compact array with the elements of another, on the same device, in order C, F or K. With another
// dtype they are cast, for which find_cast() must have answered.
PyObject *compact_copy(PyObject *self, char order, const StreamArgument &stream, bool asynchronous,
                       const char *call, PyObject *dtype = nullptr, ssize_t itemsize = 0);
// join.cpp: _join(arrays, axis, new_axis, allocator): a new array with the elements of a list of arrays, one
// after the other along an axis, or along a new one. None unless all are on the current device and of one
// dtype, and fit to each other.
PyObject *join_arrays(PyObject *module, PyObject *const *args, Py_ssize_t count);
// Sets all elements from another array with the same number of elements and the same dtype. False with an
// exception set.
bool set_from_array(PyObject *self, PyObject *other, const StreamArgument &stream, bool asynchronous,
                    OtherShape other_shape, const char *call);
// The same, but the other array is converted and broadcast, as numpy does in assignments. `on` is the stream
// as an object.
bool assign_array(PyObject *self, PyObject *other, const StreamArgument &stream, bool asynchronous,
                  PyObject *on = Py_None);
// The array with its elements converted to the dtype, or the array itself. Null with an exception set.
PyObject *converted(PyObject *array, PyObject *dtype, PyObject *on);

// casts.cpp
// The cast from one dtype to another, if one kernel makes it. The axes are those of the elements.
std::optional<Cast> find_cast(PyObject *from, ssize_t from_size, PyObject *to, ssize_t to_size, Axes &axes);
// Whether both have the same number of elements. False with ValueError set. Warns as PyCUDA does if the
// shapes differ, unless that is welcome.
bool same_count(const char *call, const Layout &other, const Layout &array, OtherShape other_shape);

} // namespace pygpu::arrays
