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
