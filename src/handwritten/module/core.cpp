// PyGPU._core: the modules of the two runtimes, the arrays, and functions for PyGPU's Python code.
#include "arrays/module.hpp"
#include "base/nearest.hpp"
#include "binding/status_type.hpp"
#include "kernels/module.hpp"
#include "module/core_vendors.hpp"
#include "module/portable_module.hpp"
#include "module/shared.hpp"
#include "python/exit.hpp"
#include "python/keywords.hpp"
#include "python/reference.hpp"
#include "runtime/api.hpp"
#include "runtime/library_file.hpp"
#include "runtime/own_calls.hpp"
#include "runtime/shared_objects.hpp"

#include <string>
#include <vector>

namespace pygpu {
namespace {

PyObject *core_module = nullptr; // borrowed: Python keeps the module until the interpreter ends

PyObject *paths_to_list(const std::vector<std::string> &paths) {
    Reference list(PyList_New(0));
    for (const std::string &path : paths) {
        const Reference text(list ? path_to_python(path) : nullptr);
        if (!text || PyList_Append(list.get(), text.get())) return nullptr;
    }
    return list.release();
}

PyObject *portable_form(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments given("portable()", {"backend", "raising"}, args, count, keywords, 2);
    const char *backend = given ? PyUnicode_AsUTF8(given[0]) : nullptr;
    bool raising = false;
    if (!backend || !load_flag(given[1], false, raising)) return nullptr;
    return portable(core_module, backend, raising);
}

PyObject *is_error(PyObject *, PyObject *object) { return PyBool_FromLong(StatusType::check(object)); }

PyObject *forget_error(PyObject *, PyObject *object) {
    const StatusType *const kind =
        StatusType::of(Py_TYPE(object)); // null for a status of another module, which has no last error
    if (kind && kind->api().ready()) forget_last_error(kind->api().own, StatusType::code_of(object));
    Py_RETURN_NONE;
}

PyObject *keep_modules(PyObject *, PyObject *modules) {
    Py_INCREF(modules); // with what they hold, to the end of the process
    Py_XSETREF(program_exit->modules, modules);
    Py_RETURN_NONE;
}

PyObject *nearest(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments given("nearest()", {"wanted", "names"}, args, count, keywords, 2);
    const char *wanted = given ? PyUnicode_AsUTF8(given[0]) : nullptr;
    const Reference names(wanted ? PySequence_Fast(given[1], "nearest(): names must be a sequence")
                                 : nullptr);
    if (!names) return nullptr;
    Nearest meant(wanted);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(names.get()); ++i) {
        const char *name = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(names.get(), i));
        if (!name) return nullptr;
        meant.consider(name);
    }
    return PyUnicode_FromStringAndSize(meant.name().data(), static_cast<Py_ssize_t>(meant.name().size()));
}

PyObject *objects_loaded(PyObject *, PyObject *) { return paths_to_list(loaded_objects()); }

PyObject *folders_searched(PyObject *, PyObject *) { return paths_to_list(search_folders()); }

PyObject *library_file(PyObject *, PyObject *file) { return read_library_file(file); }

PyMethodDef functions[] = {
    {"portable", with_keywords(portable_form), METH_FASTCALL | METH_KEYWORDS,
     "portable(backend, raising)\n--\n\nThe module that serves the portable names of a backend."},
    {"is_error", is_error, METH_O,
     "is_error(object, /)\n--\n\nWhether an object is a status of one of the APIs."},
    {"forget_error", forget_error, METH_O,
     "forget_error(error, /)\n--\n\nClears the thread's last error where it is this one, which was raised."},
    {"keep_modules", keep_modules, METH_O,
     "keep_modules(modules, /)\n--\n\nSets the namespaces, by the modules' names, in which PyGPU looks up what it can't import "
     "while the interpreter ends."},
    {"nearest", with_keywords(nearest), METH_FASTCALL | METH_KEYWORDS,
     "nearest(wanted, names)\n--\n\nThe name of a list that is nearest to a wrong one; \"\" "
     "if none is near."},
    {"loaded_objects", objects_loaded, METH_NOARGS,
     "loaded_objects()\n--\n\nPaths of the shared objects in this process."},
    {"library_file", library_file, METH_O,
     "library_file(file, /)\n--\n\nBits, byte order, machine, SONAME and problem of a shared object's file, which has size "
     "and piece(offset, size)."},
    {"search_folders", folders_searched, METH_NOARGS,
     "search_folders()\n--\n\nThe folders in which the dynamic linker looks for a library's name, besides its "
     "cache."},
    {nullptr, nullptr, 0, nullptr}};

bool fill(PyObject *core) {
    core_module = core;
    if (!share(core)) return false;
    for (Vendor *vendor : core_vendors) {
        if (!add_api(core, *vendor, cuda_counterpart)) return false;
    }
    return add_common_functions(core) && arrays::add_arrays(core) && kernels::add_kernels(core) &&
           !PyModule_AddFunctions(core, functions) &&
           !PyModule_AddStringConstant(core, "__version__", PYGPU_VERSION);
}

} // namespace
} // namespace pygpu

PyMODINIT_FUNC PyInit__core() {
    return pygpu::make_extension("_core", "The compiled part of PyGPU.", pygpu::fill);
}
