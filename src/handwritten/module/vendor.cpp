// Finding APIs and functions by name, and listing names.
#include "module/vendor.hpp"

#include "python/reference.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace pygpu {
namespace {

std::vector<Vendor *> &all() {
    static auto *list = new std::vector<Vendor *>;
    return *list;
}

void append(Reference &names, const char *name) {
    const Reference text(names ? PyUnicode_FromString(name) : nullptr);
    if (!text || PyList_Append(names.get(), text.get())) names = {};
}

} // namespace

std::span<Vendor *const> vendors() { return all(); }

void add_vendor(Vendor &vendor) {
    if (std::ranges::find(all(), &vendor) == all().end()) all().push_back(&vendor);
}

Vendor *vendor_named(const char *name) {
    for (Vendor *vendor : vendors()) {
        if (!std::strcmp(name, vendor->api.name)) return vendor;
    }
    std::string known;
    for (const Vendor *vendor : vendors()) known += std::string(known.empty() ? "" : ", ") + vendor->api.name;
    PyErr_Format(PyExc_ValueError, "no API is called '%s'; there are %s", name, known.c_str());
    return nullptr;
}

const Function *function_named(const Vendor &vendor, std::string_view name) {
    for (std::span<const Function> group : vendor.functions) {
        for (const Function &function : group) {
            if (function.record->name == name) return &function;
        }
    }
    return nullptr;
}

PyObject *function_names(const Vendor &vendor) {
    Reference names(PyList_New(0));
    for (std::span<const Function> group : vendor.functions) {
        for (const Function &function : group) append(names, function.record->name);
    }
    return names.release();
}

PyObject *names_of(const Vendor &vendor) {
    Reference names(function_names(vendor));
    for (const Name &name : vendor.directory.names) {
        const Name *known = vendor.directory.find(name.name);
        const bool first = &vendor.directory.forms(name.name).front() == &name;
        if (first && vendor.directory.has(*known)) append(names, name.name);
    }
    append(names, vendor.errors.name());
    for (const char *alias : vendor.directory.error_aliases) append(names, alias);
    return names.release();
}

} // namespace pygpu
