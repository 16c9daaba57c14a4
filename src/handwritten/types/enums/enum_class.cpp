// Making an IntEnum class from a table; `enum` is imported here and not before.
#include "types/enums/enum_class.hpp"

#include "python/imported.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"
#include "runtime/api.hpp"
#include "runtime/releases_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace pygpu {

std::vector<const Name *> EnumClass::enumerators() const {
    std::vector<const Name *> rows;
    for (const Name &one : names_) {
        const bool is_value = one.kind == Name::enumerator || one.kind == Name::error;
        if (is_value && one.index == index_) rows.push_back(&one);
    }
    std::ranges::stable_sort(rows, {}, [](const Name *one) { return one->order; });
    return rows;
}

std::vector<const Name *> EnumClass::current() const {
    std::vector<const Name *> chosen;
    auto holds = [&](const Name *one) { return api_.may_be(one->since, one->until); };
    for (const Name *one : enumerators()) {
        const bool another = !chosen.empty() && chosen.back()->name.view() == one->name.view();
        if (!another)
            chosen.push_back(one);
        else if (holds(one))
            chosen.back() = one;
    }
    // If two names share a value, the name of the loaded release becomes the member, and the other name its
    // alias.
    std::stable_partition(chosen.begin(), chosen.end(), holds);
    return chosen;
}

std::string EnumClass::documented() const {
    std::string text =
        std::string("enum ") + name_ + " of C. Every member is an attribute of the module, too.";
    for (const Name *one : enumerators()) {
        const std::string limits = limits_text(api_, one->since, one->until);
        if (limits.empty()) continue;
        const std::string value =
            large_ ? std::to_string(static_cast<unsigned long long>(one->value)) : std::to_string(one->value);
        text += "\n" + std::string(one->name) + " is " + value + limits + ".";
    }
    return text;
}

PyObject *EnumClass::number(long long value) const {
    return large_ ? PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(value))
                  : PyLong_FromLongLong(value);
}

bool EnumClass::make() {
    if (home_) {
        Reference imported = imported_class(home_, name_);
        if (imported && !type_) type_ = imported.release();
        return type_ != nullptr;
    }
    const std::vector<const Name *> members_now = current();
    Reference members(PyList_New(0));
    if (!members) return false;
    for (const Name *known : members_now) {
        Reference pair(Py_BuildValue("(sN)", static_cast<const char *>(known->name), number(known->value)));
        if (!pair || PyList_Append(members.get(), pair.get())) return false;
    }
    Reference base = from_module("enum", "IntEnum");
    Reference arguments(base ? Py_BuildValue("(sO)", name_, members.get()) : nullptr);
    Reference keywords(arguments ? Py_BuildValue("{ssss}", "module", api_.module, "qualname", name_)
                                 : nullptr);
    if (!keywords) return false;
    Reference enum_class(PyObject_Call(base.get(), arguments.get(), keywords.get()));
    Reference by_value(PyDict_New());
    Reference doc(PyUnicode_FromString(documented().c_str()));
    if (!enum_class || !by_value || !doc || PyObject_SetAttrString(enum_class.get(), "__doc__", doc.get()))
        return false;
    for (const Name *known : members_now) {
        Reference value(number(known->value));
        Reference member(value ? PyObject_CallOneArg(enum_class.get(), value.get()) : nullptr);
        if (!member || PyDict_SetItem(by_value.get(), value.get(), member.get())) return false;
    }
    if (!type_) { // another thread may have been quicker while Python code ran
        members_ = by_value.release();
        type_ = enum_class.release();
    }
    return true;
}

PyObject *EnumClass::type() {
    if (!type_ && !make()) return nullptr;
    return type_;
}

PyObject *EnumClass::foreign_member(PyObject *number) {
    if (PyObject *member = PyObject_CallOneArg(type_, number)) return member;
    if (!PyErr_ExceptionMatches(PyExc_ValueError)) return nullptr;
    PyErr_Clear();
    return Py_NewRef(number);
}

PyObject *EnumClass::member(long long value) {
    if (!type_ && !make()) return nullptr;
    Reference code(number(value));
    if (!code || home_) return code ? foreign_member(code.get()) : nullptr;
    if (PyObject *known = PyDict_GetItemWithError(members_, code.get())) return Py_NewRef(known);
    return PyErr_Occurred() ? nullptr : code.release();
}

} // namespace pygpu
