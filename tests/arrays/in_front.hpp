// What libraries in front of the host runtime share: the way to its own functions.
#pragma once

#include <dlfcn.h>

template <class Function> Function *host(const char *name) {
    // As linked; RTLD_NEXT would look among the program's own.
    static void *library = dlopen(HOST_RUNTIME, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<Function *>(dlsym(library, name));
}
