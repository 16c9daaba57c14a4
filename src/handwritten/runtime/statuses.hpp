// The status codes of an API that mean something to PyGPU itself, by the API's manifest.
#pragma once

namespace pygpu {

struct Statuses {
    int invalid_value, out_of_memory, invalid_device;
    int no_symbol;  // the library lacks the function
    int no_library; // there is no library
    int invalid_handle, not_ready;
    int not_permitted; // from a host function, say
    int not_supported;
};

} // namespace pygpu
