// PyGPU._core: the modules of the two runtimes, the arrays, and what the Python side asks for.
#include "arrays/module.hpp"
#include "binding/error_type.hpp"
#include "binding/status_base.hpp"
#include "module/portable.hpp"
#include "module/portable_module.hpp"
#include "python/nearest.hpp"
#include "runtime/library.hpp"
#include "runtime/shared_objects.hpp"

#include <pybind11/stl.h>

#include <string>
#include <string_view>

namespace py = pybind11;

namespace pygpu {
namespace {

const Renamed renamed_hip = {portable_errors, cuda_record_of};

py::object taken(PyObject *object) {
    if (!object) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(object);
}

void must(bool done) {
    if (!done) throw py::error_already_set();
}

py::list paths_to_python(const std::vector<std::string> &paths) {
    py::list list;
    for (const std::string &path : paths) list.append(taken(path_to_python(path)));
    return list;
}

} // namespace

PYBIND11_MODULE(_core, core) {
    core.doc() = "The compiled part of PyGPU.";
    must(share_status_base(core.ptr()));
    hip::vendor().renamed = &renamed_hip;
    for (Vendor *vendor : vendors) must(add_api(core.ptr(), *vendor, cuda_counterpart));
    must(add_common_functions(core.ptr()));
    must(arrays::add_arrays(core.ptr()));
    core.attr("__version__") = PYGPU_VERSION;
    core.def(
        "portable",
        [core](const char *backend, bool raising) { return taken(portable(core.ptr(), backend, raising)); },
        py::arg("backend"), py::arg("raising"), "The module that serves the portable names of a backend.");
    core.def(
        "is_error", [](const py::object &object) { return ErrorType::check(object.ptr()); },
        py::arg("object"), "Whether an object is a status of one of the APIs.");
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
        "loaded_objects", [] { return paths_to_python(loaded_objects()); },
        "Paths of the shared objects in this process.");
    core.def(
        "search_folders", [] { return paths_to_python(search_folders()); },
        "The folders in which the dynamic linker looks for a library's name, besides its cache.");
}

} // namespace pygpu
