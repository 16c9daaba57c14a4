// What a value in memory is, by the role of its field.
#include "types/structs/item.hpp"

#include "convert/memory.hpp"
#include "types/enums/enum_class.hpp"
#include "types/handles/handle_class.hpp"
#include "types/structs/callables.hpp"
#include "types/structs/characters.hpp"
#include "types/structs/numbers.hpp"
#include "types/structs/pointers.hpp"

namespace pygpu {
namespace {

PyObject *read_text_pointer(const std::byte *at) {
    const auto *text = static_cast<const char *>(loaded_pointer(at));
    if (!text) Py_RETURN_NONE;
    return PyUnicode_DecodeFSDefault(text);
}

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
        if (is_text_pointer(field)) return read_text_pointer(at);
        return to_python(static_cast<const void *>(loaded_pointer(at)));
    case Role::nested:
        return struct_member(tables.structs[field.index], field.layout, root, at);
    case Role::bytes:
    case Role::text:
        return read_characters(field, at);
    case Role::callable:
        return read_callable(field, at);
    case Role::user_data:
        return read_user_data(field, at, root);
    default: // only behind a pointer
        break;
    }
    return nullptr;
}

} // namespace pygpu
