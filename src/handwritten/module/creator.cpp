// Finding the function that creates a handle, and binding it to a mode whose messages name the class.
#include "module/creator.hpp"

#include "binding/function.hpp"
#include "binding/mode.hpp"
#include "module/portable.hpp"
#include "module/vendor.hpp"
#include "python/reference.hpp"

#include <map>
#include <utility>

namespace pygpu {
namespace {

PyObject *make_creator(const HandleClass &kind, bool portable) {
    Vendor *const known = vendor_named(kind.api().name);
    if (!known) return nullptr;
    Vendor &vendor = *known;
    const bool renamed = portable && !vendor.portables.empty();
    StatusType *errors = portable ? vendor.portable_errors() : &vendor.errors;
    const char *name = portable ? kind.portable_names()->name() : kind.name();
    const Function *function = function_named(vendor, kind.ownership().create);
    if (!function || !errors) return nullptr;
    const Reference module(
        make_mode_module(name, "",
                         {.api = &vendor.api,
                          .errors = errors,
                          .raising = true,
                          .host = portable && !renamed,
                          .constructor = name,
                          .cuda_records = renamed ? &vendor.portables.front()->records() : nullptr}));
    return module ? make_function(module.get(), "PyGPU", *function->record, function->call) : nullptr;
}

} // namespace

PyObject *create_handle(const HandleClass &kind, bool portable, PyObject *arguments) {
    static auto *creators = new std::map<std::pair<const HandleClass *, bool>, PyObject *>;
    PyObject *&creator = (*creators)[{&kind, portable}];
    if (!creator) creator = make_creator(kind, portable);
    return creator ? PyObject_CallObject(creator, arguments) : nullptr;
}

} // namespace pygpu
