// The class of status classes: it makes them iterable, with the members that an IntEnum has.
#pragma once

#include <Python.h>

namespace pygpu {

// Gives a status class, which was just made, this class. False with an exception set.
bool give_members(PyTypeObject *type);

} // namespace pygpu
