// Reading ints of one digit directly, without a call. Nearly all ints are that small.
#pragma once

#include <Python.h>

namespace pygpu {

// Whether an object is such an int, and its value.
inline bool read_small_int(PyObject *object, Py_ssize_t &value) {
    if (!PyLong_CheckExact(object)) return false;
    auto *number = reinterpret_cast<PyLongObject *>(object);
#if PY_VERSION_HEX >= 0x030c0000
    if (!PyUnstable_Long_IsCompact(number)) return false;
    value = PyUnstable_Long_CompactValue(number);
#else
    if (Py_SIZE(object) < -1 || Py_SIZE(object) > 1) return false;
    value = Py_SIZE(object) ? Py_SIZE(object) * static_cast<Py_ssize_t>(number->ob_digit[0]) : 0;
#endif
    return true;
}

} // namespace pygpu
