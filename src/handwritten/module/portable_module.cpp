// Choosing the module behind the portable names of the runtimes.
#include "module/portable_module.hpp"

#include "module/adapt/update_result.hpp"
#include "module/portable.hpp"
#include "python/reference.hpp"

#include <cstring>

namespace pygpu {

const HandleClass *cuda_counterpart(const HandleClass &kind) {
    const bool own = &kind.api() == &cuda::vendor().api;
    const char *name = own ? kind.name() : hip::vendor().portables.front()->cuda_name_of(kind.name());
    for (const HandleClass &one : cuda::vendor().directory.handles) {
        if (name && !std::strcmp(name, one.name())) return &one;
    }
    return nullptr;
}

PyObject *portable(PyObject *core, const char *backend, bool raising) {
    if (!std::strcmp(backend, "hip")) {
        PortableApi &on_hip = *hip::vendor().portables.front();
        on_hip.own_struct = hip::portable::own_struct;
        return Py_XNewRef(on_hip.module(raising));
    }
    if (!std::strcmp(backend, "host")) return Py_XNewRef(on_host(cuda::vendor(), raising));
    Reference cuda(PyObject_GetAttrString(core, "cuda"));
    return cuda && raising ? PyObject_GetAttrString(cuda.get(), "checked") : cuda.release();
}

} // namespace pygpu
