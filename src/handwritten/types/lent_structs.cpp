// Copies of structs by the numbers that tell them apart.
#include "types/lent_structs.hpp"

#include "convert/memory.hpp"
#include "python/reference.hpp"
#include "types/structs/object.hpp"
#include "types/structs/pointers.hpp"

#include <cstdint>
#include <cstring>

namespace pygpu {
namespace {

// Copies the texts that the fields here lead to. Which member of a union is valid, nobody knows.
bool own_texts(StructClass &kind, std::size_t layout, std::byte *data, const PointerOwners &owners) {
    if (kind.is_union()) return true;
    for (const Field &field : kind.layout(layout).fields) {
        std::byte *at = data + field.offset;
        if (field.count) continue;
        if (field.role == Role::nested &&
            !own_texts(kind.tables().structs[field.index], field.layout, at, owners.at(field.offset)))
            return false;
        const auto *text = is_text_pointer(field) ? static_cast<const char *>(loaded_pointer(at)) : nullptr;
        if (!text) continue;
        const Reference copied(PyBytes_FromString(text));
        if (!copied || !owners.at(field.offset).set(copied.get())) return false;
        store_pointer(at, PyBytes_AS_STRING(copied.get()));
    }
    return true;
}

} // namespace

PyObject *lent_copy(StructClass &kind, const void *bytes) {
    Reference copy(struct_copy(kind, bytes));
    StructObject *self = copy ? as_struct(copy.get()) : nullptr;
    if (self && !own_texts(kind, self->layout, self->data, owners_of(self))) return nullptr;
    return copy.release();
}

PyObject *lent_to_python(const TypedTable &table, long long number, const void *lent) {
    if (!lent) Py_RETURN_NONE;
    const TypedCase *one = table.find(number);
    if (!one || one->field.role != Role::nested) return PyLong_FromVoidPtr(const_cast<void *>(lent));
    return lent_copy(table.tables.structs[one->field.index], lent);
}

bool RecordArgument::load(PyObject *object, const ArgumentContext &context) {
    if (object == Py_None) return true;
    const StructObject *own = as_struct(object);
    PyObject *origin = own && !own->root && !own->foreign ? own->owner : nullptr;
    if (!origin && !is_address(object))
        return type_error(context, "what the call before returned, an address (int) or None", object);
    Memory memory;
    if (!memory.load(origin ? origin : object, context, Access::address)) return false;
    pointer_ = memory.pointer();
    return may_be_led_to(pointer_, context);
}

bool RecordArgument::check_within(const void *begin, std::size_t size, const ArgumentContext &context) {
    if (size == Memory::unknown) return true;
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    const auto here = reinterpret_cast<std::uintptr_t>(pointer_);
    end_ = static_cast<const std::byte *>(begin) + size;
    if (!pointer_ || (here >= first && here - first < size)) return true;
    return value_error(context, "lies in other memory");
}

PyObject *record_to_python(const TypedTable &table, StructClass &base, void *found, const std::byte *end) {
    if (!found) Py_RETURN_NONE;
    const auto *at = static_cast<const std::byte *>(found);
    const std::size_t left = end ? static_cast<std::size_t>(end > at ? end - at : 0) : Memory::unknown;
    if (left < base.size()) Py_RETURN_NONE;
    std::int32_t number = 0;
    std::memcpy(&number, at, sizeof number);
    StructClass *kind = &base;
    const TypedCase *one = table.find(number);
    if (one && one->field.role == Role::nested) {
        StructClass &known = table.tables.structs[one->field.index];
        if (known.size() <= left) kind = &known;
    }
    Reference copy(lent_copy(*kind, at));
    StructObject *self = copy ? as_struct(copy.get()) : nullptr;
    if (self && !(self->owner = PyLong_FromVoidPtr(found))) return nullptr;
    return copy.release();
}

} // namespace pygpu
