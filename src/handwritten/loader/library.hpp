// Opening a vendor's library and taking its functions.
#pragma once

#include "loader/api.hpp"

#include <Python.h>

namespace pygpu {

// Opens `path` and fills the API's entries. OSError with the dynamic linker's text where that fails.
// `host` says that it is the host runtime. Returns what install() of the module gives to Python: path,
// soname, release, host, found, missing.
PyObject *install(Api &api, const char *path, bool host);

// The same facts about what is installed; None while nothing is.
PyObject *installed(const Api &api);

// The version of the installed CUDA driver (12040 is 12.4), asked without initialising it; None without one.
PyObject *driver_version(const Api &api);

} // namespace pygpu
