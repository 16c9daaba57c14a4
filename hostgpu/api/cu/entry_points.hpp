// The driver API's functions by name.
#pragma once

#include "base/status.hpp"

namespace pygpu::host::cu {

// The form of a function that a release of the driver had. Flags: 1 for legacy default streams, 2 for those
// of threads. The result of the query is 0 where it is found, 1 for an unknown name, 2 where a later release
// brought it.
Status GetProcAddress(const char *symbol, void **function, int version, unsigned long long flags,
                      int *query_result);

} // namespace pygpu::host::cu
