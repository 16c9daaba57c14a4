// Calling functions of PyGPU that are written in Python.
#include "python/package.hpp"

#include "python/exit.hpp"

#include <cstdarg>

namespace pygpu {

Reference from_module(const char *module, const char *name) {
    const Reference imported(PyImport_ImportModule(module));
    if (imported) return Reference(PyObject_GetAttrString(imported.get(), name));
    PyObject *names = program_exit->modules ? PyDict_GetItemString(program_exit->modules, module) : nullptr;
    PyObject *object = names ? PyDict_GetItemString(names, name) : nullptr;
    if (!object || !PyErr_ExceptionMatches(PyExc_ImportError)) return {};
    PyErr_Clear();
    return Reference::borrow(object);
}

Reference from_module(const PackageName &asked) { return from_module(asked.module, asked.name); }

PyObject *call_in_package(const PackageName &asked, const char *format, ...) {
    std::va_list values;
    va_start(values, format);
    const Reference arguments(Py_VaBuildValue(format, values));
    va_end(values);
    const Reference called = arguments ? from_module(asked) : Reference();
    return called ? PyObject_CallObject(called.get(), arguments.get()) : nullptr;
}

PyObject *raise_object(PyObject *exception) {
    const Reference instance(exception);
    if (instance) PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(instance.get())), instance.get());
    return nullptr;
}

} // namespace pygpu
