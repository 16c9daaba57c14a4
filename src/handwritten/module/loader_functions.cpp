// What the Python side queries of an extension module about its APIs.
#include "module/api_module.hpp"
#include "python/exit.hpp"
#include "python/keywords.hpp"
#include "python/reference.hpp"
#include "runtime/library.hpp"
#include "types/structs/struct_type.hpp"

namespace pygpu {
namespace {

// The API that the first argument names; null with an exception set.
template <int count> Vendor *vendor_of(const Arguments<count> &given) {
    const char *name = given ? PyUnicode_AsUTF8(given[0]) : nullptr;
    return name ? vendor_named(name) : nullptr;
}

PyObject *names(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Vendor *vendor = vendor_of(Arguments("names()", {"api"}, args, count, keywords));
    return vendor ? names_of(*vendor) : nullptr;
}

PyObject *majors(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Vendor *vendor = vendor_of(Arguments("majors()", {"api"}, args, count, keywords));
    Reference majors(vendor ? PyList_New(0) : nullptr);
    int last = -1;
    for (const int release : vendor ? vendor->api.releases : std::span<const int>()) { // sorted
        if (release / 100 == last) continue;
        last = release / 100;
        const Reference major(majors ? PyLong_FromLong(last) : nullptr);
        if (!major || PyList_Append(majors.get(), major.get())) return nullptr;
    }
    return majors.release();
}

PyObject *install_library(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments given("install()", {"api", "path"}, args, count, keywords, 2);
    Vendor *vendor = vendor_of(given);
    PyObject *path = nullptr;
    if (!vendor || !PyUnicode_FSConverter(given[1], &path)) return nullptr;
    const Reference encoded(path);
    return install(vendor->api, PyBytes_AS_STRING(path));
}

PyObject *installed_library(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Vendor *vendor = vendor_of(Arguments("installed()", {"api"}, args, count, keywords));
    return vendor ? installed(vendor->api) : nullptr;
}

PyObject *version_of_driver(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Vendor *vendor = vendor_of(Arguments("driver_version()", {"api"}, args, count, keywords));
    return vendor ? driver_version(vendor->api) : nullptr;
}

PyMethodDef functions[] = {
    {"names", with_keywords(names), METH_FASTCALL | METH_KEYWORDS,
     "names(api)\n--\n\nAll public names of an API that the loaded release has; of all releases while none is "
     "loaded."},
    {"majors", with_keywords(majors), METH_FASTCALL | METH_KEYWORDS,
     "majors(api)\n--\n\nThe majors of an API's listed releases, sorted."},
    {"install", with_keywords(install_library), METH_FASTCALL | METH_KEYWORDS,
     "install(api, path)\n--\n\nOpen a library and take its functions; OSError where that fails."},
    {"installed", with_keywords(installed_library), METH_FASTCALL | METH_KEYWORDS,
     "installed(api)\n--\n\nWhat install() gave for the library in use, or None."},
    {"driver_version", with_keywords(version_of_driver), METH_FASTCALL | METH_KEYWORDS,
     "driver_version(api)\n--\n\nThe driver's version, queried without initialising it, or None."},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

bool add_common_functions(PyObject *extension) {
    return !PyModule_AddFunctions(extension, functions) && watch_exit() && add_struct_functions(extension);
}

} // namespace pygpu
