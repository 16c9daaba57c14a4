// State that all extension modules share, although each module has its own copy of this code.
//
// Shared are the base class of statuses, the kinds of objects that stand for memory or own handles, the
// counts of resets and forks, and the state of callbacks and of the exit. All use the state of PyGPU._core,
// which PyGPU._core puts into a capsule.
#pragma once

#include <Python.h>

namespace pygpu {

// PyGPU._core calls share(), every other extension module calls take_shared(), before anything else. False
// with an exception set.
bool share(PyObject *core);
bool take_shared();

} // namespace pygpu
