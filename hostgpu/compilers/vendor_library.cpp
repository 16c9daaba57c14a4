// Opens the vendor's library at the first call, and looks its functions up.
#include "compilers/vendor_library.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <dlfcn.h>

namespace pygpu::compilers {
namespace {

// The name of this library's file, which is that of the vendor's.
std::string_view own_name() {
    Dl_info about;
    if (!dladdr(reinterpret_cast<const void *>(&own_name), &about) || !about.dli_fname) return {};
    const std::string_view path = about.dli_fname;
    return path.substr(path.rfind('/') + 1);
}

// The first file of this name in PYGPU_HOST_COMPILERS, a list like PATH.
std::string path_of(std::string_view name) {
    const char *value = std::getenv("PYGPU_HOST_COMPILERS");
    std::string_view paths = value ? value : "";
    while (!paths.empty()) {
        const std::string_view path = paths.substr(0, paths.find(':'));
        paths.remove_prefix(path.size() < paths.size() ? path.size() + 1 : paths.size());
        if (path.substr(path.rfind('/') + 1) == name) return std::string(path);
    }
    return {};
}

void *open_library() {
    const std::string_view name = own_name();
    const std::string path = path_of(name);
    void *library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        std::fprintf(stderr, "PyGPU host runtime: %.*s: %s\n", static_cast<int>(name.size()), name.data(),
                     path.empty() ? "PYGPU_HOST_COMPILERS names no library of this name" : dlerror());
    return library;
}

} // namespace

void *find_function(const char *name) {
    static void *const library = open_library();
    void *found = library ? dlsym(library, name) : nullptr;
    if (library && !found) std::fprintf(stderr, "PyGPU host runtime: the vendor's library has no %s\n", name);
    return found;
}

bool names_machine(const char *option) {
    const std::string_view text = option ? option : "";
    const std::string_view value = text.substr(text.rfind('=') + 1);
    return value.starts_with("sm_") &&
           (text.size() == value.size() || text.starts_with("-arch") || text.starts_with("--gpu-arch"));
}

} // namespace pygpu::compilers
