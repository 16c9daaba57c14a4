// Looking fields up, and which layout the loaded release has.
#include "types/structs/struct_class.hpp"

#include "base/nearest.hpp"
#include "python/imported.hpp"
#include "python/reference.hpp"
#include "runtime/releases_text.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace pygpu {

namespace {

// Whether the fields are numbers of one kind, one behind the other, up to the end.
bool is_row(const Layout &layout) {
    std::size_t end = 0;
    for (const Field &field : layout.fields) {
        if (field.role != Role::plain || field.count || field.bits || field.offset != end ||
            field.scalar != layout.fields[0].scalar)
            return false;
        end += field.size;
    }
    return end && end == layout.size;
}

} // namespace

PyTypeObject *StructClass::type() {
    if (!type_ && home_) type_ = reinterpret_cast<PyTypeObject *>(imported_class(home_, name_).release());
    if (!type_) type_ = make();
    return type_;
}

const Layout *StructClass::with_fields() const {
    auto *whole = new Layout[layouts_.size()];
    for (std::size_t at = 0; at < layouts_.size(); ++at) {
        const Layout &layout = whole[at] = layouts_[at];
        const auto count =
            std::ranges::count_if(table_.rows, [&](const FieldRow &row) { return row.in(layout.since); });
        auto *fields = new Field[static_cast<std::size_t>(count)];
        std::size_t taken = 0;
        const char *text = table_.texts;
        for (const FieldRow &row : table_.rows) {
            const char *name = text, *type = name + std::strlen(name) + 1;
            text = type + std::strlen(type) + 1;
            if (!row.in(layout.since)) continue;
            Field &field = fields[taken] = Field{row.facts, name, type};
            if (field.counted_by != uncounted)
                field.counted_by = static_cast<std::int16_t>(field.counted_by + static_cast<int>(taken));
            ++taken;
        }
        whole[at].fields = {fields, taken};
        if (is_row(whole[at])) whole[at].row = fields[0].scalar;
    }
    const Layout *other = nullptr;
    if (whole_.compare_exchange_strong(other, whole, std::memory_order_acq_rel)) return whole;
    for (std::size_t at = 0; at < layouts_.size(); ++at) delete[] whole[at].fields.data();
    delete[] whole; // another thread was first
    return other;
}

const Field *StructClass::field(std::size_t layout, std::string_view name) const {
    for (const Field &field : this->layout(layout).fields) {
        if (name == field.name) return &field;
    }
    return nullptr;
}

std::string StructClass::releases_with(const char *name) const {
    std::string text;
    std::size_t run = 0; // adjacent layouts that have the field
    for (std::size_t at = 0; at <= layouts_.size(); ++at) {
        if (at < layouts_.size() && field(at, name)) {
            ++run;
        } else if (run) {
            text += (text.empty() ? "" : ", ") +
                    releases_text(tables_.api, layouts_[at - run].since, layouts_[at - 1].until);
            run = 0;
        }
    }
    return text;
}

void StructClass::refuse_field(PyObject *exception, const std::string &where, std::size_t layout,
                               const char *name) const {
    const std::string having = releases_with(name);
    if (having.empty()) {
        Nearest meant(name);
        for (const Field &one : this->layout(layout).fields) meant.consider(one.name);
        PyErr_Format(exception, "%s%s has no field '%s'%s", where.c_str(), name_, name, meant.hint().c_str());
    } else {
        PyErr_Format(exception, "%s%s of release %s has no field '%s': it belongs to %s", where.c_str(),
                     name_,
                     releases_text(tables_.api, layouts_[layout].since, layouts_[layout].until).c_str(), name,
                     having.c_str());
    }
}

bool StructClass::is_short() const {
    return std::ranges::all_of(this->layout(current_).fields,
                               [](const Field &field) { return field.default_value; });
}

std::size_t StructClass::layout_of(int release) const {
    std::size_t chosen = 0;
    for (std::size_t index = 1; index < layouts_.size(); ++index) {
        if (layouts_[index].since <= release) chosen = index;
    }
    return chosen;
}

void StructClass::choose(int release) {
    current_ = layout_of(release);
    if (type_ && !home_) tell_size();
}

Field current_field(std::span<StructClass> structs, Field field) {
    if (field.role == Role::nested) {
        const StructClass &kind = structs[field.index];
        field.layout = static_cast<std::uint8_t>(kind.current());
        field.size = static_cast<std::uint32_t>(kind.size());
    }
    return field;
}

} // namespace pygpu
