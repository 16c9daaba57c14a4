// The few parts of numpy that arrays need, imported on first use. numpy's C API is not used.
#pragma once

#include "arrays/base/layout.hpp"
#include "python/reference.hpp"

#include <Python.h>

namespace pygpu::arrays {

struct Numpy {
    PyObject *dtype;   // numpy.dtype
    PyObject *ndarray; // numpy.ndarray
    PyObject *empty;
    PyObject *asarray;
    PyObject *view; // numpy.ndarray.view
};

const Numpy *numpy(); // null with an exception set

// The dtype for anything that spells one (new reference), and its item size. TypeError for a dtype that holds
// Python objects or is an array itself.
PyObject *load_dtype(PyObject *spelling, ssize_t &itemsize);

// The kind (numpy's letter) of a dtype of plain numbers in the machine's byte order; 0 for any other.
char plain_kind(PyObject *dtype);

// Whether an object isn't one of numpy's masked arrays, whose mask PyGPU can't keep. False with TypeError
// set.
bool check_no_mask(PyObject *object);

// A numpy array's memory, pinned as long as this object lives.
class HostArray {
public:
    HostArray() = default;
    HostArray(const HostArray &) = delete;
    HostArray &operator=(const HostArray &) = delete;
    ~HostArray();

    // `array` must be a numpy array without a mask, else TypeError. A class derived from it may override
    // attributes, so the data is read from a view of numpy's own class.
    bool load(PyObject *array, bool writable);

    char *data = nullptr;
    Layout layout;
    Reference array; // plain
    Reference dtype;

private:
    Py_buffer view_{};
};

// Converts anything array-like to a numpy array, which may be of a derived class; new reference.
PyObject *as_array(PyObject *object);

// A new compact numpy array with this layout's shape, and with its axes in the order of the layout's strides.
PyObject *new_array(PyObject *dtype, const Layout &layout);

} // namespace pygpu::arrays
