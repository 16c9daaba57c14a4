// Looking up what this library exports.
#include "base/own_library.hpp"

#include <dlfcn.h>

namespace pygpu::host {

void *own_symbol(const char *name) {
    static void *const library = [] {
        Dl_info here{};
        return dladdr(reinterpret_cast<const void *>(&own_symbol), &here)
                   ? dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                   : nullptr;
    }();
    return library ? dlsym(library, name) : nullptr;
}

} // namespace pygpu::host
