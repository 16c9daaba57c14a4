// Calling functions of PyGPU that are written in Python.
#include "python/package.hpp"

#include "python/reference.hpp"

#include <cstdarg>

namespace pygpu {

PyObject *call_in_package(const char *module, const char *function, const char *format, ...) {
    std::va_list values;
    va_start(values, format);
    const Reference arguments(Py_VaBuildValue(format, values));
    va_end(values);
    const Reference imported(arguments ? PyImport_ImportModule(module) : nullptr);
    const Reference called(imported ? PyObject_GetAttrString(imported.get(), function) : nullptr);
    return called ? PyObject_CallObject(called.get(), arguments.get()) : nullptr;
}

PyObject *raise_object(PyObject *exception) {
    const Reference made(exception);
    if (made) PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(made.get())), made.get());
    return nullptr;
}

} // namespace pygpu
