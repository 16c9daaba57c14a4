// PyGPU._core: the modules of the two runtimes, the arrays, and functions for PyGPU's Python code.
#include "arrays/module.hpp"
#include "base/nearest.hpp"
#include "binding/status_type.hpp"
#include "kernels/module.hpp"
#include "module/api_module.hpp"
#include "module/core_vendors.hpp"
#include "module/portable_module.hpp"
#include "module/shared.hpp"
#include "module/vendor.hpp"
#include "python/exit.hpp"
#include "python/pybind.hpp"
#include "runtime/api.hpp"
#include "runtime/host_reports.hpp"
#include "runtime/library_file.hpp"
#include "runtime/own_calls.hpp"
#include "runtime/shared_objects.hpp"
#include "trace/control.hpp"
#include "trace/device.hpp"
#include "trace/keep.hpp"
#include "trace/locate.hpp"
#include "trace/span.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pygpu {
namespace {

py::list list_of(const std::vector<std::string> &paths) {
    py::list list;
    for (const std::string &path : paths) list.append(or_throw(path_to_python(path)));
    return list;
}

void forget_error(py::handle error) {
    const StatusType *const kind =
        StatusType::of(Py_TYPE(error.ptr())); // null for a status of another module, which has no last error
    if (kind && kind->api().ready()) forget_last_error(kind->api().own, StatusType::code_of(error.ptr()));
}

std::string nearest(std::string_view wanted, const py::list &names) {
    Nearest meant(wanted);
    for (py::handle name : names) meant.consider(&deref_or_throw(PyUnicode_AsUTF8(name.ptr())));
    return std::string(meant.name());
}

// PyGPU.check() calls it for each result: by pybind11 it would take 40 ns more.
PyMethodDef is_error[] = {
    {"is_error", [](PyObject *, PyObject *object) { return PyBool_FromLong(StatusType::check(object)); },
     METH_O, "is_error(object, /)\n--\n\nWhether an object is a status of one of the APIs."},
    {nullptr, nullptr, 0, nullptr}};

void add_functions(py::module_ &core) {
    py::options options;
    options.disable_function_signatures();
    core.def(
        "portable",
        [core = core.ptr()](const std::string &backend, bool raising) {
            return or_throw(portable(core, backend.c_str(), raising));
        },
        py::arg("backend"), py::arg("raising"),
        "portable(backend, raising)\n--\n\nThe module that serves the portable names of a backend.");
    core.def("forget_error", forget_error,
             "forget_error(error, /)\n--\n\nClears the thread's last error where it is this one, which was "
             "raised.");
    core.def(
        "keep_modules", // with what they hold, to the end of the process
        [](py::object modules) { Py_XSETREF(program_exit->modules, modules.release().ptr()); },
        "keep_modules(modules, /)\n--\n\nSets the namespaces, by the modules' names, in which PyGPU looks up "
        "what it can't import while the interpreter ends.");
    core.def(
        "nearest", nearest, py::arg("wanted"), py::arg("names"),
        "nearest(wanted, names)\n--\n\nThe name of a list that is nearest to a wrong one; \"\" if none is "
        "near.");
    core.def(
        "loaded_objects", [] { return list_of(loaded_objects()); },
        "loaded_objects()\n--\n\nPaths of the shared objects in this process.");
    core.def(
        "library_file", [](py::handle file) { return or_throw(read_library_file(file.ptr())); },
        "library_file(file, /)\n--\n\nBits, byte order, machine, SONAME and problem of a shared object's "
        "file, which has size and piece(offset, size).");
    core.def(
        "search_folders", [] { return list_of(search_folders()); },
        "search_folders()\n--\n\nThe folders in which the dynamic linker looks for a library's name, "
        "besides its cache.");
}

// What the host runtime calls, as addresses: its functions are called by ctypes.
void add_host_reports(py::module_ &core) {
    py::options options;
    options.disable_function_signatures();
    core.attr("collect_report") = reinterpret_cast<std::uintptr_t>(&collect_report);
    core.attr("write_line_of_caller") = reinterpret_cast<std::uintptr_t>(&write_line_of_caller);
    core.def(
        "exchange_collected_reports",
        [](const py::object &list) {
            PyObject *former = exchange_collected_reports(list.is_none() ? nullptr : list.inc_ref().ptr());
            return former ? py::reinterpret_steal<py::object>(former) : py::none();
        },
        "exchange_collected_reports(collected, /)\n--\n\nSets the list that the host runtime's reports are appended "
        "to, or None. Returns the former.");
}

void add_trace(py::module_ &core) {
    py::options options;
    options.disable_function_signatures();
    core.attr("kernel_ran") = reinterpret_cast<std::uintptr_t>(&trace::kernel_ran);
    core.attr("give_buffer") = reinterpret_cast<std::uintptr_t>(&trace::give_buffer);
    core.attr("take_buffer") = reinterpret_cast<std::uintptr_t>(&trace::take_buffer);
    core.attr("entered") = reinterpret_cast<std::uintptr_t>(&trace::entered);
    core.def(
        "read_records_by",
        [](std::uintptr_t next) { trace::read_records_by(reinterpret_cast<trace::NextRecord>(next)); },
        py::arg("next"),
        "read_records_by(next)\n--\n\nSets the address of CUPTI's cuptiActivityGetNextRecord.");
    core.def(
        "note_clocks", trace::note_clocks, py::arg("own"), py::arg("other"),
        "note_clocks(own, other)\n--\n\nNotes what the trace's clock and CUPTI's say at the same moment.");
    core.def("start_trace", trace::start_recording, py::arg("file"), py::arg("folder"),
             "start_trace(file, folder)\n--\n\nRecords calls into an empty file, which it closes in the end. "
             "Lines of code below the folder count as those of their callers.");
    core.def(
        "status",
        [](const std::string &api, int code) {
            Vendor &vendor = deref_or_throw(vendor_named(api.c_str()));
            return or_throw(vendor.errors.get(code));
        },
        py::arg("api"), py::arg("code"), "status(api, code)\n--\n\nThe status of an API with this code.");
    core.def(
        "locate_faults", trace::locate, py::arg("on"), py::arg("folder"),
        "locate_faults(on, folder)\n--\n\nWhether calls that queue work wait for it, so that its faults are "
        "theirs.");
    core.def("blamed", trace::blamed, py::arg("code"),
             "blamed(code)\n--\n\nThe call that has caused a fault with this code; \"\" if none is known.");
    core.def(
        "keep_calls",
        [](const py::object &recorder) { trace::keep_calls(recorder.is_none() ? nullptr : recorder.ptr()); },
        py::arg("recorder"),
        "keep_calls(recorder)\n--\n\nHands each call with its arguments to an object, for replays; None ends it.");
    core.def(
        "is_capturing",
        [](const std::string &api, std::uintptr_t stream) {
            Vendor &vendor = deref_or_throw(vendor_named(api.c_str()));
            return trace::is_capturing(vendor.api, reinterpret_cast<void *>(stream));
        },
        py::arg("api"), py::arg("stream"),
        "is_capturing(api, stream)\n--\n\nWhether a stream is being captured.");
    core.def("stop_trace", trace::stop_recording,
             "stop_trace()\n--\n\nEnds it; returns whether there was room for all calls.");
}

} // namespace

PYBIND11_MODULE(_core, core) {
    refuse_to_make_bare_objects();
    core.doc() = "The compiled part of PyGPU.";
    core.attr("__version__") = PYGPU_VERSION;
    throw_unless(share(core.ptr()));
    for (Vendor *vendor : core_vendors) throw_unless(add_api(core.ptr(), *vendor, cuda_counterpart));
    throw_unless(add_common_functions(core.ptr()) && arrays::add_arrays(core.ptr()) &&
                 kernels::add_kernels(core.ptr()));
    throw_unless(!PyModule_AddFunctions(core.ptr(), is_error));
    add_functions(core);
    add_host_reports(core);
    add_trace(core);
}

} // namespace pygpu
