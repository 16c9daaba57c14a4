// Making an IntEnum class from a table; `enum` is imported here and not before.
#include "names/enum_class.hpp"

#include "interpreter/reference.hpp"

namespace pygpu {

bool EnumClass::make() {
    Reference members(PyList_New(0));
    if (!members) return false;
    for (const Enumerator &known : enumerators_) {
        Reference pair(Py_BuildValue("(sL)", known.name, known.value));
        if (!pair || PyList_Append(members.get(), pair.get())) return false;
    }
    Reference module(PyImport_ImportModule("enum"));
    Reference base(module ? PyObject_GetAttrString(module.get(), "IntEnum") : nullptr);
    Reference arguments(base ? Py_BuildValue("(sO)", name_, members.get()) : nullptr);
    Reference keywords(arguments ? Py_BuildValue("{ssss}", "module", module_, "qualname", name_) : nullptr);
    if (!keywords) return false;
    Reference made(PyObject_Call(base.get(), arguments.get(), keywords.get()));
    Reference by_value(PyDict_New());
    if (!made || !by_value) return false;
    for (const Enumerator &known : enumerators_) {
        Reference value(PyLong_FromLongLong(known.value));
        Reference member(value ? PyObject_CallOneArg(made.get(), value.get()) : nullptr);
        if (!member || PyDict_SetItem(by_value.get(), value.get(), member.get())) return false;
    }
    if (!type_) { // another thread may have been quicker while Python code ran
        members_ = by_value.release();
        type_ = made.release();
    }
    return true;
}

PyObject *EnumClass::type() {
    if (!type_ && !make()) return nullptr;
    return type_;
}

PyObject *EnumClass::member(long long value) {
    if (!type_ && !make()) return nullptr;
    Reference number(PyLong_FromLongLong(value));
    if (!number) return nullptr;
    if (PyObject *known = PyDict_GetItemWithError(members_, number.get())) return Py_NewRef(known);
    return PyErr_Occurred() ? nullptr : number.release();
}

} // namespace pygpu
