// Making tuples of sizes, and reading sizes.
#include "convert/sizes.hpp"

#include "binding/argument_errors.hpp"
#include "convert/pointer_provider.hpp"
#include "convert/scalars.hpp"
#include "convert/tensor_values.hpp"
#include "python/reference.hpp"

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

bool is_size(PyObject *object) {
    if (!is_integer(object)) return false;
    if (!PySequence_Check(object) && !is_tensor(object))
        return !pointer_provider_of(object); // an address is no size
    // Arrays have __index__, however many axes they have. An array without axes has no length.
    if (PyObject_Size(object) >= 0) return false;
    PyErr_Clear();
    return true;
}

bool load_int(PyObject *object, const char *call, const char *parameter, Py_ssize_t &value) {
    // An exact int stands for itself.
    Reference number(PyLong_CheckExact(object) ? Py_NewRef(object)
                     : is_size(object)         ? PyNumber_Index(object)
                                               : nullptr);
    if (!number) {
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) return false;
        PyErr_Format(PyExc_TypeError, "%s: parameter '%s' must be an int, not %.80s", call, parameter,
                     type_description(object));
        return false;
    }
    value = PyLong_AsSsize_t(number.get());
    if (value != -1 || !PyErr_Occurred()) return true;
    PyErr_Format(PyExc_OverflowError, "%s: parameter '%s' = %R is out of range", call, parameter,
                 number.get());
    return false;
}

bool load_size(PyObject *object, const char *call, const char *parameter, Py_ssize_t &value) {
    if (!object) return true;
    if (!load_int(object, call, parameter, value)) return false;
    if (value >= 0) return true;
    PyErr_Format(PyExc_ValueError, "%s: parameter '%s' is negative: %zd", call, parameter, value);
    return false;
}

} // namespace pygpu::arrays
