// What the Python side of the loader asks of an extension module about its APIs.
#include "module/api_module.hpp"
#include "runtime/library.hpp"

#include <pybind11/stl.h>

#include <vector>

namespace py = pybind11;

namespace pygpu {

void add_loader_functions(py::module_ &module) {
    module.def(
        "names", [](const std::string &api) { return names_of(vendor_named(api)); }, py::arg("api"),
        "All public names of an API that the loaded release has; of all releases while none is loaded.");
    module.def(
        "majors",
        [](const std::string &api) {
            std::vector<int> majors;
            for (const int release : vendor_named(api).api.releases) { // sorted
                if (majors.empty() || majors.back() != release / 100) majors.push_back(release / 100);
            }
            return majors;
        },
        py::arg("api"), "The majors of an API's listed releases, sorted.");
    module.def(
        "install",
        [](const std::string &api, const py::object &path) {
            PyObject *encoded = nullptr;
            if (!PyUnicode_FSConverter(path.ptr(), &encoded)) throw py::error_already_set();
            const py::object bytes = taken(encoded);
            return taken(install(vendor_named(api).api, PyBytes_AS_STRING(bytes.ptr())));
        },
        py::arg("api"), py::arg("path"), "Open a library and take its functions; OSError where that fails.");
    module.def(
        "installed", [](const std::string &api) { return taken(installed(vendor_named(api).api)); },
        py::arg("api"), "What install() gave for the library in use, or None.");
    module.def(
        "driver_version", [](const std::string &api) { return taken(driver_version(vendor_named(api).api)); },
        py::arg("api"), "The driver's version, asked without initialising it, or None.");
}

} // namespace pygpu
