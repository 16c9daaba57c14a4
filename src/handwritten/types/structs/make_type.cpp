// Making the Python type of a struct: constructor, one attribute for each field, buffer, class methods.
#include "convert/memory.hpp"
#include "convert/scalars.hpp"
#include "convert/sequences.hpp"
#include "python/heap_type.hpp"
#include "python/keywords.hpp"
#include "python/reference.hpp"
#include "python/type_name.hpp"
#include "types/structs/fields.hpp"
#include "types/structs/fill.hpp"
#include "types/structs/struct_class.hpp"
#include "types/structs/struct_doc.hpp"
#include "types/structs/struct_type.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pygpu {
namespace {

// A field's name, and the field in each layout. The attribute of this name is bound to it.
struct Member {
    StructClass *kind;
    std::string name;
    std::string doc;
    std::vector<const Field *> fields;
};

// All that a type points to; it lives as long as the process, as the type does.
struct TypeParts {
    std::vector<Member> members;
    std::vector<PyGetSetDef> attributes;
    std::string doc;
};

// The field of an attribute in the layout of this object; null with an AttributeError where it has none.
const Field *field_of(PyObject *object, void *closure) {
    auto *member = static_cast<Member *>(closure);
    const std::size_t layout = self_of(object)->layout;
    if (!member->fields[layout])
        member->kind->refuse_field(PyExc_AttributeError, "", layout, member->name.c_str());
    return member->fields[layout];
}

PyObject *get_attribute(PyObject *object, void *closure) {
    const Field *field = field_of(object, closure);
    if (!field) return nullptr;
    return read_field(self_of(object), *field);
}

int set_attribute(PyObject *object, PyObject *value, void *closure) {
    const Field *field = field_of(object, closure);
    if (!field) return -1;
    StructObject *self = self_of(object);
    if (!value) {
        PyErr_Format(PyExc_AttributeError, "%s.%s can't be deleted", self->kind->name(), field->name);
        return -1;
    }
    const FieldPath root{nullptr, self->kind->name()};
    const FieldPath step{&root, field->name};
    return set_field(self, *field, value, ArgumentContext::outside(self->kind->tables().no_call, step)) ? 0
                                                                                                        : -1;
}

PyObject *get_address(PyObject *object, void *) { return PyLong_FromVoidPtr(self_of(object)->data); }

// Every type that was made. Types are final, so that there are no derived types to look up.
std::unordered_map<PyTypeObject *, StructClass *> &classes() {
    static std::unordered_map<PyTypeObject *, StructClass *> all;
    return all;
}

StructClass *class_of(PyTypeObject *type) { return classes().at(type); }

PyObject *construct(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    StructClass *kind = class_of(type);
    StructObject *self = new_struct(*kind, kind->current());
    Reference owner(object(self));
    if (!owner) return nullptr;
    const FieldPath root{nullptr, kind->name()};
    const ArgumentContext context = ArgumentContext::outside(kind->tables().no_call, root);
    const auto nargs = static_cast<std::size_t>(PyTuple_GET_SIZE(args));
    const Layout &shape = self->shape();
    const auto most = positions(shape);
    if (nargs > most) {
        return PyErr_Format(PyExc_TypeError, "%s() takes at most %zu values, %zu given", kind->name(), most,
                            nargs);
    }
    if (kind->is_union() && nargs + (kwargs ? static_cast<std::size_t>(PyDict_GET_SIZE(kwargs)) : 0) > 1) {
        return PyErr_Format(PyExc_TypeError, "%s() takes one member: it is a union", kind->name());
    }
    std::size_t at = 0;
    for (const Field &field : shape.fields) {
        if (at == nargs || !kwargs) break;
        if (!field.positional) continue;
        ++at;
        if (PyDict_GetItemString(kwargs, field.name)) {
            return PyErr_Format(PyExc_TypeError, "%s() got '%s' twice", kind->name(), field.name);
        }
    }
    const Target target{*kind, self->layout, self->data, owners_of(self)};
    reset(target);
    PyObject *const *values = nargs ? &PyTuple_GET_ITEM(args, 0) : nullptr;
    const bool whole =
        nargs == 1 && !kwargs && kind->is_short() && (is_sequence(values[0]) || as_struct(values[0]));
    if (whole) return fill(target, values[0], context) ? owner.release() : nullptr; // dim3((4, 4))
    return fill_values(target, {values, nargs}, kwargs, context) ? owner.release() : nullptr;
}

int get_buffer(PyObject *object, Py_buffer *view, int flags) {
    StructObject *self = self_of(object);
    return PyBuffer_FillInfo(view, object, self->data, static_cast<Py_ssize_t>(self->shape().size), 0, flags);
}

PyObject *from_address(PyObject *type, PyObject *args, PyObject *kwargs) {
    const Arguments arguments("from_address()", {"ptr", "owner"}, args, kwargs);
    if (!arguments) return nullptr;
    StructClass *kind = class_of(reinterpret_cast<PyTypeObject *>(type));
    const FieldPath method{nullptr, kind->name()}, parameter{&method, "from_address(ptr)"};
    unsigned long long address = 0;
    if (!load_unsigned(arguments[0], ArgumentContext::outside(kind->tables().no_call, parameter), UINTPTR_MAX,
                       address))
        return nullptr;
    if (!address) return PyErr_Format(PyExc_ValueError, "%s.from_address(0): nothing is there", kind->name());
    auto *pointer = reinterpret_cast<void *>(static_cast<std::uintptr_t>(address));
    if (!may_be_led_to(pointer, ArgumentContext::outside(kind->tables().no_call, parameter))) return nullptr;
    return struct_at(*kind, pointer, arguments.unless_none(1));
}

PyObject *from_bytes(PyObject *type, PyObject *bytes) {
    StructClass *kind = class_of(reinterpret_cast<PyTypeObject *>(type));
    Py_buffer view{};
    if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE)) return nullptr;
    PyObject *copy = nullptr;
    if (static_cast<std::size_t>(view.len) == kind->size()) {
        copy = struct_copy(*kind, view.buf);
    } else {
        PyErr_Format(PyExc_ValueError, "%s has %zu bytes, got %zd", kind->name(), kind->size(), view.len);
    }
    PyBuffer_Release(&view);
    return copy;
}

PyObject *copy(PyObject *self, PyObject *) { return struct_duplicate(self); }

// Without the fields that other releases have: reading them raises.
PyObject *directory(PyObject *object, PyObject *) {
    static PyObject *const of_object = PyUnicode_InternFromString("__dir__");
    PyObject *base = reinterpret_cast<PyObject *>(&PyBaseObject_Type);
    const Reference all(PyObject_CallMethodOneArg(base, of_object, object));
    const Reference names(all ? PySequence_List(all.get()) : nullptr);
    if (!names) return nullptr;
    const StructObject *self = self_of(object);
    for (Py_ssize_t at = PyList_GET_SIZE(names.get()); at--;) {
        const char *name = PyUnicode_AsUTF8(PyList_GET_ITEM(names.get(), at));
        if (!name) return nullptr;
        const bool lacks = !self->kind->field(self->layout, name) && !self->kind->releases_with(name).empty();
        if (lacks && PyList_SetSlice(names.get(), at, at + 1, nullptr)) return nullptr;
    }
    return Py_NewRef(names.get());
}

template <class F> PyCFunction method(F *function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"from_address", method(from_address), METH_CLASS | METH_VARARGS | METH_KEYWORDS,
     "from_address($type, ptr, owner=None)\n--\n\n"
     "A view on the struct in memory at this address; `owner` is kept alive by it."},
    {"from_bytes", from_bytes, METH_CLASS | METH_O,
     "from_bytes($type, bytes, /)\n--\n\nA struct of these bytes, as many as `sizeof` says."},
    {"__dir__", directory, METH_NOARGS, nullptr},
    {"__copy__", copy, METH_NOARGS, nullptr},
    {"__deepcopy__", copy, METH_O, nullptr},
    {"__reduce__", struct_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

void add_members(StructClass &kind, TypeParts &parts) {
    std::vector<const char *> names;
    for (std::size_t layout = kind.layouts().size(); layout-- > 0;) { // the newest order first
        for (const Field &field : kind.layout(layout).fields) {
            const auto same = [&](const char *name) { return !std::strcmp(name, field.name); };
            if (std::ranges::none_of(names, same)) names.push_back(field.name);
        }
    }
    parts.members.reserve(names.size());
    for (const char *name : names) {
        Member member{&kind, name, "", {}};
        for (std::size_t layout = 0; layout < kind.layouts().size(); ++layout) {
            member.fields.push_back(kind.field(layout, name));
            if (member.fields.back()) member.doc = field_doc(kind, layout, *member.fields.back());
        }
        parts.members.push_back(std::move(member));
    }
    for (Member &member : parts.members) {
        parts.attributes.push_back(
            {member.name.c_str(), get_attribute, set_attribute, member.doc.c_str(), &member});
    }
    if (!kind.field(kind.current(), "address")) { // a C field of that name has priority
        parts.attributes.push_back(
            {"address", get_address, nullptr, "Where the struct lies in memory.", nullptr});
    }
    parts.attributes.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
}

// The name of a struct inside a struct has a dot, which the name in a PyType_Spec can't express.
bool name_type(PyTypeObject *type, const StructClass &kind) {
    auto *object = reinterpret_cast<PyObject *>(type);
    Reference module(PyUnicode_FromString(kind.tables().module));
    Reference name(PyUnicode_FromString(kind.name()));
    return module && name && !PyObject_SetAttrString(object, "__module__", module.get()) &&
           !PyObject_SetAttrString(object, "__qualname__", name.get());
}

} // namespace

PyTypeObject *StructClass::make() {
    auto *parts = new TypeParts;
    add_members(*this, *parts);
    parts->doc = struct_doc(*this);
    const TypeTable table{.create = construct,
                          .destroy = destroy_struct,
                          .traverse = traverse_struct,
                          .clear = clear_struct,
                          .repr = struct_repr,
                          .hash = PyObject_HashNotImplemented,
                          .compare = struct_compare,
                          .lend = get_buffer,
                          .methods = methods,
                          .properties = parts->attributes.data(),
                          .doc = parts->doc.c_str(),
                          .item_size = 1,
                          .open = true};
    PyTypeObject *type =
        make_type(type_name(tables_.module, name_), sizeof(StructObject), Py_TPFLAGS_HAVE_GC, table);
    Reference owned(reinterpret_cast<PyObject *>(type));
    if (!type || !name_type(type, *this)) return nullptr;
    if (type_) return type_; // another thread was quicker while Python code ran
    owned.release();
    classes()[type] = this;
    type_ = type;
    tell_size();
    type->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
    PyType_Modified(type);
    return type_;
}

void StructClass::tell_size() {
    Reference size(PyLong_FromSize_t(this->size()));
    if (!size || PyDict_SetItemString(type_->tp_dict, "sizeof", size.get())) PyErr_Clear();
    PyType_Modified(type_);
}

} // namespace pygpu
