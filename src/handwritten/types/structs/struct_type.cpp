// Text, comparison, copies and pickles of structs, field by field.
#include "types/structs/struct_type.hpp"

#include "convert/memory.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"
#include "runtime/api.hpp"
#include "runtime/releases_text.hpp"
#include "types/structs/fields.hpp"
#include "types/structs/layouts.hpp"
#include "types/structs/numbers.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>

namespace pygpu {
namespace {

// A reserved field of zeros is not worth showing.
bool is_silent(const Field &field, const std::byte *data) {
    const std::string_view name = field.name;
    return (name.starts_with("reserved") || name == "pad") && is_zero(data + field.offset, extent(field));
}

// Equal bits are equal, so that a copy with NaNs in it equals its original.
bool same_number(const Field &field, const std::byte *one, const std::byte *other) {
    if (field.bits) return load_integer(field, one) == load_integer(field, other);
    if (!std::memcmp(one, other, field.size)) return true;
    double mine = 0, theirs = 0;
    if (field.scalar == Scalar::f64) {
        std::memcpy(&mine, one, sizeof mine);
        std::memcpy(&theirs, other, sizeof theirs);
    } else if (field.scalar == Scalar::f32) {
        float narrow[2];
        std::memcpy(&narrow[0], one, sizeof(float));
        std::memcpy(&narrow[1], other, sizeof(float));
        mine = static_cast<double>(narrow[0]);
        theirs = static_cast<double>(narrow[1]);
    } else {
        return false;
    }
    return mine == theirs;
}

bool same(const StructClass &kind, std::size_t layout, const std::byte *one, const std::byte *other) {
    for (const Field &field : kind.layout(layout).fields) {
        const std::byte *mine = one + field.offset, *theirs = other + field.offset;
        if (field.role == Role::bytes) {
            if (std::memcmp(mine, theirs, field.count)) return false;
        } else if (field.role == Role::text) {
            if (std::strncmp(reinterpret_cast<const char *>(mine), reinterpret_cast<const char *>(theirs),
                             field.count)) {
                return false;
            }
        } else {
            for (std::uint32_t at = 0; at < (field.count ? field.count : 1); ++at) {
                const std::size_t offset = std::size_t{at} * field.size;
                const bool equal = field.role == Role::nested
                                       ? same(kind.tables().structs[field.index], field.layout, mine + offset,
                                              theirs + offset)
                                       : same_number(field, mine + offset, theirs + offset);
                if (!equal) return false;
            }
        }
    }
    return true;
}

// The path of the first pointer or handle that leads somewhere; "" if there is none. A value below the first
// page's end may be a number in a union, so it doesn't count.
std::string address_in(const StructClass &kind, std::size_t layout, const std::byte *data) {
    for (const Field &field : kind.layout(layout).fields) {
        for (std::uint32_t at = 0; at < (field.count ? field.count : 1); ++at) {
            const std::byte *item = data + field.offset + std::size_t{at} * field.size;
            if (field.role == Role::nested) {
                const std::string inner = address_in(kind.tables().structs[field.index], field.layout, item);
                if (!inner.empty()) return std::string(field.name) + "." + inner;
            } else if (field.role == Role::pointer || field.role == Role::handle ||
                       field.role == Role::callable || field.role == Role::user_data) {
                std::uintptr_t address;
                std::memcpy(&address, item, sizeof address);
                if (address >= first_page_end) return field.name;
            }
        }
    }
    return "";
}

// The structs of an API, and the name of the extension module that has them.
struct StructsOfApi {
    std::span<StructClass> structs;
    std::string module;
};

// Elements of a deque stay where they are, while another thread imports a further API.
std::deque<StructsOfApi> &struct_tables() {
    static std::deque<StructsOfApi> all;
    return all;
}

const StructsOfApi *structs_of(std::string_view api) {
    const auto at = std::ranges::find_if(struct_tables(), [=](const StructsOfApi &one) {
        return !one.structs.empty() && api == one.structs.front().tables().api.name;
    });
    return at == struct_tables().end() ? nullptr : &*at;
}

StructClass *class_named(std::string_view api, std::string_view tag) {
    const StructsOfApi *const table = structs_of(api);
    if (!table) return nullptr;
    const auto at =
        std::ranges::find_if(table->structs, [=](const StructClass &kind) { return tag == kind.tag(); });
    return at == table->structs.end() ? nullptr : &*at;
}

PyMethodDef struct_functions[] = {
    {"_restore_struct", restore_struct, METH_VARARGS, "What pickles of structs call."},
    {nullptr, nullptr, 0, nullptr}};

PyObject *shown_fields(StructObject *self) {
    Reference parts(PyList_New(0));
    for (const Field &field : self->shape().fields) {
        if (!parts) return nullptr;
        if (is_silent(field, self->data)) continue;
        Reference value(read_field(self, field));
        Reference part(value ? PyUnicode_FromFormat("%s=%R", field.name, value.get()) : nullptr);
        if (!part || PyList_Append(parts.get(), part.get())) return nullptr;
    }
    Reference comma(PyUnicode_FromString(", "));
    Reference joined(comma && parts ? PyUnicode_Join(comma.get(), parts.get()) : nullptr);
    return joined ? PyUnicode_FromFormat("%s(%U)", self->kind->name(), joined.get()) : nullptr;
}

} // namespace

PyObject *struct_repr(PyObject *object) {
    // A callable's user data may be the struct itself.
    const int again = Py_ReprEnter(object);
    if (again < 0) return nullptr;
    if (again) return PyUnicode_FromFormat("%s(...)", self_of(object)->kind->name());
    PyObject *text = shown_fields(self_of(object));
    Py_ReprLeave(object);
    return text;
}

PyObject *struct_compare(PyObject *object, PyObject *other, int operation) {
    StructObject *self = self_of(object), *theirs = as_struct(other);
    if ((operation != Py_EQ && operation != Py_NE) || !theirs || theirs->kind != self->kind) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    bool equal = false;
    if (self->layout == theirs->layout) {
        equal = same(*self->kind, self->layout, self->data, theirs->data);
    } else {
        Reference converted(pygpu::object(new_struct(*self->kind, self->layout)));
        if (!converted) return nullptr;
        StructObject *copy = self_of(converted.get());
        const FieldPath step{nullptr, self->kind->name()};
        const Target target{*copy->kind, copy->layout, copy->data, owners_of(copy)};
        if (convert_layout(target, theirs->layout, theirs->data,
                           ArgumentContext::outside(self->kind->tables().no_call, step)))
            equal = same(*self->kind, self->layout, self->data, copy->data);
        else
            PyErr_Clear();
    }
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

PyObject *struct_duplicate(PyObject *object) {
    StructObject *self = self_of(object);
    StructObject *copy = new_struct(*self->kind, self->layout);
    if (!copy) return nullptr;
    const std::size_t size = self->shape().size;
    std::memcpy(copy->data, self->data, size);
    if (owners_of(copy).take(owners_of(self), size)) return pygpu::object(copy);
    Py_DECREF(copy);
    return nullptr;
}

PyObject *struct_reduce(PyObject *object, PyObject *) {
    StructObject *self = self_of(object);
    const std::string address = address_in(*self->kind, self->layout, self->data);
    if (!address.empty()) {
        return PyErr_Format(PyExc_TypeError,
                            "%s.%s is an address: it means nothing in another process, so the struct cannot "
                            "be pickled",
                            self->kind->name(), address.c_str());
    }
    const Api &api = self->kind->tables().api;
    const StructsOfApi *const table = structs_of(api.name);
    Reference restore = from_module(table ? table->module.c_str() : "", struct_functions[0].ml_name);
    Reference bytes(restore ? PyBytes_FromObject(object) : nullptr);
    if (!bytes) return nullptr;
    const int release = std::max(self->shape().since, api.releases.front());
    return Py_BuildValue("(O(ssiO))", restore.get(), api.name, self->kind->tag(), release, bytes.get());
}

PyObject *restore_struct(PyObject *, PyObject *arguments) {
    const char *api, *tag;
    int release;
    PyObject *bytes;
    if (!PyArg_ParseTuple(arguments, "ssiS", &api, &tag, &release, &bytes)) return nullptr;
    const Py_ssize_t size = PyBytes_GET_SIZE(bytes);
    StructClass *kind = class_named(api, tag);
    if (!kind) return PyErr_Format(PyExc_ValueError, "no struct %s in %s", tag, api);
    const std::size_t layout = kind->layout_of(release);
    if (kind->layout(layout).size != static_cast<std::size_t>(size)) {
        return PyErr_Format(PyExc_ValueError, "%s of release %s has %zu bytes here, %zd there", kind->name(),
                            release_text(release).c_str(), kind->layout(layout).size, size);
    }
    StructObject *self = new_struct(*kind, layout);
    if (self) std::memcpy(self->data, PyBytes_AS_STRING(bytes), static_cast<std::size_t>(size));
    return pygpu::object(self);
}

bool add_structs(PyObject *extension, std::span<StructClass> structs) {
    const char *name = PyModule_GetName(extension);
    if (name) struct_tables().push_back({structs, name});
    return name != nullptr;
}

bool add_struct_functions(PyObject *extension) { return !PyModule_AddFunctions(extension, struct_functions); }

} // namespace pygpu
