// Looking fields up, and which layout the loaded release has.
#include "structs/struct_class.hpp"

#include "interpreter/reference.hpp"
#include "names/releases_text.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace pygpu {
namespace {

// "12.4" -> 1204.
int number_of(std::string_view release) {
    int major = 0, minor = 0;
    const char *end = release.data() + release.size();
    const char *dot = std::from_chars(release.data(), end, major).ptr;
    if (dot != end) std::from_chars(dot + 1, end, minor);
    return major * 100 + minor;
}

} // namespace

PyTypeObject *StructClass::type() {
    if (!type_) type_ = make();
    return type_;
}

const Field *StructClass::field(std::size_t layout, std::string_view name) const {
    for (const Field &field : layouts_[layout].fields) {
        if (name == field.name) return &field;
    }
    return nullptr;
}

void StructClass::refuse_field(PyObject *exception, const std::string &where, std::size_t layout,
                               const char *name) const {
    std::string having;
    for (const Layout &other : layouts_) {
        const auto same = [&](const Field &field) { return std::string_view(field.name) == name; };
        if (std::ranges::any_of(other.fields, same))
            having += (having.empty() ? "" : ", ") + releases_text(tables_.api, other.since, other.until);
    }
    if (having.empty()) {
        PyErr_Format(exception, "%s%s has no field '%s'", where.c_str(), name_, name);
    } else {
        PyErr_Format(exception, "%s%s of release %s has no field '%s': it belongs to %s", where.c_str(),
                     name_,
                     releases_text(tables_.api, layouts_[layout].since, layouts_[layout].until).c_str(), name,
                     having.c_str());
    }
}

bool StructClass::is_short() const {
    return std::ranges::all_of(layouts_[current_].fields,
                               [](const Field &field) { return field.default_value; });
}

std::size_t StructClass::layout_of(std::string_view release) const {
    std::size_t found = release.empty() ? layouts_.size() - 1 : 0;
    for (std::size_t index = found + 1; index < layouts_.size(); ++index) {
        if (layouts_[index].since <= number_of(release)) found = index;
    }
    return found;
}

void StructClass::choose(std::string_view release) {
    current_ = layout_of(release);
    if (type_) tell_size();
}

} // namespace pygpu
