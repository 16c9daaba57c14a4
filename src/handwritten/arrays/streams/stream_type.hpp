// The Python type of streams.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

PyTypeObject *stream_type(); // null with an exception set

} // namespace pygpu::arrays
