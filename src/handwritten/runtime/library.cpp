// Opening a library with dlopen, taking its symbols with dlsym, and finding its release.
#include "runtime/library.hpp"

#include "python/gil.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"
#include "python/spelled.hpp"
#include "runtime/generation.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/release.hpp"
#include "runtime/shared_objects.hpp"

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

// The listed release whose forms fit the loaded one: the same release, else the newest listed before it, else
// the oldest listed.
int listed_release(const Api &api) {
    const std::size_t dot = api.release.find('.');
    if (dot == std::string::npos) return api.releases.back();
    const int loaded = std::atoi(api.release.c_str()) * 100 + std::atoi(api.release.c_str() + dot + 1);
    int chosen = api.releases.front();
    for (int release : api.releases) {
        if (release <= loaded) chosen = release;
    }
    return chosen;
}

// The function to call for a symbol. For a function that ends something it is ours, which counts.
void *counting(Api &api, const char *name, void *function) {
    for (Ending &ending : api.endings) {
        if (!name || std::strcmp(ending.function, name)) continue;
        ending.served = function;
        return ending.counting;
    }
    return function;
}

void fill_entries(Api &api, void *library) {
    const bool per_thread = api.per_thread = per_thread_default_stream();
    std::vector<const char *> missing;
    for (const Symbol &symbol : api.symbols) {
        SymbolRange serving{0, 0, symbol.name, symbol.per_thread};
        for (const SymbolRange &other : symbol.others) {
            if (other.since <= api.release_number && api.release_number <= other.until) serving = other;
        }
        void *address = serving.adaptor;
        if (!address && per_thread && serving.per_thread) address = dlsym(library, serving.per_thread);
        if (!address && serving.name) {
            address = dlsym(library, serving.name);
            if (per_thread) symbol.entry->pass_own_handles();
        }
        if (address)
            symbol.entry->serve(counting(api, symbol.function, address));
        else
            symbol.entry->serve_none(serving.name ? api.statuses.no_symbol : api.statuses.not_supported);
        if (!address && serving.name && symbol.function) missing.push_back(symbol.function);
    }
    api.missing = std::move(missing);
}

// The functions of the opened library that PyGPU calls for itself.
OwnCalls own_calls_of(const Api &api) {
    OwnCalls own = api.own_calls ? api.own_calls() : OwnCalls{};
    if (api.host) own.event_record = nullptr; // it reports a null event as misuse
    own.statuses = api.statuses;
    return own;
}

// Opens `path` and fills the API's entries. Returns why that failed: the dynamic linker's text, or that the
// library has no function of the API. Returns an empty text on success.
std::string open_library(Api &api, const char *path) {
    void *library = nullptr;
    std::string problem;
    {
        GilReleased released(true);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (const char *text = library ? nullptr : dlerror()) problem = text;
    }
    if (!library) return problem.empty() ? path : problem;
    auto served = [&](const Symbol &symbol) { return symbol.name && dlsym(library, symbol.name); };
    if (std::ranges::none_of(api.symbols, served)) {
        dlclose(library);
        return std::string(path) + ": it has no function of " + api.module;
    }
    if (api.ready()) return "";
    api.library = library;
    api.path = path_of(library);
    api.soname = soname_of(library);
    api.host = is_host_runtime(library);
    if (api.host) offer_interrupts(library);
    api.release = release_of(api, library);
    api.release_number = listed_release(api);
    count_forks();
    fill_entries(api, library);
    api.own = own_calls_of(api);
    api.release_known(api.release_number);
    api.loaded.store(true, std::memory_order_release);
    return "";
}

// The answer to the search for a path that it has given: why the path can't be opened, or what is installed
// now.
PyObject *answer(Api &api, PyObject *path) {
    PyObject *encoded = nullptr;
    if (!PyUnicode_FSConverter(path, &encoded)) return nullptr;
    const Reference held(encoded);
    const std::string problem = open_library(api, PyBytes_AS_STRING(encoded));
    return problem.empty() ? installed(api) : PyUnicode_FromFormat("%s", problem.c_str());
}

} // namespace

void serve_none(const Api &api) {
    for (const Symbol &symbol : api.symbols) symbol.entry->serve_none(api.statuses.no_library);
}

PyObject *installed(const Api &api) {
    if (!api.ready()) Py_RETURN_NONE;
    const auto functions = static_cast<std::size_t>(std::ranges::count_if(api.symbols, &Symbol::function));
    Reference missing(PyList_New(0));
    if (!missing) return nullptr;
    for (const char *symbol : api.missing) {
        Reference name(PyUnicode_FromString(symbol));
        if (!name || PyList_Append(missing.get(), name.get())) return nullptr;
    }
    return Py_BuildValue("{s:N,s:N,s:s,s:O,s:n,s:O}", "path", path_to_python(api.path), "soname",
                         path_to_python(api.soname), "release", api.release.c_str(), "host",
                         api.host ? Py_True : Py_False, "found",
                         static_cast<Py_ssize_t>(functions - api.missing.size()), "missing", missing.get());
}

PyObject *function_address(Api &api, PyObject *name) {
    const char *function = spelled(name);
    auto named = [&](const Symbol &symbol) {
        return function && symbol.function && symbol.function.view() == function;
    };
    auto symbol = std::ranges::find_if(api.symbols, named);
    if (symbol == api.symbols.end()) {
        return PyErr_Format(PyExc_AttributeError, "address(): %A is no function of %s", name, api.module);
    }
    if (!api.ready() && !ensure_loaded(api, function)) return nullptr;
    if (void *address = symbol->entry->address()) return PyLong_FromVoidPtr(address);
    if (!api.ready()) return PyErr_Format(PyExc_OSError, "address(): no library serves %s", api.module);
    return PyErr_Format(PyExc_OSError, "address(): %s lacks %s", api.path.c_str(), function);
}

PyObject *driver_version(const Api &api) {
    if (!api.driver.symbol) Py_RETURN_NONE;
    int version = 0;
    {
        GilReleased released(true);
        if (void *driver = dlopen(api.driver.library, RTLD_NOW | RTLD_LOCAL)) {
            using DriverGetVersion = int(int *);
            auto *ask = reinterpret_cast<DriverGetVersion *>(dlsym(driver, api.driver.symbol));
            if (!ask || ask(&version)) version = 0;
        }
    }
    if (!version) Py_RETURN_NONE;
    return PyLong_FromLong(version);
}

bool ensure_loaded(Api &api, const char *function, bool host) {
    const unsigned long long now = loaded_generation() + 1;
    if (api.failed_at == now) return true; // nothing was loaded since the search that found nothing
    const Reference search(
        call_in_package(package::library_paths, "(ssO)", api.name, function, host ? Py_True : Py_False));
    Reference answered(Py_NewRef(Py_None));
    while (search && answered) {
        PyObject *candidate = nullptr;
        const PySendResult next = PyIter_Send(search.get(), answered.get(), &candidate);
        const Reference path(candidate);
        if (next == PYGEN_ERROR) return false;
        if (next == PYGEN_RETURN) break;
        answered = Reference(answer(api, path.get()));
    }
    if (!search || !answered) return false;
    if (!api.ready()) api.failed_at = loaded_generation() + 1;
    return true;
}

} // namespace pygpu
