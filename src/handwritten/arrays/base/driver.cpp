// Looking up the driver's functions.
#include "arrays/base/driver.hpp"

#include "runtime/api.hpp"

#include <dlfcn.h>

namespace pygpu::arrays {

void *driver_symbol(const Runtime &runtime, const char *name) {
    // The runtime has opened the driver's library already. The host runtime's has all functions.
    const char *separate = runtime.api.host ? nullptr : runtime.driver_calls.library;
    void *library = separate ? dlopen(separate, RTLD_LAZY | RTLD_NOLOAD) : runtime.api.library;
    return library && name ? dlsym(library, name) : nullptr;
}

} // namespace pygpu::arrays
