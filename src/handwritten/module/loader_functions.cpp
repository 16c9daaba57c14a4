// The functions by which PyGPU's Python code asks an extension module about its APIs.
#include "module/api_module.hpp"
#include "module/portable.hpp"
#include "python/at_exit.hpp"
#include "python/keywords.hpp"
#include "python/reference.hpp"
#include "runtime/library.hpp"
#include "types/structs/struct_type.hpp"

#include <cstring>

namespace pygpu {
namespace {

// The API that the first argument names; null with an exception set.
template <int count> Vendor *vendor_of(const Arguments<count> &arguments) {
    const char *name = arguments ? PyUnicode_AsUTF8(arguments[0]) : nullptr;
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

PyObject *load_library(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments arguments("load()", {"api", "function", "portable"}, args, count, keywords, 3);
    Vendor *vendor = vendor_of(arguments);
    const char *function = vendor ? PyUnicode_AsUTF8(arguments[1]) : nullptr;
    const int portable = function ? PyObject_IsTrue(arguments[2]) : -1;
    if (portable < 0 || (!vendor->api.ready() && !ensure_loaded(vendor->api, function, portable)))
        return nullptr;
    return PyBool_FromLong(vendor->api.ready());
}

PyObject *installed_library(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Vendor *vendor = vendor_of(Arguments("installed()", {"api"}, args, count, keywords));
    return vendor ? installed(vendor->api) : nullptr;
}

PyObject *version_of_driver(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Vendor *vendor = vendor_of(Arguments("driver_version()", {"api"}, args, count, keywords));
    return vendor ? driver_version(vendor->api) : nullptr;
}

PyObject *portable_module(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments arguments("portable_module()", {"api", "names", "raising"}, args, count, keywords, 3);
    const Vendor *vendor = vendor_of(arguments);
    const char *names = vendor ? PyUnicode_AsUTF8(arguments[1]) : nullptr;
    bool raising = false;
    if (!names || !load_flag(arguments[2], false, raising)) return nullptr;
    for (PortableApi *portable : vendor->portables) {
        if (!std::strcmp(portable->api(), names)) return Py_XNewRef(portable->module(raising));
    }
    return PyErr_Format(PyExc_ValueError, "%s stands for no '%s'", vendor->api.name, names);
}

PyObject *host_module(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments arguments("host_module()", {"api", "raising"}, args, count, keywords, 2);
    Vendor *vendor = vendor_of(arguments);
    bool raising = false;
    if (!vendor || !load_flag(arguments[1], false, raising)) return nullptr;
    return Py_XNewRef(on_host(*vendor, raising));
}

PyMethodDef functions[] = {
    {"names", with_keywords(names), METH_FASTCALL | METH_KEYWORDS,
     "names(api)\n--\n\nAll public names of an API that the loaded release has; of all releases while none is "
     "loaded."},
    {"majors", with_keywords(majors), METH_FASTCALL | METH_KEYWORDS,
     "majors(api)\n--\n\nThe majors of an API's listed releases, sorted."},
    {"load", with_keywords(load_library), METH_FASTCALL | METH_KEYWORDS,
     "load(api, function, portable)\n--\n\nFind and open a library, as a first call of the function would. Returns whether there "
     "is one."},
    {"installed", with_keywords(installed_library), METH_FASTCALL | METH_KEYWORDS,
     "installed(api)\n--\n\nThe facts about the library in use, or None."},
    {"driver_version", with_keywords(version_of_driver), METH_FASTCALL | METH_KEYWORDS,
     "driver_version(api)\n--\n\nThe driver's version, queried without initialising it, or None."},
    {"portable_module", with_keywords(portable_module), METH_FASTCALL | METH_KEYWORDS,
     "portable_module(api, names, raising)\n--\n\nThe module of another vendor's names for an API's functions."},
    {"host_module", with_keywords(host_module), METH_FASTCALL | METH_KEYWORDS,
     "host_module(api, raising)\n--\n\nThe module of an API's names where the host runtime may serve them."},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

bool add_common_functions(PyObject *extension) {
    return !PyModule_AddFunctions(extension, functions) && watch_exit() && add_struct_functions(extension);
}

} // namespace pygpu
