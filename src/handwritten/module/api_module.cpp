// Making the modules of an API. The object for a name is made on first use.
#include "module/api_module.hpp"

#include "binding/argument_errors.hpp"
#include "binding/function.hpp"
#include "binding/mode.hpp"
#include "binding/status_class.hpp"
#include "module/attributes.hpp"
#include "module/creator.hpp"
#include "module/shared.hpp"
#include "module/shared_functions.hpp"
#include "python/keywords.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"
#include "python/spelled.hpp"
#include "runtime/api.hpp"
#include "runtime/library.hpp"
#include "types/structs/struct_type.hpp"

#include <cstring>
#include <map>
#include <new>
#include <string>
#include <utility>

namespace pygpu {
namespace {

// The names for `import *`. Where some names are values, the library is opened first, since they depend on
// its release.
PyObject *all_names(const BindingMode &mode, const Vendor &vendor) {
    if (mode.raising) return function_names(vendor);
    if (!vendor.api.ready() && !ensure_loaded(vendor.api, "import *", mode.host)) return nullptr;
    return names_of(vendor);
}

// Null without an exception if there is no such name.
PyObject *object_named(PyObject *module, const Vendor &vendor, const char *name) {
    const BindingMode &mode = mode_of(module);
    if (const Function *function = function_named(vendor, name)) {
        const char *qualified = PyModule_GetName(module);
        return qualified ? make_function(module, qualified, *function->record, function->call) : nullptr;
    }
    if (mode.raising) return nullptr; // it has functions only
    PyObject *object = vendor.directory.lookup(name, mode.host);
    return object && mode.host ? portable_type(object) : object;
}

// Looks up attributes, and stores them in the module.
PyObject *lazy_attribute(PyObject *module, PyObject *name) {
    const char *text = spelled(name);
    if (!text) return raise_missing(module, name);
    const BindingMode &mode = mode_of(module);
    const Vendor *vendor = vendor_named(mode.api->name);
    if (!vendor) return nullptr;
    if (!std::strcmp(text, "__all__")) return all_names(mode, *vendor);
    PyObject *object = object_named(module, *vendor, text);
    if (object && PyObject_SetAttr(module, name, object)) Py_CLEAR(object);
    return object || PyErr_Occurred() ? object : raise_missing(module, name);
}

PyMethodDef lazy = {"__getattr__", lazy_attribute, METH_O, nullptr};

// The part of a module's docstring that is true for all functions.
std::string conventions(const Statuses &statuses) {
    return R"(

Parameters are C's, without those through which C returns something. After a failure the values are
None. The module `checked` has the same functions: they return the values alone and raise GPUError.
Besides the errors that a docstring lists, the status is )" +
           std::to_string(statuses.no_symbol) + R"( where the loaded library lacks the function,
)" + std::to_string(statuses.no_library) +
           R"( without a library. The GIL is released while C runs, unless a docstring says otherwise.

Memory is an address (int; None is null), a contiguous buffer, an object with
__cuda_array_interface__ (a device array) or a ctypes pointer. If a call only queues its work, keep the
memory alive until the work is done. A handle that a function returns is not owned. A handle that its
class creates is owned, and destroyed with its object.

When the program ends, host functions and callbacks in Python get one second to return, and no other
begins. If one still runs then, calls in finalisers that could wait for it return error 800.

The names are C's: the vendor's manual describes what each function does. help() of the module shows
functions alone. dir() lists structs, enumerations and handles, too; each has help() of its own.
)";
}

PyObject *address(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments arguments("address()", {"function"}, args, count, keywords);
    if (!arguments) return nullptr;
    if (!PyUnicode_Check(arguments[0]))
        return PyErr_Format(PyExc_TypeError, "address(): parameter 'function' must be a str, not %.80s",
                            type_description(arguments[0]));
    Vendor *vendor = vendor_named(mode_of(module).api->name);
    return vendor ? function_address(vendor->api, arguments[0]) : nullptr;
}

// help() of a module shows its functions. With all classes, it would have a hundred thousand lines.
PyObject *dir(PyObject *module, PyObject *) {
    const BindingMode &mode = mode_of(module);
    const Vendor *vendor = vendor_named(mode.api->name);
    if (!vendor) return nullptr;
    const Reference helped(call_in_package(package::help_asks_for_names, "()"));
    if (!helped) return nullptr;
    if (helped.get() == Py_True) return function_names(*vendor);
    const Reference names(mode.raising ? function_names(*vendor) : names_of(*vendor));
    Reference all(names ? PySet_New(PyModule_GetDict(module)) : nullptr);
    for (Py_ssize_t at = 0; all && at < PyList_GET_SIZE(names.get()); ++at) {
        if (PySet_Add(all.get(), PyList_GET_ITEM(names.get(), at))) return nullptr;
    }
    return all.release();
}

PyMethodDef listing = {"__dir__", dir, METH_NOARGS, nullptr};

PyMethodDef methods[] = {
    {"address", with_keywords(address), METH_FASTCALL | METH_KEYWORDS,
     "address(function)\n--\n\nThe C address of a function, for ctypes, Cython and Numba; loads the library. "
     "Raises AttributeError for a name that is no function, OSError if no library has it."},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyObject *make_api_module(Vendor &vendor, const char *name, const char *doc, bool raising, bool host) {
    Reference module(make_mode_module(
        name, doc, {.api = &vendor.api, .errors = &vendor.errors, .raising = raising, .host = host}));
    for (PyMethodDef *one : {&lazy, &listing}) {
        const Reference method(module ? PyCFunction_New(one, module.get()) : nullptr);
        if (!method || PyObject_SetAttrString(module.get(), one->ml_name, method.get())) return nullptr;
    }
    return module.release();
}

PyObject *on_host(Vendor &vendor, bool raising) {
    static auto *modules = new std::map<std::pair<const Vendor *, bool>, PyObject *>;
    PyObject *&known = (*modules)[{&vendor, raising}];
    if (known) return known;
    Reference module(make_api_module(vendor, raising ? "PyGPU.checked" : "PyGPU",
                                     "CUDA's names, served by the host runtime.", raising, true));
    if (!known) known = module.release(); // else another thread was quicker
    return known;
}

bool add_api(PyObject *extension, Vendor &vendor, Counterpart *counterpart) {
    const Api &api = vendor.api;
    if (!take_shared()) return false;
    add_vendor(vendor);
    const char *name = api.module;
    // Never freed: the module refers to its name.
    const char *checked_name = (new std::string(std::string(name) + ".checked"))->c_str();
    serve_none(vendor.api);
    if (!create_class(vendor.errors)) return false;
    for (HandleClass &handle : vendor.directory.handles) {
        if (!handle.create(counterpart ? counterpart(handle) : nullptr, create_handle)) return false;
    }
    if (!add_structs(extension, vendor.directory.structs)) return false;
    const Reference plain(make_api_module(vendor, name, api.summary, false));
    const Reference checked(make_api_module(
        vendor, checked_name, "The same functions, raising GPUError instead of returning a status.", true));
    PyObject *modules = PyImport_GetModuleDict();
    return plain && checked && !PyModule_AddFunctions(plain.get(), methods) &&
           !PyModule_SetDocString(plain.get(),
                                  (std::string(api.summary) + conventions(api.statuses)).c_str()) &&
           !PyObject_SetAttrString(plain.get(), "checked", checked.get()) &&
           share_functions(plain.get(), vendor) && !PyDict_SetItemString(modules, name, plain.get()) &&
           !PyDict_SetItemString(modules, checked_name, checked.get()) &&
           !PyObject_SetAttrString(extension, api.name, plain.get());
}

PyObject *make_extension(const char *name, const char *doc, bool (*fill)(PyObject *extension)) {
    try {
        // Never freed: the module refers to it.
        auto *definition = new PyModuleDef{
            PyModuleDef_HEAD_INIT, name, doc, -1, nullptr, nullptr, nullptr, nullptr, nullptr};
        Reference extension(PyModule_Create(definition));
        return extension && fill(extension.get()) ? extension.release() : nullptr;
    } catch (const std::bad_alloc &) {
        return PyErr_NoMemory();
    }
}

} // namespace pygpu
