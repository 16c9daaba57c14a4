// Making tuples of sizes.
#include "arrays/python/sizes.hpp"

namespace pygpu::arrays {

PyObject *sizes_to_python(const Py_ssize_t *sizes, Py_ssize_t count) {
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t at = 0; tuple && at < count; ++at) {
        PyObject *size = PyLong_FromSsize_t(sizes[at]);
        if (!size)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, at, size);
    }
    return tuple;
}

} // namespace pygpu::arrays
