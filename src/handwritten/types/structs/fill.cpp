// Filling structs by position, by name and by the roles of fields.
#include "types/structs/fill.hpp"

#include "binding/argument_errors.hpp"
#include "convert/memory.hpp"
#include "convert/sequences.hpp"
#include "python/reference.hpp"
#include "python/spelled.hpp"
#include "types/handles/handle_class.hpp"
#include "types/structs/callables.hpp"
#include "types/structs/characters.hpp"
#include "types/structs/counted.hpp"
#include "types/structs/items.hpp"
#include "types/structs/layouts.hpp"
#include "types/structs/numbers.hpp"
#include "types/structs/pointers.hpp"
#include "types/structs/whole.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace pygpu {
namespace {

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

bool fill_from_items(const Target &target, PyObject *value, const ArgumentContext &context) {
    const auto length = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(value));
    const std::size_t due = positions(target.shape());
    if (length > due || (length < due && !(target.kind.is_short() && length))) {
        return value_error(context, "needs %zu values for a %s, got %zu", due, target.kind.name(), length);
    }
    // Converting may run Python code, which may change a list.
    const Reference values(PySequence_Tuple(value));
    if (!values) return false;
    std::memset(target.data, 0, target.shape().size);
    if (length < due) apply_defaults(target);
    PyObject *const *first = &PyTuple_GET_ITEM(values.get(), 0);
    const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(values.get()));
    return fill_values(target, {first, std::min(count, due)}, nullptr, context);
}

bool write_array(const Target &target, const Field &field, PyObject *value, const ArgumentContext &context) {
    Reference items = items_of(value, context, "a sequence");
    if (!items) return false;
    const Py_ssize_t count = PyTuple_GET_SIZE(items.get());
    if (count > static_cast<Py_ssize_t>(field.count)) {
        return value_error(context, "holds %u items, got %zd", field.count, count);
    }
    std::byte *at = target.data + field.offset;
    const PointerOwners owners = target.owners.at(field.offset);
    std::fill(at, at + std::size_t{field.size} * field.count, std::byte{0});
    if (!owners.drop(std::size_t{field.size} * field.count)) return false;
    for (Py_ssize_t index = 0; index < count; ++index) {
        const std::size_t offset = static_cast<std::size_t>(index) * field.size;
        const FieldPath step{context.path, nullptr, index};
        if (!write_item(target.kind.tables(), field, at + offset, owners.at(offset),
                        PyTuple_GET_ITEM(items.get(), index), context.within(step))) {
            return false;
        }
    }
    return true;
}

// Fills a pointer from a sequence: makes memory for the items, which the struct then owns, and sets the
// count.
bool write_counted(const Target &target, const Field &field, PyObject *value,
                   const ArgumentContext &context) {
    const Field item = item_of(target.kind.tables(), field);
    Reference items = items_of(value, context, "a sequence");
    if (!items) return false;
    const Py_ssize_t count = PyTuple_GET_SIZE(items.get());
    StructObject *memory = new_array(target.kind, static_cast<std::size_t>(count) * item.size);
    const Reference holder(object(memory));
    if (!holder) return false;
    for (Py_ssize_t index = 0; index < count; ++index) {
        const std::size_t offset = static_cast<std::size_t>(index) * item.size;
        const FieldPath step{context.path, nullptr, index};
        if (!write_item(target.kind.tables(), item, memory->data + offset, {&memory->owners, offset},
                        PyTuple_GET_ITEM(items.get(), index), context.within(step))) {
            return false;
        }
    }
    const Field &counter = target.shape().fields[static_cast<std::size_t>(field.counted_by)];
    if (!check_count(target, counter, static_cast<unsigned long long>(count), context, &field)) return false;
    if (!target.owners.at(field.offset).set(holder.get())) return false;
    store_pointer(target.data + field.offset, count ? memory->data : nullptr);
    store_number(counter, target.data + counter.offset, static_cast<unsigned long long>(count));
    return true;
}

bool is_list(PyObject *value) { return PyList_Check(value) || PyTuple_Check(value) || is_items(value); }

// Scratch memory in which a value is built before it is moved into the struct.
class Scratch {
public:
    explicit Scratch(std::size_t size) : bytes_(size + 16) {}
    ~Scratch() { release_object(dict_); }
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;

    std::byte *data() { return bytes_.data(); }
    PointerOwners owners() { return {&dict_, 0}; }

private:
    std::vector<std::byte> bytes_;
    PyObject *dict_ = nullptr;
};

} // namespace

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
    if (target.kind.is_foreign())
        return target.owners.drop(target.shape().size) && fill_from_home(target, value, context);
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

bool write_item(const StructTables &tables, const Field &field, std::byte *at, const PointerOwners &owners,
                PyObject *value, const ArgumentContext &context) {
    switch (field.role) {
    case Role::plain:
    case Role::enumeration:
        return write_number(field, at, value, context);
    case Role::handle:
        return write_handle(tables.handles[field.index], at, owners, value, context);
    case Role::pointer:
        return write_pointer(field, at, owners, value, context);
    case Role::nested:
        return fill({tables.structs[field.index], field.layout, at, owners}, value, context);
    case Role::bytes:
        return write_bytes(field, at, value, context);
    case Role::text:
        return write_text(field, at, value, context);
    case Role::callable:
        return write_callable(field, at, owners, value, context);
    case Role::user_data:
        return write_user_data(field, at, owners, value, context);
    default: // only behind a pointer
        break;
    }
    return false;
}

namespace {

// Replaces a counted array by memory that the value gives. Its items must be there.
bool write_pointer_to_counted(const Target &target, const Field &field, PyObject *value,
                              const ArgumentContext &context) {
    Scratch scratch(field.size);
    const PointerOwners owners = scratch.owners();
    if (!write_item(target.kind.tables(), field, scratch.data(), owners, value, context) ||
        !check_size(target, field, counted_memory(owners, scratch.data()), context))
        return false;
    std::memcpy(target.data + field.offset, scratch.data(), field.size);
    return target.owners.at(field.offset).take(owners, field.size);
}

bool may_write(const StructObject *root, const ArgumentContext &context) {
    if (!root->readonly) return true;
    PyErr_Format(PyExc_TypeError, "%s: the memory is read-only", context.text().c_str());
    return false;
}

} // namespace

bool write_field(const Target &target, const Field &field, PyObject *value, const ArgumentContext &context) {
    if (field.count && field.role != Role::bytes && field.role != Role::text) {
        return write_array(target, field, value, context);
    }
    if (field.counted_by >= 0 && !field.lent && is_list(value))
        return write_counted(target, field, value, context);
    if (field.counted_by >= 0) return write_pointer_to_counted(target, field, value, context);
    if (field.role == Role::plain && !check_count(target, field, value, context)) return false;
    return write_item(target.kind.tables(), field, target.data + field.offset, target.owners.at(field.offset),
                      value, context);
}

bool set_field(StructObject *self, const Field &field, PyObject *value, const ArgumentContext &context) {
    if (!may_write(self->root_of(), context)) return false;
    const Target target{*self->kind, self->layout, self->data, owners_of(self)};
    // A number, pointer or text is stored only after it was checked. Anything else is built in scratch
    // memory.
    if (field.role != Role::nested && !field.count) return write_field(target, field, value, context);
    const std::size_t size = extent(field);
    Scratch scratch(size);
    Field moved = field;
    moved.offset = 0;
    if (!write_field({target.kind, target.layout, scratch.data(), scratch.owners()}, moved, value, context)) {
        return false;
    }
    std::memcpy(target.data + field.offset, scratch.data(), size);
    return target.owners.at(field.offset).take(scratch.owners(), size);
}

bool set_item(StructObject *root, const StructTables &tables, const Field &field, std::byte *at,
              PyObject *value, const ArgumentContext &context) {
    if (!may_write(root, context)) return false;
    const PointerOwners owners{&root->owners, static_cast<std::size_t>(at - root->data)};
    if (field.role != Role::nested) return write_item(tables, field, at, owners, value, context);
    Scratch scratch(field.size);
    if (!write_item(tables, field, scratch.data(), scratch.owners(), value, context)) return false;
    std::memcpy(at, scratch.data(), field.size);
    return owners.take(scratch.owners(), field.size);
}

} // namespace pygpu
