// Finding the memory of such arrays, and comparing their counts.
#include "types/structs/counted.hpp"

#include "binding/argument_errors.hpp"
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

StructObject *counted_memory(const PointerOwners &owners, const std::byte *at) {
    PyObject *holder = owners.get();
    StructObject *memory = holder ? as_struct(holder) : nullptr;
    const void *pointer = loaded_pointer(at);
    return memory && (pointer ? pointer == memory->data : !Py_SIZE(memory)) ? memory : nullptr;
}

std::size_t counted_items(const StructObject *memory, const Field &item) {
    return static_cast<std::size_t>(Py_SIZE(memory)) / item.size;
}

bool check_count(const Target &target, const Field &counter, unsigned long long count,
                 const ArgumentContext &context, const Field *setting) {
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

bool check_count(const Target &target, const Field &field, PyObject *value, const ArgumentContext &context) {
    if (!*target.owners.dict) return true; // nothing was filled from a sequence
    const unsigned long long count = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred()) return check_count(target, field, count, context);
    PyErr_Clear(); // the write itself gives a better message
    return true;
}

} // namespace pygpu
