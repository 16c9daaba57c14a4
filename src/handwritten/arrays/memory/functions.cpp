// memory_info() and the settings of PyGPU's pool.
#include "arrays/memory/functions.hpp"

#include "arrays/memory/allocator.hpp"
#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/device_memory.hpp"
#include "arrays/memory/host_memory.hpp"
#include "arrays/memory/known_memory.hpp"
#include "arrays/memory/pinned.hpp"
#include "arrays/memory/pools.hpp"
#include "arrays/memory/result_memory.hpp"
#include "arrays/memory/trim.hpp"
#include "arrays/streams/after_wait.hpp"
#include "binding/argument_errors.hpp"
#include "convert/memory.hpp"
#include "convert/sizes.hpp"
#include "python/gil.hpp"
#include "python/keywords.hpp"
#include "python/later.hpp"
#include "python/reference.hpp"

namespace pygpu::arrays {
namespace {

PyTypeObject *info_type = nullptr;

PyStructSequence_Field info_fields[] = {{"free", "bytes that the driver has free"},
                                        {"total", "bytes of the device"},
                                        {"used", "bytes in arrays of PyGPU's pool"},
                                        {"pooled", "bytes that PyGPU's pool keeps for later ones"},
                                        {"deferred", "bytes that are freed once PyGPU waits for the device"},
                                        {nullptr, nullptr}};

PyStructSequence_Desc info_description = {"PyGPU.MemoryInfo", "Memory of one device, in bytes.", info_fields,
                                          5};

// Does `body(runtime, scope)` on a device with the GIL released; false with GPUError set.
template <class Body> bool on_device(PyObject *object, const char *call, Body body) {
    int device = 0;
    Runtime *runtime = arrays::runtime();
    if (!runtime || !load_device(object, call, device)) return false;
    if (has_postponed()) do_postponed();
    int status = success;
    {
        GilReleased released(true);
        Scope scope(*runtime, device);
        status = scope.status();
        if (!status) status = body(*runtime, scope);
    }
    if (status) raise_status(*runtime, status, "%s", call);
    return !status;
}

PyObject *memory_info(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments arguments("memory_info()", {"device"}, args, count, keywords, 0);
    if (!arguments) return nullptr;
    std::size_t free = 0, total = 0, deferred = 0;
    std::uint64_t used = 0, reserved = 0;
    const bool done = on_device(arguments[0], "memory_info()", [&](const Runtime &runtime, Scope &scope) {
        deferred = deferred_bytes(scope.device());
        const int status = scope(runtime.memory_info(&free, &total));
        return status ? status : pool_usage(runtime, scope, used, reserved);
    });
    if (!done) return nullptr;
    const std::size_t values[] = {free, total, static_cast<std::size_t>(used),
                                  static_cast<std::size_t>(reserved - used), deferred};
    Reference info(PyStructSequence_New(info_type));
    for (Py_ssize_t at = 0; info && at < 5; ++at) {
        PyObject *value = PyLong_FromSize_t(values[at]);
        if (!value) return nullptr;
        PyStructSequence_SetItem(info.get(), at, value);
    }
    return info.release();
}

PyObject *trim_memory(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments arguments("trim_memory()", {"keep", "device"}, args, count, keywords, 0);
    Py_ssize_t keep = 0;
    if (!arguments || !load_size(arguments[0], "trim_memory()", "keep", keep)) return nullptr;
    const bool done = on_device(arguments[1], "trim_memory()", [&](const Runtime &runtime, Scope &scope) {
        return trim(runtime, scope, static_cast<std::size_t>(keep));
    });
    if (!done) return nullptr;
    has_waited();
    Py_RETURN_NONE;
}

PyObject *set_threshold(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments arguments("set_pool_threshold()", {"size", "device"}, args, count, keywords);
    Py_ssize_t size = 0;
    if (!arguments || !load_size(arguments[0], "set_pool_threshold()", "size", size)) return nullptr;
    const bool done =
        on_device(arguments[1], "set_pool_threshold()", [&](const Runtime &runtime, Scope &scope) {
            return set_pool_threshold(runtime, scope, static_cast<std::uint64_t>(size));
        });
    if (!done) return nullptr;
    Py_RETURN_NONE;
}

PyObject *set_pinned(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments arguments("set_pinned_limit()", {"size"}, args, count, keywords);
    Py_ssize_t size = 0;
    if (!arguments || !load_size(arguments[0], "set_pinned_limit()", "size", size)) return nullptr;
    const bool done = on_device(nullptr, "set_pinned_limit()", [&](const Runtime &runtime, Scope &scope) {
        return set_pinned_limit(runtime, scope, static_cast<std::size_t>(size));
    });
    if (!done) return nullptr;
    Py_RETURN_NONE;
}

PyObject *set_allocator(PyObject *, PyObject *allocator) {
    if (!set_default_allocator(allocator)) return nullptr;
    Py_RETURN_NONE;
}

PyObject *get_allocator(PyObject *, PyObject *) {
    PyObject *allocator = default_allocator();
    return Py_NewRef(allocator ? allocator : Py_None);
}

PyMethodDef memory_functions[] = {
    {"memory_info", with_keywords(memory_info), METH_FASTCALL | METH_KEYWORDS,
     "memory_info(device=None)\n--\n\nMemory of a device in bytes, as (free, total, used, pooled, deferred): free and total "
     "of the driver; used by arrays and unused in PyGPU's pool; waiting to be freed. Raises "
     "GPUError."},
    {"trim_memory", with_keywords(trim_memory), METH_FASTCALL | METH_KEYWORDS,
     "trim_memory(keep=0, device=None)\n--\n\nWaits for the device, then frees memory: what had to wait for the device, unused "
     "page-locked memory, memory kept of freed results, and unused memory of the pool beyond `keep` bytes. Raises GPUError."},
    {"set_pool_threshold", with_keywords(set_threshold), METH_FASTCALL | METH_KEYWORDS,
     "set_pool_threshold(size, device=None)\n--\n\nSets how many bytes PyGPU's pool keeps when a stream is synchronised. The default is an "
     "eighth of the device's memory. Raises GPUError."},
    {"set_pinned_limit", with_keywords(set_pinned), METH_FASTCALL | METH_KEYWORDS,
     "set_pinned_limit(size)\n--\n\nSets how many bytes of page-locked memory PyGPU holds for copies, and keeps of released "
     "arrays. The default is 64 MiB. trim_memory() frees what is unused. Raises GPUError."},
    {"set_allocator", set_allocator, METH_O,
     "set_allocator(allocator)\n--\n\nTakes the memory of arrays from now on from a callable, a CuPy pool or an RMM resource. "
     "The callable gets a size and returns an object with int() or ptr. None is PyGPU's own "
     "pool. Raises TypeError."},
    {"get_allocator", get_allocator, METH_NOARGS,
     "get_allocator()\n--\n\nThe allocator of set_allocator(); None for PyGPU's own pool."},
    {nullptr, nullptr, 0, nullptr}};

bool add_type(PyObject *module, const char *name, PyTypeObject *type) {
    return type && !PyModule_AddObjectRef(module, name, reinterpret_cast<PyObject *>(type));
}

} // namespace

bool add_memory(PyObject *module) {
    info_type = PyStructSequence_NewType(&info_description);
    add_known_memory(device_memory_buffer);
    add_known_memory(host_memory_buffer);
    return add_type(module, "MemoryInfo", info_type) && !PyModule_AddFunctions(module, memory_functions) &&
           add_type(module, "DeviceMemory", device_memory_type()) &&
           add_type(module, "HostMemory", host_memory_type()) &&
           add_type(module, "register", registration_type()) &&
           add_type(module, "ResultMemory", result_memory_type());
}

} // namespace pygpu::arrays
