// Opening a vendor's library and taking its functions.
#pragma once

#include "runtime/api.hpp"

#include <Python.h>

namespace pygpu {

// Makes every call return the status for a missing library, until one is loaded.
void serve_none(const Api &api);

// Finds and opens the library on first use. `function` is the name of the call that needs it. `host` says
// that the call had a portable name, for which the host runtime may stand in. False only with a Python
// exception set. A missing library is no exception: the calls return a status for it.
bool ensure_loaded(Api &api, const char *function, bool host = false);

// The facts about what is installed: path, soname, release, host, found, missing; None while nothing is.
PyObject *installed(const Api &api);

// The C address of a function, for ctypes, Cython and Numba; loads the library first. AttributeError if no
// function has this name, OSError if no library has the function.
PyObject *function_address(Api &api, PyObject *function);

// The version of the installed driver as the vendor numbers it (12040 is 12.4), queried without initialising
// it; None without one.
PyObject *driver_version(const Api &api);

} // namespace pygpu
