// Looking up names in the generated tables, and making the modules of CUDA's names on HIP.
#include "module/portable.hpp"

#include "binding/status_class.hpp"
#include "module/attributes.hpp"
#include "module/shared_functions.hpp"
#include "module/vendor.hpp"
#include "python/reference.hpp"
#include "python/spelled.hpp"
#include "runtime/library.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pygpu {
namespace {

using FunctionsByName = std::unordered_map<std::string_view, const Function *>;

FunctionsByName functions_by_name(std::span<const std::span<const Function>> groups) {
    FunctionsByName functions;
    for (std::span<const Function> group : groups) {
        for (const Function &function : group) functions.emplace(function.record->name, &function);
    }
    return functions;
}

PyObject *portable_attribute(PyObject *module, PyObject *name) {
    PortableApi *const portable = PortableApi::of(mode_of(module));
    return portable ? portable->value(module, name) : raise_missing(module, name);
}

PyMethodDef portable_lazy = {"__getattr__", portable_attribute, METH_O, nullptr};
PyMethodDef portable_refusing = {"__getattr__", raise_missing, METH_O, nullptr};

} // namespace

StatusType *Vendor::portable_errors() const {
    return portables.empty() ? &errors : portables.front()->errors();
}

PortableApi *PortableApi::of(const BindingMode &mode) {
    for (const Vendor *vendor : vendors()) {
        for (PortableApi *portable : vendor->portables) {
            if (&portable->records_ == mode.cuda_records) return portable;
        }
    }
    return nullptr;
}

// The names on HIP that CUDA's name stands for, one for each range of releases.
std::span<const PortableName> PortableApi::spans(const char *cuda) const {
    auto name = [](const PortableName &entry) { return std::string_view(entry.cuda); };
    return {std::ranges::lower_bound(names_, std::string_view(cuda), {}, name),
            std::ranges::upper_bound(names_, std::string_view(cuda), {}, name)};
}

// The name on HIP in the loaded release. While no library is loaded, and if that release has none, the name
// in the newest release. Null if there is none at all.
const PortableName *PortableApi::find(const char *cuda) const {
    const std::span<const PortableName> forms = spans(cuda);
    if (forms.empty()) return nullptr;
    const Api &api = hip_().api;
    for (const PortableName &one : forms) {
        if (api.ready() && api.may_be(one.since, one.until)) return &one;
    }
    return &forms.back();
}

const char *PortableApi::cuda_name_of(const char *hip) const {
    for (const PortableName &entry : names_) {
        if (std::string_view(entry.hip) == hip) return entry.cuda;
    }
    return nullptr;
}

// HIP's status codes, with CUDA's names if CUDA has a name for them.
std::span<const StatusCode> PortableApi::codes() {
    if (!codes_.empty()) return codes_;
    const Vendor &hip = hip_();
    codes_.assign(hip.errors.codes().begin(), hip.errors.codes().end());
    for (const PortableName &entry : names_) {
        const Name *name = hip.directory.find(entry.hip);
        if (!name || name->kind != Name::error) continue;
        auto code = std::ranges::find(codes_, name->value, &StatusCode::code);
        if (code != codes_.end()) code->name = entry.cuda;
    }
    return codes_;
}

StatusType *PortableApi::errors() {
    if (!errors_) errors_ = new StatusType(hip_().api, "PyGPU", error_classes_.front(), codes());
    return errors_->type() || create_class(*errors_) ? errors_ : nullptr;
}

PyObject *PortableApi::module(bool raising) {
    PyObject *&known = modules_[raising];
    if (known) return known;
    Reference created(make_module(raising));
    const Reference missing(
        created ? PyCFunction_New(raising ? &portable_refusing : &portable_lazy, created.get()) : nullptr);
    if (!missing || PyObject_SetAttrString(created.get(), "__getattr__", missing.get())) return nullptr;
    if (!known) known = created.release(); // otherwise another thread was quicker
    return known;
}

PyObject *PortableApi::make_module(bool raising) {
    const Vendor &hip = hip_();
    const char *name = raising ? "PyGPU.checked" : "PyGPU";
    StatusType *statuses = errors();
    const SharedFunctions *shared = statuses ? functions_of(api_) : nullptr;
    if (!shared) return nullptr;
    // For each release of HIP, a module for the functions that HIP has since then.
    std::map<int, Reference> modules;
    auto make_mode = [&](int release, const RecordsByServing &records) {
        return Reference(make_mode_module(name, "CUDA's names, served by another vendor's runtime.",
                                          {.api = &hip.api,
                                           .errors = statuses,
                                           .raising = raising,
                                           .since = release,
                                           .cuda_records = &records}));
    };
    auto served_since = [&](int release) -> PyObject * {
        Reference &module = modules[release];
        if (!module) module = make_mode(release, records_);
        return module.get();
    };
    Reference module(Py_XNewRef(served_since(0)));
    if (!module || !served_since(BindingMode::never)) return nullptr;
    const FunctionsByName of_hip = functions_by_name(hip.functions);
    const FunctionsByName of_cuda = functions_by_name(shared->groups);
    for (const auto &[cuda_name, wanted] : of_cuda) {
        const PortableName *name_on_hip = find(wanted->record->name);
        const Function *serving = name_on_hip ? name_on_hip->adapted : nullptr;
        if (name_on_hip && !serving) {
            const auto match = of_hip.find(name_on_hip->hip.view());
            serving = match == of_hip.end() ? nullptr : match->second;
        }
        PyObject *self = served_since(serving ? name_on_hip->since : BindingMode::never);
        Reference own; // if the same function of HIP stands for a second name of CUDA
        if (serving && records_.emplace(serving->record, wanted->record).first->second != wanted->record) {
            own = make_mode(name_on_hip->since, *new RecordsByServing{{serving->record, wanted->record}});
            self = own.get();
        }
        if (!self) return nullptr;
        Reference function(
            make_function(self, name, *wanted->record, serving ? serving->call : wanted->call));
        if (!function || PyObject_SetAttrString(module.get(), wanted->record->name, function.get()))
            return nullptr;
    }
    for (const PortableName &entry : names_) { // names for which another function of CUDA does the same
        if (!of_cuda.contains(entry.cuda.view()) || !of_cuda.contains(entry.hip.view())) continue;
        Reference function(PyObject_GetAttrString(module.get(), entry.hip));
        if (!function || PyObject_SetAttrString(module.get(), entry.cuda, function.get())) return nullptr;
    }
    return module.release();
}

// Null without an exception if HIP has nothing for the name.
PyObject *PortableApi::find_value(const BindingMode &mode, const char *cuda) {
    for (const char *one : error_classes_) {
        if (!std::strcmp(cuda, one)) return Py_NewRef(reinterpret_cast<PyObject *>(mode.errors->type()));
    }
    if (PyTypeObject *kind = own_struct_ ? own_struct_(cuda) : nullptr)
        return Py_NewRef(reinterpret_cast<PyObject *>(kind));
    const Directory &hip = hip_().directory;
    Api &api = hip_().api;
    if (spans(cuda).size() > 1 && !api.ready()) { // the library's release decides which one
        if (!ensure_loaded(api, cuda, mode.host)) return nullptr;
    }
    const PortableName *named = find(cuda);
    if (!named) return nullptr;
    const Name *name = hip.find(named->hip);
    if (!name) return cuda_attribute(api_, named->hip); // CUDA's own value
    if (name->kind == Name::error) return mode.errors->get(static_cast<int>(name->value));
    return hip.lookup(named->hip, mode.host);
}

PyObject *PortableApi::value(PyObject *module, PyObject *name) {
    const char *text = spelled(name);
    if (!text) return raise_missing(module, name);
    PyObject *value = find_value(mode_of(module), text);
    if (!value && PyErr_Occurred()) return nullptr;
    if (value) value = portable_type(value);
    if (value && PyObject_SetAttr(module, name, value)) Py_CLEAR(value);
    if (value || PyErr_Occurred()) return value;
    const Reference of_cuda(*text == '_' ? nullptr : cuda_attribute(api_, text));
    if (of_cuda)
        return PyErr_Format(PyExc_AttributeError, "no attribute '%s': %s has no counterpart of it", text,
                            hip_().api.label);
    return PyErr_Occurred() ? nullptr : raise_missing(module, name);
}

} // namespace pygpu
