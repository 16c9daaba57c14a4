// Filling structs, and moving values between layouts.
#include "types/structs/fill.hpp"

#include "convert/memory.hpp"
#include "convert/sequences.hpp"
#include "python/reference.hpp"
#include "python/spelled.hpp"
#include "types/structs/numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace pygpu {
namespace {

// The members of a union stay zero, because nobody has chosen one of them.
void apply_defaults(const StructClass &kind, std::size_t layout, std::byte *data) {
    if (kind.is_union()) return;
    for (const Field &field : kind.layout(layout).fields) {
        if (!field.positional) continue;
        if (field.default_value) store_number(field, data + field.offset, field.default_value);
        if (field.role != Role::nested) continue;
        for (std::uint32_t at = 0; at < std::max(field.count, 1u); ++at) {
            apply_defaults(kind.tables().structs[field.index], field.layout,
                           data + field.offset + std::size_t{at} * field.size);
        }
    }
}

bool set_one(const Target &target, const Field &field, PyObject *value, const ArgumentContext &context) {
    // Without owners, no array was filled from a sequence. So no count has to be checked.
    if (!*target.owners.dict && write_small_int(field, target.data + field.offset, value)) return true;
    const FieldPath step{context.path, field.name};
    return write_field(target, field, value, context.within(step));
}

// Fields that other fields depend on. An array sets its count, and a given count is then checked against it.
// A callable decides what its user data may be.
bool comes_first(const Field &field) {
    return (field.counted_by >= 0 && !field.lent) || field.role == Role::callable;
}

bool set_named(const Target &target, PyObject *named, const ArgumentContext &context) {
    for (const bool first : {true, false}) {
        PyObject *key, *value;
        Py_ssize_t position = 0;
        while (PyDict_Next(named, &position, &key, &value)) {
            if (!PyUnicode_Check(key)) {
                PyErr_Format(PyExc_TypeError, "%s: field names are str, not %.80s", context.text().c_str(),
                             Py_TYPE(key)->tp_name);
                return false;
            }
            const char *name = spelled(key);
            if (!name) {
                PyErr_Format(PyExc_TypeError, "%s has no field %A", target.kind.name(), key);
                return false;
            }
            const Field *field = target.kind.field(target.layout, name);
            if (!field) {
                const std::string where = context.text();
                target.kind.refuse_field(PyExc_TypeError, where == target.kind.name() ? "" : where + ": ",
                                         target.layout, name);
                return false;
            }
            if (comes_first(*field) != first) continue;
            const Reference held = Reference::borrow(value);
            if (!set_one(target, *field, value, context)) return false;
        }
    }
    return true;
}

bool wrong_kind(const StructClass &kind, PyObject *value, const ArgumentContext &context) {
    const std::string expected =
        std::string("a ") + kind.name() +
        (kind.is_short() ? ", a number, a tuple of them or a dict" : ", a dict or a tuple of its fields");
    if (const StructObject *other = as_struct(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be %s, not a %s", context.text().c_str(), expected.c_str(),
                     other->kind->name());
        return false;
    }
    return type_error(context, expected.c_str(), value);
}

bool fill_from_items(const Target &target, PyObject *value, const ArgumentContext &context) {
    const auto given = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(value));
    const std::size_t due = positions(target.shape());
    if (given > due || (given < due && !(target.kind.is_short() && given))) {
        return value_error(context, "needs %zu values for a %s, got %zu", due, target.kind.name(), given);
    }
    // Converting may run Python code, which may change a list.
    const Reference values(PySequence_Tuple(value));
    if (!values) return false;
    std::memset(target.data, 0, target.shape().size);
    if (given < due) apply_defaults(target.kind, target.layout, target.data);
    PyObject *const *first = &PyTuple_GET_ITEM(values.get(), 0);
    const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(values.get()));
    return fill_values(target, {first, std::min(count, due)}, nullptr, context);
}

bool fill_from_buffer(const Target &target, PyObject *value, const ArgumentContext &context) {
    Py_buffer view{};
    if (PyObject_GetBuffer(value, &view, PyBUF_ANY_CONTIGUOUS)) {
        PyErr_Clear();
        return value_error(context, "must be contiguous memory");
    }
    const auto given = static_cast<std::size_t>(view.len);
    const std::size_t size = target.shape().size;
    if (given >= size) std::memcpy(target.data, view.buf, size);
    PyBuffer_Release(&view);
    return given >= size || value_error(context, "needs %zu bytes, got %zu", size, given);
}

// numpy's arrays of one axis, say. As many bytes as a struct of this size has are its memory.
bool is_array_of_integers(PyObject *value, std::size_t size) {
    Py_buffer view{};
    if (!PyObject_CheckBuffer(value) || !is_sequence(value)) return false;
    if (PyObject_GetBuffer(value, &view, PyBUF_STRIDES | PyBUF_FORMAT)) {
        PyErr_Clear();
        return false;
    }
    const bool of_bytes = view.itemsize == 1 && static_cast<std::size_t>(view.len) >= size;
    const bool integers = view.ndim == 1 && !of_bytes && view.format && view.format[0] && !view.format[1] &&
                          std::strchr("bBhHiIlLqQnN", view.format[0]);
    PyBuffer_Release(&view);
    return integers;
}

// For a struct with a class of another module: that class makes an object from the value.
bool fill_from_home(const Target &target, PyObject *value, const ArgumentContext &context) {
    auto *type = reinterpret_cast<PyObject *>(target.kind.type());
    if (!type) return false;
    Reference made;
    if (PyObject_TypeCheck(value, target.kind.type()))
        made = Reference::borrow(value);
    else if (PyDict_Check(value))
        made = Reference(PyObject_VectorcallDict(type, nullptr, 0, value));
    else if (PyTuple_Check(value) || PyList_Check(value)) {
        const Reference items(PySequence_Tuple(value));
        made = Reference(items ? PyObject_CallObject(type, items.get()) : nullptr);
    } else if (is_number(value))
        made = Reference(PyObject_CallOneArg(type, value));
    else
        return wrong_kind(target.kind, value, context);
    if (!made) return name_argument(context);
    return fill_from_buffer(target, made.get(), context) && target.owners.set(made.get());
}

// Copies the bytes that fit. The rest must be zero.
bool copy_bytes(std::byte *to, std::size_t capacity, const std::byte *from, std::size_t size,
                const char *what, const ArgumentContext &context) {
    std::memcpy(to, from, std::min(capacity, size));
    if (size <= capacity || is_zero(from + capacity, size - capacity)) return true;
    return value_error(context, "sets more of '%s' than the loaded release has", what);
}

} // namespace

std::size_t positions(const Layout &shape) {
    return static_cast<std::size_t>(std::ranges::count_if(shape.fields, &Field::positional));
}

void reset(const Target &target) {
    std::memset(target.data, 0, target.shape().size);
    apply_defaults(target.kind, target.layout, target.data);
}

bool fill_values(const Target &target, std::span<PyObject *const> values, PyObject *named,
                 const ArgumentContext &context) {
    std::size_t at = 0;
    for (const Field &field : target.shape().fields) {
        if (at == values.size()) break;
        if (!field.positional) continue;
        if (!set_one(target, field, values[at], context)) return false;
        ++at;
    }
    return !named || set_named(target, named, context);
}

bool fill(const Target &target, PyObject *value, const ArgumentContext &context) {
    if (!*target.owners.dict && write_small_ints(target.shape(), target.data, value)) return true;
    if (StructObject *other = as_struct(value)) {
        if (other->kind != &target.kind) return wrong_kind(target.kind, value, context);
        if (other->layout == target.layout) {
            std::memmove(target.data, other->data, target.shape().size);
            return target.owners.take(owners_of(other), target.shape().size);
        }
        reset(target);
        return convert_layout(target, other->layout, other->data, context) && target.owners.set(value);
    }
    if (!target.owners.drop(target.shape().size)) return false;
    if (target.kind.is_foreign()) return fill_from_home(target, value, context);
    if (PyTuple_Check(value) || PyList_Check(value)) return fill_from_items(target, value, context);
    reset(target);
    if (PyDict_Check(value)) {
        if (target.kind.is_union() && PyDict_GET_SIZE(value) > 1) {
            return value_error(context, "is a union (%s): one member at a time", target.kind.name());
        }
        return fill_values(target, {}, value, context);
    }
    if (target.kind.is_short() && is_number(value)) {
        return fill_values(target, {&value, 1}, nullptr, context);
    }
    if (target.kind.is_short() && is_array_of_integers(value, target.shape().size)) {
        const Reference items(PySequence_List(value));
        return items && fill_from_items(target, items.get(), context);
    }
    // The buffer of a ctypes pointer is the pointer itself.
    const bool buffer = PyObject_CheckBuffer(value) && !PyUnicode_Check(value) && !is_c_pointer(value);
    if (buffer) return fill_from_buffer(target, value, context);
    return wrong_kind(target.kind, value, context);
}

bool convert_layout(const Target &to, std::size_t layout, const std::byte *from,
                    const ArgumentContext &context) {
    const Layout &shape = to.kind.layout(layout);
    if (to.kind.is_union()) {
        return copy_bytes(to.data, to.shape().size, from, shape.size, to.kind.name(), context);
    }
    for (const Field &source : shape.fields) {
        const std::byte *bytes = from + source.offset;
        const Field *field = to.kind.field(to.layout, source.name);
        if (!field) {
            const bool empty = source.bits ? !load_integer(source, bytes) : is_zero(bytes, extent(source));
            if (empty || !source.positional) continue;
            return value_error(context, "sets '%s', which %s of the loaded release lacks: it belongs to %s",
                               source.name, to.kind.name(), to.kind.releases_with(source.name).c_str());
        }
        std::byte *at = to.data + field->offset;
        if (source.bits || field->bits) {
            store_number(*field, at, static_cast<unsigned long long>(load_integer(source, bytes)));
        } else if (source.role == Role::nested && field->role == Role::nested) {
            const PointerOwners owners = to.owners.at(field->offset);
            const std::uint32_t count = std::max(std::min(source.count, field->count), 1u);
            for (std::uint32_t item = 0; item < count; ++item) {
                const std::size_t offset = std::size_t{item} * field->size;
                const Target inner{to.kind.tables().structs[field->index], field->layout, at + offset,
                                   owners.at(offset)};
                if (!convert_layout(inner, source.layout, bytes + std::size_t{item} * source.size, context)) {
                    return false;
                }
            }
        } else if (!copy_bytes(at, extent(*field), bytes, extent(source), source.name, context)) {
            return false;
        }
    }
    return true;
}

} // namespace pygpu
