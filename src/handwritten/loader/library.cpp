// dlopen, dlsym, and which release it is.
#include "loader/library.hpp"

#include "interpreter/gil.hpp"
#include "interpreter/reference.hpp"
#include "loader/release.hpp"
#include "loader/shared_objects.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <string_view>

namespace pygpu {
namespace {

bool per_thread_default_stream() {
    const char *setting = std::getenv("PYGPU_PER_THREAD_DEFAULT_STREAM");
    return setting && !std::strcmp(setting, "1");
}

void fill_entries(Api &api, void *library) {
    const bool per_thread = api.per_thread = per_thread_default_stream();
    std::vector<const char *> missing;
    for (const Symbol &symbol : api.symbols) {
        void *address = per_thread && symbol.per_thread ? dlsym(library, symbol.per_thread) : nullptr;
        if (!address) address = dlsym(library, symbol.name);
        symbol.fill(symbol.entry, address);
        if (!address) missing.push_back(symbol.name);
    }
    api.missing = std::move(missing);
}

} // namespace

void *find_function(const Api &api, const char *name) {
    return api.library ? dlsym(api.library, (std::string(api.name) + name).c_str()) : nullptr;
}

PyObject *install(Api &api, const char *path, bool host) {
    void *library = nullptr;
    const char *problem = nullptr;
    {
        GilGivenAway away(true);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library) problem = dlerror();
    }
    if (!library) return PyErr_Format(PyExc_OSError, "%s", problem ? problem : path);
    if (!api.ready()) {
        api.library = library;
        fill_entries(api, library);
        api.path = path_of(library);
        api.soname = soname_of(library);
        api.host = host;
        api.release = release_of(api, library);
        api.release_known(api.release);
        api.loaded.store(true, std::memory_order_release);
    }
    return installed(api);
}

PyObject *installed(const Api &api) {
    if (!api.ready()) Py_RETURN_NONE;
    Reference missing(PyList_New(0));
    if (!missing) return nullptr;
    for (const char *symbol : api.missing) {
        Reference name(PyUnicode_FromString(symbol));
        if (!name || PyList_Append(missing.get(), name.get())) return nullptr;
    }
    return Py_BuildValue("{s:s,s:s,s:s,s:O,s:n,s:O}", "path", api.path.c_str(), "soname", api.soname.c_str(),
                         "release", api.release.c_str(), "host", api.host ? Py_True : Py_False, "found",
                         static_cast<Py_ssize_t>(api.symbols.size() - api.missing.size()), "missing",
                         missing.get());
}

PyObject *function_address(Api &api, const char *function) {
    auto found = std::ranges::find(api.symbols, std::string_view(function), &Symbol::function);
    if (found == api.symbols.end()) {
        return PyErr_Format(PyExc_AttributeError, "address(): '%s' is no function of PyGPU.%s", function,
                            api.name);
    }
    if (!api.ready() && !ensure_loaded(api, function)) return nullptr;
    if (void *address = found->address(found->entry)) return PyLong_FromVoidPtr(address);
    return PyErr_Format(PyExc_OSError, "address(): %s %s%s", api.ready() ? api.path.c_str() : "no library",
                        api.ready() ? "lacks " : "serves PyGPU.", api.ready() ? function : api.name);
}

PyObject *driver_version(const Api &api) {
    if (std::strcmp(api.name, "cuda")) Py_RETURN_NONE;
    int version = 0;
    {
        GilGivenAway away(true);
        if (void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
            using DriverGetVersion = int(int *);
            auto *ask = reinterpret_cast<DriverGetVersion *>(dlsym(driver, "cuDriverGetVersion"));
            if (!ask || ask(&version)) version = 0;
        }
    }
    if (!version) Py_RETURN_NONE;
    return PyLong_FromLong(version);
}

bool ensure_loaded(Api &api, const char *function) {
    const unsigned long long now = loaded_generation() + 1;
    if (api.failed_at == now) return true; // nothing was loaded since the search that found nothing
    Reference search(PyImport_ImportModule("PyGPU._search"));
    Reference found(search ? PyObject_CallMethod(search.get(), "load", "ss", api.name, function) : nullptr);
    if (!found) return false;
    if (!api.ready()) api.failed_at = loaded_generation() + 1;
    return true;
}

} // namespace pygpu
