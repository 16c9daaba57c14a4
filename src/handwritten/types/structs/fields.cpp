// Reading and writing fields by their role.
#include "types/structs/fields.hpp"

#include "convert/memory.hpp"
#include "convert/sequences.hpp"
#include "python/reference.hpp"
#include "types/enums/enum_class.hpp"
#include "types/handles/handle_class.hpp"
#include "types/structs/callables.hpp"
#include "types/structs/fill.hpp"
#include "types/structs/items.hpp"
#include "types/structs/numbers.hpp"
#include "types/structs/pointers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace pygpu {
namespace {

PyObject *read_bytes(const Field &field, const std::byte *at) {
    const auto *text = reinterpret_cast<const char *>(at);
    if (field.role == Role::bytes) return PyBytes_FromStringAndSize(text, field.count);
    return PyUnicode_DecodeFSDefaultAndSize(text, static_cast<Py_ssize_t>(strnlen(text, field.count)));
}

bool write_bytes(const Field &field, std::byte *at, PyObject *value, const ArgumentContext &context) {
    Py_buffer view{};
    if (PyUnicode_Check(value) || PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)) {
        if (!PyUnicode_Check(value)) PyErr_Clear();
        return type_error(context, "bytes", value);
    }
    const auto size = static_cast<std::size_t>(view.len);
    if (size <= field.count) {
        std::memmove(at, view.buf, size);
        std::fill(at + size, at + field.count, std::byte{0});
    }
    PyBuffer_Release(&view);
    return size <= field.count || value_error(context, "holds %u bytes, got %zu", field.count, size);
}

bool write_text(const Field &field, std::byte *at, PyObject *value, const ArgumentContext &context) {
    if (!PyUnicode_Check(value)) {
        return PyBytes_Check(value) ? write_bytes(field, at, value, context)
                                    : type_error(context, "str", value);
    }
    Reference encoded(PyUnicode_EncodeFSDefault(value));
    if (!encoded) {
        PyErr_Clear();
        return value_error(context, "cannot be encoded as UTF-8");
    }
    const auto size = static_cast<std::size_t>(PyBytes_GET_SIZE(encoded.get()));
    const char *text = PyBytes_AS_STRING(encoded.get());
    if (std::memchr(text, 0, size)) return value_error(context, "holds a NUL character");
    if (size >= field.count) {
        return value_error(context, "holds %u bytes with the NUL at its end, got %zu", field.count, size + 1);
    }
    std::memcpy(at, text, size);
    std::fill(at + size, at + field.count, std::byte{0});
    return true;
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

// Describes an item that a pointer leads to as a field, for write_item().
Field item_of(const StructTables &tables, const Field &field) {
    Field item{{.offset = 0, .size = 8}, field.name, field.type};
    item.role = field.item_role;
    item.index = field.item_index;
    item.scalar = field.scalar;
    if (field.item_size) item.size = field.item_size;
    return current_field(tables.structs, item);
}

// The memory of an array that a pointer got from a sequence; null for any other pointer.
StructObject *counted_memory(const PointerOwners &owners, const std::byte *at) {
    PyObject *holder = owners.get();
    StructObject *memory = holder ? as_struct(holder) : nullptr;
    const void *pointer = loaded_pointer(at);
    return memory && (pointer ? pointer == memory->data : !Py_SIZE(memory)) ? memory : nullptr;
}

std::size_t counted_items(const StructObject *memory, const Field &item) {
    return static_cast<std::size_t>(Py_SIZE(memory)) / item.size;
}

// A count may not exceed the items of any array that was filled from a sequence. The array `setting` is just
// being replaced, so it doesn't matter.
bool check_count(const Target &target, const Field &counter, unsigned long long count,
                 const ArgumentContext &context, const Field *setting = nullptr) {
    const auto fields = target.shape().fields;
    for (const Field &array : fields) {
        if (&array == setting || array.counted_by < 0 ||
            &fields[static_cast<std::size_t>(array.counted_by)] != &counter)
            continue;
        const StructObject *memory =
            counted_memory(target.owners.at(array.offset), target.data + array.offset);
        const std::size_t items = memory ? counted_items(memory, item_of(target.kind.tables(), array)) : 0;
        if (memory && count > items)
            return value_error(context, "= %llu, but '%s' has %zu items", count, array.name, items);
    }
    return true;
}

// The same for a number that is written to the count itself.
bool check_count(const Target &target, const Field &field, PyObject *value, const ArgumentContext &context) {
    if (!*target.owners.dict) return true; // nothing was filled from a sequence
    const unsigned long long count = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred()) return check_count(target, field, count, context);
    PyErr_Clear(); // the write itself gives a better message
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

// A view on the array that a pointer with a count leads to. It keeps Python's memory alive, but not C's.
PyObject *read_counted(StructObject *self, const Field &field) {
    const StructTables &tables = self->kind->tables();
    const std::byte *at = self->data + field.offset;
    const Field &counter = self->shape().fields[static_cast<std::size_t>(field.counted_by)];
    Field item = item_of(tables, field);
    auto *data = static_cast<std::byte *>(loaded_pointer(at));
    StructObject *memory = counted_memory(owners_of(self).at(field.offset), at);
    const auto count = static_cast<unsigned long long>(load_integer(counter, self->data + counter.offset));
    const std::size_t most = memory ? counted_items(memory, item) : PTRDIFF_MAX / item.size;
    item.count = static_cast<std::uint32_t>(
        data ? std::min<unsigned long long>({count, most, std::numeric_limits<std::uint32_t>::max()}) : 0);
    if (memory || !data) {
        return make_counted_items(tables, item, data, memory ? memory : self->root_of(), false);
    }
    const Reference foreign(struct_at(*self->kind, data, object(self->root_of())));
    return foreign ? make_counted_items(tables, item, data, as_struct(foreign.get()), true) : nullptr;
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

PyObject *read_item(const StructTables &tables, const Field &field, std::byte *at, StructObject *root) {
    switch (field.role) {
    case Role::plain:
        return read_number(field, at);
    case Role::enumeration:
        return tables.enums[field.index].member(load_integer(field, at));
    case Role::handle:
        return tables.handles[field.index].wrap(loaded_pointer(at));
    case Role::pointer:
        return to_python(static_cast<const void *>(loaded_pointer(at)));
    case Role::nested:
        return struct_member(tables.structs[field.index], field.layout, root, at);
    case Role::bytes:
    case Role::text:
        return read_bytes(field, at);
    case Role::callable:
        return read_callable(field, at);
    case Role::user_data:
        return read_user_data(field, at, root);
    default: // only behind a pointer
        break;
    }
    return nullptr;
}

PyObject *read_field(StructObject *self, const Field &field) {
    if (field.counted_by >= 0) return read_counted(self, field);
    const StructTables &tables = self->kind->tables();
    std::byte *at = self->data + field.offset;
    const bool whole = !field.count || field.role == Role::bytes || field.role == Role::text;
    return whole ? read_item(tables, field, at, self->root_of())
                 : make_items(tables, field, at, self->root_of());
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

bool write_field(const Target &target, const Field &field, PyObject *value, const ArgumentContext &context) {
    if (field.count && field.role != Role::bytes && field.role != Role::text) {
        return write_array(target, field, value, context);
    }
    if (field.counted_by >= 0 && !field.lent && is_list(value))
        return write_counted(target, field, value, context);
    if (field.role == Role::plain && !check_count(target, field, value, context)) return false;
    return write_item(target.kind.tables(), field, target.data + field.offset, target.owners.at(field.offset),
                      value, context);
}

bool set_field(StructObject *self, const Field &field, PyObject *value, const ArgumentContext &context) {
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
    const PointerOwners owners{&root->owners, static_cast<std::size_t>(at - root->data)};
    if (field.role != Role::nested) return write_item(tables, field, at, owners, value, context);
    Scratch scratch(field.size);
    if (!write_item(tables, field, scratch.data(), scratch.owners(), value, context)) return false;
    std::memcpy(at, scratch.data(), field.size);
    return owners.take(scratch.owners(), field.size);
}

} // namespace pygpu
