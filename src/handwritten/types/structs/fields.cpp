// Values, arrays inside the struct, and arrays that it points to.
#include "types/structs/fields.hpp"

#include "python/reference.hpp"
#include "types/structs/counted.hpp"
#include "types/structs/item.hpp"
#include "types/structs/items_type.hpp"
#include "types/structs/numbers.hpp"
#include "types/structs/pointers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace pygpu {
namespace {

// A view on the array that a pointer with a count leads to. It keeps Python's memory alive, but not C's. Of
// memory on a device it has no items, only the address.
PyObject *read_counted(StructObject *self, const Field &field) {
    const StructTables &tables = self->kind->tables();
    const std::byte *at = self->data + field.offset;
    const Field &counter = self->shape().fields[static_cast<std::size_t>(field.counted_by)];
    Field item = item_of(tables, field);
    auto *data = static_cast<std::byte *>(loaded_pointer(at));
    const CountedMemory memory = counted_memory(owners_of(self).at(field.offset), at);
    const auto count = static_cast<unsigned long long>(load_integer(counter, self->data + counter.offset));
    const std::size_t most = memory.is_known() ? memory.items(item) : PTRDIFF_MAX / item.size;
    const bool readable = data && !memory.on_device;
    item.count = static_cast<std::uint32_t>(
        readable ? std::min<unsigned long long>({count, most, std::numeric_limits<std::uint32_t>::max()})
                 : 0);
    if (memory.array || !data)
        return make_counted_items(tables, item, data, memory.array ? memory.array : self->root_of(), false);
    PyObject *const keeper = memory.owner ? memory.owner : object(self->root_of());
    const Reference root(struct_at(*self->kind, data, keeper));
    if (!root) return nullptr;
    as_struct(root.get())->readonly = memory.readonly;
    return make_counted_items(tables, item, data, as_struct(root.get()), !memory.is_known());
}

} // namespace

PyObject *read_field(StructObject *self, const Field &field) {
    if (field.counted_by >= 0) return read_counted(self, field);
    const StructTables &tables = self->kind->tables();
    std::byte *at = self->data + field.offset;
    const bool whole = !field.count || field.role == Role::bytes || field.role == Role::text;
    return whole ? read_item(tables, field, at, self->root_of())
                 : make_items(tables, field, at, self->root_of());
}

} // namespace pygpu
