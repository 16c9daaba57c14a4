// Looking names up in the generated table, and the functions that stand for CUDA's on HIP.
#include "module/portable.hpp"

#include "binding/mode.hpp"
#include "module/vendor.hpp"
#include "python/reference.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pygpu {
namespace {

using FunctionsByName = std::unordered_map<std::string_view, const Function *>;

FunctionsByName functions_by_name(const Vendor &vendor) {
    FunctionsByName functions;
    for (std::span<const Function> group : vendor.functions) {
        for (const Function &function : group) functions.emplace(function.record->name, &function);
    }
    return functions;
}

std::unordered_map<const FunctionRecord *, const FunctionRecord *> &cuda_records() {
    static std::unordered_map<const FunctionRecord *, const FunctionRecord *> records;
    return records;
}

} // namespace

const FunctionRecord *cuda_record_of(const FunctionRecord &hip) {
    auto found = cuda_records().find(&hip);
    return found == cuda_records().end() ? nullptr : found->second;
}

std::span<const PortableName> portable_spans(const char *cuda) {
    auto name = [](const PortableName &entry) { return std::string_view(entry.cuda); };
    return {std::ranges::lower_bound(portable_names, std::string_view(cuda), {}, name),
            std::ranges::upper_bound(portable_names, std::string_view(cuda), {}, name)};
}

const PortableName *portable_name(const char *cuda) {
    const std::span<const PortableName> spans = portable_spans(cuda);
    if (spans.empty()) return nullptr;
    const Api &api = hip::vendor().api;
    for (const PortableName &one : spans) {
        if (api.ready() && api.may_be(one.since, one.until)) return &one;
    }
    return &spans.back();
}

const char *cuda_name_of(const char *hip) {
    for (const PortableName &entry : portable_names) {
        if (std::string_view(entry.hip) == hip) return entry.cuda;
    }
    return nullptr;
}

std::span<const StatusCode> portable_error_codes() {
    static const std::vector<StatusCode> codes = [] {
        std::vector<StatusCode> renamed(hip::vendor().errors.codes().begin(),
                                        hip::vendor().errors.codes().end());
        for (const PortableName &entry : portable_names) {
            const Name *name = hip::vendor().directory.find(entry.hip);
            if (!name || name->kind != Name::error) continue;
            auto code = std::ranges::find(renamed, name->value, &StatusCode::code);
            if (code != renamed.end()) code->name = entry.cuda;
        }
        return renamed;
    }();
    return codes;
}

StatusType *portable_errors() {
    static auto *errors = new StatusType(hip::vendor().api, "PyGPU", "cudaError", portable_error_codes());
    return errors->type() || errors->create() ? errors : nullptr;
}

PyObject *make_portable_on_hip(const char *name, const char *qualified, bool raising) {
    StatusType *errors = portable_errors();
    if (!errors) return nullptr;
    const char *doc = "CUDA's names, served by HIP.";
    // A module for the functions of each release from which on HIP serves them.
    std::map<int, Reference> modules;
    auto served_since = [&](int release) -> PyObject * {
        Reference &module = modules[release];
        if (!module) {
            module = Reference(make_mode_module(name, doc,
                                                {.api = &hip::vendor().api,
                                                 .errors = errors,
                                                 .raising = raising,
                                                 .since = release,
                                                 .cuda_record = cuda_record_of}));
        }
        return module.get();
    };
    Reference module(Py_XNewRef(served_since(0)));
    if (!module || !served_since(BindingMode::never)) return nullptr;
    const FunctionsByName of_hip = functions_by_name(hip::vendor());
    const FunctionsByName of_cuda = functions_by_name(cuda::vendor());
    for (const auto &[cuda_name, wanted] : of_cuda) {
        const PortableName *name_on_hip = portable_name(wanted->record->name);
        const Function *serving = name_on_hip ? name_on_hip->adapted : nullptr;
        if (name_on_hip && !serving) {
            const auto found = of_hip.find(name_on_hip->hip);
            serving = found == of_hip.end() ? nullptr : found->second;
        }
        if (serving) cuda_records()[serving->record] = wanted->record;
        PyObject *self = served_since(serving ? name_on_hip->since : BindingMode::never);
        if (!self) return nullptr;
        Reference function(
            make_function(self, qualified, *wanted->record, serving ? serving->call : wanted->call));
        if (!function || PyObject_SetAttrString(module.get(), wanted->record->name, function.get()))
            return nullptr;
    }
    for (const PortableName &entry : portable_names) { // what another function of CUDA's does as well
        if (!of_cuda.contains(entry.cuda) || !of_cuda.contains(entry.hip)) continue;
        Reference function(PyObject_GetAttrString(module.get(), entry.hip));
        if (!function || PyObject_SetAttrString(module.get(), entry.cuda, function.get())) return nullptr;
    }
    return module.release();
}

} // namespace pygpu
