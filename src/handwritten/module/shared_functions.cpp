// Sharing by a capsule.
#include "module/shared_functions.hpp"

#include "python/package.hpp"
#include "python/reference.hpp"

namespace pygpu {
namespace {

// The number changes when the layout of a function or its record changes.
constexpr const char *shared_name = "PyGPU functions 2";

} // namespace

bool share_functions(PyObject *module, const Vendor &vendor) {
    auto *shared = new SharedFunctions{vendor.functions}; // never freed, as the functions are
    const Reference capsule(PyCapsule_New(shared, shared_name, nullptr));
    return capsule && !PyObject_SetAttrString(module, "_functions", capsule.get());
}

const SharedFunctions *functions_of(const char *api) {
    const Reference capsule = from_module(package::module_of(api).c_str(), "_functions");
    return capsule ? static_cast<SharedFunctions *>(PyCapsule_GetPointer(capsule.get(), shared_name))
                   : nullptr;
}

} // namespace pygpu
