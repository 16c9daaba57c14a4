// PyGPU._core: the modules of both vendors, and what the Python side of the loader asks for.
#include "arrays/module.hpp"
#include "adapt/portable.hpp"
#include "call/checked.hpp"
#include "call/flavor.hpp"
#include "call/function.hpp"
#include "creator.hpp"
#include "errors/error_type.hpp"
#include "interpreter/reference.hpp"
#include "loader/api.hpp"
#include "loader/library.hpp"
#include "loader/shared_objects.hpp"
#include "names/nearest.hpp"
#include "names/portable.hpp"
#include "names/spelled.hpp"
#include "structs/struct_type.hpp"
#include "vendor.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace py = pybind11;

namespace pygpu {
namespace {

py::object taken(PyObject *object) {
    if (!object) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(object);
}

Vendor &vendor_named(const std::string &name) {
    for (Vendor *vendor : vendors) {
        if (name == vendor->api.name) return *vendor;
    }
    std::string known;
    for (const Vendor *vendor : vendors) known += std::string(known.empty() ? "" : ", ") + vendor->api.name;
    throw py::value_error("no API is called '" + name + "'; there are " + known);
}

py::list paths_to_python(const std::vector<std::string> &paths) {
    py::list list;
    for (const std::string &path : paths) list.append(taken(path_to_python(path)));
    return list;
}

// The value of CUDA's name on HIP; nullptr without an exception where HIP has none.
PyObject *portable_value(const Flavor &flavor, const Directory &hip, const char *cuda_name) {
    if (std::string(cuda_name).starts_with("cudaError")) {
        for (const char *name : {"cudaError", "cudaError_t"}) {
            if (!std::strcmp(cuda_name, name))
                return Py_NewRef(reinterpret_cast<PyObject *>(flavor.errors->type()));
        }
    }
    if (StructClass *kind = hip::portable::struct_named(cuda_name))
        return Py_XNewRef(reinterpret_cast<PyObject *>(kind->type()));
    const PortableName *named = portable_name(cuda_name);
    if (!named) return nullptr;
    const Name *name = hip.find(named->hip);
    if (!name) { // a value of CUDA's own
        const Directory &cuda = cuda::vendor().directory;
        name = cuda.find(named->hip);
        return name ? cuda.object_of(*name) : nullptr;
    }
    if (name->kind == Name::error) return flavor.errors->get(static_cast<int>(name->value));
    return hip.lookup(named->hip, flavor.host);
}

// All public names that the loaded release has; those of all releases while no library is there.
py::list names_of(const Vendor &vendor) {
    py::list names;
    for (std::span<const Function> group : vendor.functions) {
        for (const Function &function : group) names.append(function.row->name);
    }
    for (const Name &name : vendor.directory.names) {
        const Name *known = vendor.directory.find(name.name);
        const bool first = &vendor.directory.forms(name.name).front() == &name;
        if (first && vendor.directory.has(*known)) names.append(name.name);
    }
    names.append(vendor.errors.name());
    for (const char *alias : vendor.directory.error_aliases) names.append(alias);
    return names;
}

// CUDA's class that a handle's portable name stands for; its own for CUDA, null where CUDA has none.
const HandleClass *counterpart(const HandleClass &kind) {
    const bool own = &kind.api() == &cuda::vendor().api;
    const char *name = own ? kind.name() : cuda_name_of(kind.name());
    for (const HandleClass &one : cuda::vendor().directory.handles) {
        if (name && !std::strcmp(name, one.name())) return &one;
    }
    return nullptr;
}

// The class that a portable name gives: handles have one of their own, so that it knows its name.
PyObject *portable_type(PyObject *found) {
    const HandleClass *kind =
        PyType_Check(found) ? HandleClass::of(reinterpret_cast<PyTypeObject *>(found)) : nullptr;
    if (!kind) return found;
    Py_DECREF(found);
    return Py_NewRef(reinterpret_cast<PyObject *>(kind->portable_type()));
}

// What `import *` takes: the library is opened first, since values of some names depend on its release.
PyObject *all_names(const Flavor &flavor, const Vendor &vendor) {
    if (!vendor.api.ready() && !ensure_loaded(vendor.api, "import *", flavor.host)) return nullptr;
    return names_of(vendor).release().ptr();
}

// Raises what PyGPU._missing makes of a name that isn't there. What was meant is only looked for when
// somebody reads the message: asking with hasattr() is frequent.
PyObject *raise_missing(PyObject *module, PyObject *name) {
    if (const char *text = spelled(name); text && *text == '_') { // tools ask for such, and nobody else
        return PyErr_Format(PyExc_AttributeError, "module '%s' has no attribute '%s'",
                            PyModule_GetName(module), text);
    }
    Reference helper(PyImport_ImportModule("PyGPU._missing"));
    Reference error(
        helper ? PyObject_CallMethod(helper.get(), "MissingNameError", "sO", PyModule_GetName(module), name)
               : nullptr);
    if (error) PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
    return nullptr;
}

// Attributes that are not functions are looked up here, and stay in the module once they were asked for.
PyObject *lazy_attribute(PyObject *module, PyObject *name) {
    const char *text = spelled(name);
    if (!text) return raise_missing(module, name);
    const Flavor &flavor = flavor_of(module);
    const Vendor &vendor = vendor_named(flavor.api->name);
    if (!flavor.portable && !std::strcmp(text, "__all__")) return all_names(flavor, vendor);
    PyObject *found = flavor.portable ? portable_value(flavor, vendor.directory, text)
                                      : vendor.directory.lookup(text, flavor.host);
    if (found && (flavor.portable || flavor.host)) found = portable_type(found);
    if (found && PyObject_SetAttr(module, name, found)) Py_CLEAR(found);
    if (found || PyErr_Occurred()) return found;
    if (flavor.portable && cuda::vendor().directory.find(text))
        return PyErr_Format(PyExc_AttributeError, "no attribute '%s': HIP has no counterpart of it", text);
    return raise_missing(module, name);
}

PyMethodDef lazy = {"__getattr__", lazy_attribute, METH_O, nullptr};
PyMethodDef refusing = {"__getattr__", raise_missing, METH_O, nullptr};

// What is asked for the names that a module hasn't got yet: those of a raising form are all there.
void add_getattr(const py::object &module, bool raising) {
    module.attr("__getattr__") = taken(PyCFunction_New(raising ? &refusing : &lazy, module.ptr()));
}

// A module of an API's functions, in one form. `host`: the host runtime may stand in for the vendor's
// library.
py::object make_module(Vendor &vendor, const char *name, const char *doc, bool raising, bool host = false) {
    py::object module = taken(make_flavor(
        name, doc, {.api = &vendor.api, .errors = &vendor.errors, .raising = raising, .host = host}));
    for (std::span<const Function> group : vendor.functions) {
        if (!add_functions(module.ptr(), name, group)) throw py::error_already_set();
    }
    add_getattr(module, raising);
    return module;
}

// What holds for all functions.
constexpr const char *conventions = R"(

Parameters are C's, without those through which C returns something. After a failure the values are
None. The module `checked` has the same functions: they return the values alone and raise GPUError.
The GIL is given away while C runs, where a docstring doesn't say otherwise.

Memory is an address (int; None is null), a contiguous buffer, an object with
__cuda_array_interface__ (a device array) or a ctypes pointer. A call that only queues its work leaves
it to the caller to keep the memory alive. Handles that functions return are not owned; those that a
class made are, and end with their object.

The names are C's: the vendor's manual of the runtime API describes what each function does.
)";

void add_vendor(py::module_ &core, Vendor &vendor) {
    Api *api = &vendor.api;
    // Kept for ever: the modules refer to their names.
    const char *name = (new std::string(std::string("PyGPU.") + api->name))->c_str();
    const char *checked_name = (new std::string(std::string(name) + ".checked"))->c_str();
    serve_none(*api);
    if (!vendor.errors.create()) throw py::error_already_set();
    for (HandleClass &handle : vendor.directory.handles) {
        if (!handle.create(counterpart(handle), create_handle)) throw py::error_already_set();
    }
    add_structs(vendor.directory.structs);
    py::object plain = make_module(vendor, name, api->summary, false);
    py::object checked = make_module(
        vendor, checked_name, "The same functions, raising GPUError instead of returning a status.", true);
    plain.attr("__doc__") = std::string(api->summary) + conventions;
    plain.attr("address") = py::cpp_function(
        [api](const py::str &function) { return taken(function_address(*api, function.ptr())); },
        py::name("address"), py::arg("function"),
        "The C address of a function, for ctypes, Cython and Numba; loads the library. AttributeError for "
        "a name that is no function, OSError where no library has it.");
    plain.attr("checked") = checked;
    const Vendor *known = &vendor;
    plain.attr("__dir__") = py::cpp_function(
        [known, module = plain.ptr()] {
            py::set names(py::reinterpret_borrow<py::object>(module).attr("__dict__"));
            for (py::handle name : names_of(*known)) names.add(name);
            return names;
        },
        py::name("__dir__"));
    py::dict modules = py::module_::import("sys").attr("modules");
    modules[name] = plain;
    modules[checked_name] = checked;
    core.attr(vendor.api.name) = plain;
}

// The portable names on HIP: made when HIP turns out to be the backend.
py::object portable_on_hip(bool raising) {
    static PyObject *modules[2]; // kept for ever: statics end after the interpreter
    if (!modules[raising]) {
        const char *name = raising ? "PyGPU.checked" : "PyGPU";
        py::object module = taken(make_portable_on_hip(name, name, raising));
        add_getattr(module, raising);
        if (!modules[raising]) modules[raising] = module.release().ptr(); // else another thread was quicker
    }
    return py::reinterpret_borrow<py::object>(modules[raising]);
}

// The portable names where the host runtime may stand in for a missing GPU.
py::object portable_on_host(bool raising) {
    static PyObject *modules[2]; // kept for ever: statics end after the interpreter
    if (!modules[raising]) {
        const char *name = raising ? "PyGPU.checked" : "PyGPU";
        const char *doc = "CUDA's names, served by the host runtime.";
        py::object module = make_module(cuda::vendor(), name, doc, raising, true);
        if (!modules[raising]) modules[raising] = module.release().ptr(); // else another thread was quicker
    }
    return py::reinterpret_borrow<py::object>(modules[raising]);
}

// The module behind the portable names of a backend; the host runtime speaks CUDA.
py::object portable(const py::object &core, const std::string &backend, bool raising) {
    if (backend == "hip") return portable_on_hip(raising);
    if (backend == "host") return portable_on_host(raising);
    const py::object cuda = core.attr("cuda");
    return raising ? cuda.attr("checked") : cuda;
}

} // namespace

PYBIND11_MODULE(_core, core) {
    core.doc() = "The compiled part of PyGPU.";
    for (Vendor *vendor : vendors) add_vendor(core, *vendor);
    if (!add_struct_functions(core.ptr())) throw py::error_already_set();
    if (!arrays::add_arrays(core.ptr())) throw py::error_already_set();
    core.attr("__version__") = PYGPU_VERSION;
    core.def(
        "portable",
        [core](const std::string &backend, bool raising) { return portable(core, backend, raising); },
        py::arg("backend"), py::arg("raising"), "The module that serves the portable names of a backend.");
    core.def(
        "is_error", [](const py::object &object) { return ErrorType::check(object.ptr()); },
        py::arg("object"), "Whether an object is a status of one of the APIs.");
    core.def(
        "api_of",
        [](const py::object &error) {
            const ErrorType *type = ErrorType::of(Py_TYPE(error.ptr()));
            if (!type) throw py::type_error("api_of(): parameter 'error' must be a status");
            return type->api().name;
        },
        py::arg("error"), "The API that a status belongs to.");
    core.def(
        "names", [](const std::string &api) { return names_of(vendor_named(api)); }, py::arg("api"),
        "All public names of an API that the loaded release has; of all releases while none is loaded.");
    core.def(
        "nearest",
        [](const std::string &wanted, const py::list &names) {
            Nearest meant(wanted);
            for (const py::handle name : names) meant.consider(name.cast<std::string_view>());
            return std::string(meant.name());
        },
        py::arg("wanted"), py::arg("names"),
        "The one of some names that was probably meant by another; \"\" where none is near.");
    core.def(
        "majors",
        [](const std::string &api) {
            std::vector<int> majors;
            for (const int release : vendor_named(api).api.releases) { // sorted
                if (majors.empty() || majors.back() != release / 100) majors.push_back(release / 100);
            }
            return majors;
        },
        py::arg("api"), "The majors of an API's listed releases, sorted.");
    core.def(
        "loaded_objects", [] { return paths_to_python(loaded_objects()); },
        "Paths of the shared objects in this process.");
    core.def(
        "search_folders", [] { return paths_to_python(search_folders()); },
        "The folders in which the dynamic linker looks for a library's name, besides its cache.");
    core.def(
        "install",
        [](const std::string &api, const py::object &path) {
            PyObject *encoded = nullptr;
            if (!PyUnicode_FSConverter(path.ptr(), &encoded)) throw py::error_already_set();
            const py::object bytes = taken(encoded);
            return taken(install(vendor_named(api).api, PyBytes_AS_STRING(bytes.ptr())));
        },
        py::arg("api"), py::arg("path"), "Open a library and take its functions; OSError where that fails.");
    core.def(
        "installed", [](const std::string &api) { return taken(installed(vendor_named(api).api)); },
        py::arg("api"), "What install() gave for the library in use, or None.");
    core.def(
        "driver_version", [](const std::string &api) { return taken(driver_version(vendor_named(api).api)); },
        py::arg("api"), "The driver's version, asked without initialising it, or None.");
}

} // namespace pygpu
