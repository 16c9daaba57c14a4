// Choosing the backend for arrays, and raising its errors.
#include "arrays/base/runtime.hpp"

#include "binding/status_type.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"
#include "runtime/library.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstring>

namespace pygpu::arrays {

Runtime *chosen_runtime(bool &on_host) {
    const Reference name(call_in_package(package::current_backend, "()"));
    const char *chosen = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
    if (!chosen) return nullptr;
    on_host = !std::strcmp(chosen, "host");
    const auto named =
        std::ranges::find_if(runtimes, [&](const Runtime *one) { return !std::strcmp(one->name, chosen); });
    return named == runtimes.end() ? runtimes.front() : *named;
}

Runtime *load_runtime() {
    bool host = false;
    Runtime *const chosen = chosen_runtime(host);
    if (!chosen) return nullptr;
    Runtime &table = *chosen;
    if (!table.api.ready() && !ensure_loaded(table.api, "GPUArray", host)) return nullptr;
    table.errors = table.portable_errors();
    if (!table.errors) return nullptr;
    table.on_host = host;
    if (table.api.ready() && !loaded_runtime) {
        watch(table);
        loaded_runtime = &table;
    }
    return &table;
}

PyObject *status_object(const Runtime &runtime, int status) { return runtime.errors->get(status); }

PyObject *raise_status(const Runtime &runtime, int status, const char *call, ...) {
    std::va_list arguments;
    va_start(arguments, call);
    Reference text(PyUnicode_FromFormatV(call, arguments));
    va_end(arguments);
    if (is_freed(status))
        return text ? PyErr_Format(PyExc_ValueError, "%U: %s", text.get(),
                                   status == module_was_unloaded
                                       ? "the memory is of a module that was unloaded"
                                       : "the memory was freed by free(); make a new array")
                    : nullptr;
    Reference error(text ? status_object(runtime, status) : nullptr);
    if (!error) return nullptr;
    return raise_object(call_in_package(package::gpu_error, "(O()O)", error.get(), text.get()));
}

} // namespace pygpu::arrays
