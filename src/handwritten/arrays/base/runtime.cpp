// Choosing the backend for arrays, and raising its errors.
#include "arrays/base/runtime.hpp"

#include "binding/error_type.hpp"
#include "binding/mode.hpp"
#include "python/reference.hpp"
#include "runtime/api.hpp"

#include <cstdarg>
#include <cstring>

namespace pygpu::arrays {

Runtime *load_runtime() {
    Reference backend(PyImport_ImportModule("PyGPU._backend"));
    Reference core(backend ? PyImport_ImportModule("PyGPU._core") : nullptr);
    Reference name(core ? PyObject_CallMethod(backend.get(), "current", nullptr) : nullptr);
    const char *chosen = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
    if (!chosen) return nullptr;
    Runtime &table = std::strcmp(chosen, "hip") ? cuda::runtime() : hip::runtime();
    const bool host = !std::strcmp(chosen, "host");
    if (!table.api.ready() && !ensure_loaded(table.api, "GPUArray", host)) return nullptr;
    // Statuses are those of the portable names.
    Reference portable(PyObject_CallMethod(core.get(), "portable", "OO", name.get(), Py_False));
    if (!portable) return nullptr;
    table.errors = mode_of(portable.get()).errors;
    if (table.api.ready()) loaded_runtime = &table;
    return &table;
}

PyObject *status_object(const Runtime &runtime, int status) { return runtime.errors->get(status); }

PyObject *raise_status(const Runtime &runtime, int status, const char *call, ...) {
    std::va_list arguments;
    va_start(arguments, call);
    Reference text(PyUnicode_FromFormatV(call, arguments));
    va_end(arguments);
    if (status == memory_was_freed)
        return text ? PyErr_Format(PyExc_ValueError, "%U: the memory was freed by free()", text.get())
                    : nullptr;
    Reference error(text ? status_object(runtime, status) : nullptr);
    Reference module(error ? PyImport_ImportModule("PyGPU._errors") : nullptr);
    Reference made(module ? PyObject_CallMethod(module.get(), "gpu_error", "O()O", error.get(), text.get())
                          : nullptr);
    if (made) PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(made.get())), made.get());
    return nullptr;
}

} // namespace pygpu::arrays
