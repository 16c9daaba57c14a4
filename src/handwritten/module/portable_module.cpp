// Choosing the module behind the portable names of the runtimes.
#include "module/portable_module.hpp"

#include "module/core_vendors.hpp"
#include "module/portable.hpp"
#include "python/reference.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu {

const HandleClass *cuda_counterpart(const HandleClass &kind) {
    const auto own =
        std::ranges::find(core_vendors, &kind.api(), [](const Vendor *one) { return &one->api; });
    const char *name =
        (*own)->portables.empty() ? kind.name() : (*own)->portables.front()->cuda_name_of(kind.name());
    for (const HandleClass &one : core_vendors.front()->directory.handles) {
        if (name && !std::strcmp(name, one.name())) return &one;
    }
    return nullptr;
}

PyObject *portable(PyObject *core, const char *backend, bool raising) {
    for (const Vendor *vendor : core_vendors) {
        if (!vendor->portables.empty() && !std::strcmp(backend, vendor->api.name))
            return Py_XNewRef(vendor->portables.front()->module(raising));
    }
    Vendor &cuda = *core_vendors.front();
    if (!std::strcmp(backend, "host")) return Py_XNewRef(on_host(cuda, raising));
    Reference module(PyObject_GetAttrString(core, cuda.api.name));
    return module && raising ? PyObject_GetAttrString(module.get(), "checked") : module.release();
}

} // namespace pygpu
