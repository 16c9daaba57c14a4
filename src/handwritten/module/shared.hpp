// What all extension modules have in common, though each has its own copy of this code.
//
// The base of statuses, the kinds of objects that stand for memory or own handles, the counts of what has
// ended, and the state of callbacks and of the exit: PyGPU._core's, which it leaves in a capsule.
#pragma once

#include <Python.h>

namespace pygpu {

// PyGPU._core does the one, all others the other, before anything else. False with an exception set.
bool share(PyObject *core);
bool take_shared();

} // namespace pygpu
