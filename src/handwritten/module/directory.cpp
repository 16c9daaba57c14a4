// Making the objects behind names on first use.
#include "module/directory.hpp"

#include "binding/status_type.hpp"
#include "python/reference.hpp"
#include "runtime/library.hpp"
#include "runtime/releases_text.hpp"
#include "types/handles/handle_class.hpp"
#include "types/structs/struct_class.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace pygpu {

std::span<const Name> Directory::forms(const char *name) const {
    auto text = [](const Name &entry) { return std::string_view(entry.name); };
    // Not equal_range, whose result clang 14 can't take from this library.
    return {std::ranges::lower_bound(names, std::string_view(name), {}, text),
            std::ranges::upper_bound(names, std::string_view(name), {}, text)};
}

bool Directory::has(const Name &name) const { return errors.api().may_be(name.since, name.until); }

const Name *Directory::find(const char *name) const {
    const std::span<const Name> known = forms(name);
    if (known.empty()) return nullptr;
    for (const Name &form : known) {
        if (errors.api().ready() && has(form)) return &form;
    }
    return &known.back();
}

PyObject *Directory::object_of(const Name &name) const {
    switch (name.kind) {
    case Name::error:
        return errors.get(static_cast<int>(name.value));
    case Name::enumerator:
        return enums[name.index].member(name.value);
    case Name::enum_type:
        return Py_XNewRef(enums[name.index].type());
    case Name::constant:
        return PyLong_FromLongLong(name.value);
    case Name::large:
        return PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(name.value));
    case Name::handle:
        return handles[name.index].wrap(reinterpret_cast<void *>(static_cast<std::uintptr_t>(name.value)));
    case Name::handle_type:
        return Py_NewRef(reinterpret_cast<PyObject *>(handles[name.index].type()));
    case Name::struct_type:
        return Py_XNewRef(reinterpret_cast<PyObject *>(structs[name.index].type()));
    }
    return nullptr;
}

PyObject *Directory::lookup(const char *name, bool host) const {
    auto *type = reinterpret_cast<PyObject *>(errors.type());
    if (std::string_view(errors.name()) == name) return Py_NewRef(type);
    for (const char *alias : error_aliases) {
        if (std::string_view(alias) == name) return Py_NewRef(type);
    }
    const Name *entry = find(name);
    if (!entry) return nullptr;
    auto revalued = [&](const Name &form) { return form.value != entry->value; };
    if (!errors.api().ready() &&
        std::ranges::any_of(forms(name), revalued)) { // the value depends on the library's release
        if (!ensure_loaded(errors.api(), name, host)) return nullptr;
        entry = find(name);
    }
    if (!has(*entry)) {
        std::string releases;
        for (const Name &form : forms(name)) {
            releases += (releases.empty() ? "" : ", ") + releases_text(errors.api(), form.since, form.until);
        }
        return PyErr_Format(PyExc_AttributeError,
                            "'%s' is no name of %s %s, the release that is loaded: %s have it", name,
                            errors.api().name, errors.api().release.c_str(), releases.c_str());
    }
    return object_of(*entry);
}

} // namespace pygpu
