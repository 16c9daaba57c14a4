// The base class of PyGPU.Graph: its launches.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

PyTypeObject *graph_base(); // null with an exception set

} // namespace pygpu::arrays
