// Names become objects when they are asked for.
#include "names/directory.hpp"

#include "errors/error_type.hpp"
#include "handles/handle_class.hpp"
#include "interpreter/reference.hpp"
#include "structs/struct_class.hpp"

#include <algorithm>
#include <string_view>

namespace pygpu {

const Name *Directory::find(const char *name) const {
    auto text = [](const Name &entry) { return std::string_view(entry.name); };
    auto found = std::ranges::lower_bound(names, std::string_view(name), {}, text);
    return found != names.end() && text(*found) == name ? &*found : nullptr;
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
    case Name::handle:
        return handles[name.index].wrap(reinterpret_cast<void *>(static_cast<std::uintptr_t>(name.value)));
    case Name::handle_type:
        return Py_NewRef(reinterpret_cast<PyObject *>(handles[name.index].type()));
    case Name::struct_type:
        return Py_XNewRef(reinterpret_cast<PyObject *>(structs[name.index].type()));
    }
    return nullptr;
}

PyObject *Directory::lookup(const char *name) const {
    auto *type = reinterpret_cast<PyObject *>(errors.type());
    if (std::string_view(errors.name()) == name) return Py_NewRef(type);
    for (const char *alias : error_aliases) {
        if (std::string_view(alias) == name) return Py_NewRef(type);
    }
    if (const Name *found = find(name)) return object_of(*found);
    return nullptr;
}

} // namespace pygpu
