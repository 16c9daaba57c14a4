// Finding the memory of arrays that a field counts, and comparing their counts.
#include "types/structs/counted.hpp"

#include "binding/argument_errors.hpp"
#include "convert/pointer_provider.hpp"
#include "python/attribute.hpp"
#include "types/structs/numbers.hpp"
#include "types/structs/pointers.hpp"

namespace pygpu {

Field item_of(const StructTables &tables, const Field &field) {
    Field item{{.offset = 0, .size = 8}, field.name, field.type};
    item.role = field.item_role;
    item.index = field.item_index;
    item.scalar = field.scalar;
    if (field.item_size) item.size = field.item_size;
    return current_field(tables.structs, item);
}

CountedMemory counted_memory(const PointerOwners &owners, const std::byte *at) {
    CountedMemory memory{.owner = owners.get()};
    if (!memory.owner) return memory;
    const void *pointer = loaded_pointer(at);
    if (StructObject *array = as_struct(memory.owner)) {
        if (pointer ? pointer == array->data : !Py_SIZE(array)) {
            memory.array = array;
            memory.size = static_cast<std::size_t>(Py_SIZE(array));
        }
    } else if (PyMemoryView_Check(memory.owner)) {
        const Py_buffer &buffer = *PyMemoryView_GET_BUFFER(memory.owner);
        if (buffer.buf != pointer) return memory; // a ctypes pointer's buffer is the pointer
        memory.size = static_cast<std::size_t>(buffer.len);
        memory.readonly = buffer.readonly;
    } else {
        memory.on_device =
            pointer_provider_of(memory.owner) || optional_attribute(memory.owner, "__cuda_array_interface__");
        PyErr_Clear();
    }
    return memory;
}

bool check_size(const Target &target, const Field &field, const CountedMemory &memory,
                const ArgumentContext &context) {
    const Field &counter = target.shape().fields[static_cast<std::size_t>(field.counted_by)];
    const auto count = static_cast<unsigned long long>(load_integer(counter, target.data + counter.offset));
    const std::size_t items = memory.is_known() ? memory.items(item_of(target.kind.tables(), field)) : 0;
    if (!memory.is_known() || count <= items) return true;
    return value_error(context, "has memory of %zu items, but '%s' is %llu", items, counter.name, count);
}

bool check_count(const Target &target, const Field &counter, unsigned long long count,
                 const ArgumentContext &context, const Field *setting) {
    const auto fields = target.shape().fields;
    for (const Field &array : fields) {
        if (&array == setting || array.counted_by < 0 ||
            &fields[static_cast<std::size_t>(array.counted_by)] != &counter)
            continue;
        const CountedMemory memory =
            counted_memory(target.owners.at(array.offset), target.data + array.offset);
        const std::size_t items = memory.is_known() ? memory.items(item_of(target.kind.tables(), array)) : 0;
        if (memory.is_known() && count > items)
            return value_error(context, "= %llu, but '%s' has %zu items", count, array.name, items);
    }
    return true;
}

bool check_count(const Target &target, const Field &field, PyObject *value, const ArgumentContext &context) {
    if (!*target.owners.dict) return true; // no pointer has an owner
    const unsigned long long count = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred()) return check_count(target, field, count, context);
    PyErr_Clear(); // the write itself gives a better message
    return true;
}

} // namespace pygpu
