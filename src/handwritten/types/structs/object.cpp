// Making, viewing and ending struct objects, and what their pointers keep alive.
#include "types/structs/object.hpp"

#include "python/heap_type.hpp"
#include "python/reference.hpp"
#include "python/trashcan.hpp"

#include <cstdint>
#include <cstring>

namespace pygpu {
namespace {

StructObject *allocate(StructClass &kind, std::size_t layout, std::size_t capacity) {
    PyTypeObject *type = kind.type();
    if (!type) return nullptr;
    const std::size_t spare = kind.align() - least_struct_align; // objects have this alignment anyway
    auto *self =
        reinterpret_cast<StructObject *>(type->tp_alloc(type, static_cast<Py_ssize_t>(capacity + spare)));
    if (!self) return nullptr;
    self->kind = &kind;
    self->layout = layout;
    const auto behind = reinterpret_cast<std::uintptr_t>(self + 1);
    self->data = reinterpret_cast<std::byte *>((behind + spare) / kind.align() * kind.align());
    return self;
}

// The entries of a dict of owners between two offsets, as a list of (offset, object).
Reference entries(PyObject *dict, std::size_t from, std::size_t size) {
    Reference pairs(PyList_New(0));
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (dict && pairs && PyDict_Next(dict, &position, &key, &value)) {
        const std::size_t offset = PyLong_AsSize_t(key);
        if (offset < from || offset >= from + size) continue;
        Reference pair(PyTuple_Pack(2, key, value));
        if (!pair || PyList_Append(pairs.get(), pair.get())) return {};
    }
    return pairs;
}

} // namespace

StructObject *as_struct(PyObject *object) {
    return Py_TYPE(object)->tp_dealloc == destroy_struct ? reinterpret_cast<StructObject *>(object) : nullptr;
}

StructObject *new_struct(StructClass &kind, std::size_t layout) {
    return allocate(kind, layout, kind.layout(layout).size);
}

StructObject *new_array(StructClass &kind, std::size_t size) { return allocate(kind, kind.current(), size); }

PyObject *struct_copy(StructClass &kind, const void *bytes) {
    if (kind.is_foreign()) {
        auto *type = reinterpret_cast<PyObject *>(kind.type());
        const Reference copied(PyBytes_FromStringAndSize(static_cast<const char *>(bytes),
                                                         static_cast<Py_ssize_t>(kind.size())));
        return type && copied ? PyObject_CallMethod(type, "from_bytes", "O", copied.get()) : nullptr;
    }
    StructObject *self = new_struct(kind, kind.current());
    if (self) std::memcpy(self->data, bytes, kind.size());
    return object(self);
}

StructObject *struct_view(StructClass &kind, std::size_t layout, StructObject *root, std::byte *data) {
    StructObject *self = allocate(kind, layout, 0);
    if (!self) return nullptr;
    Py_INCREF(root);
    self->root = root;
    self->data = data;
    return self;
}

PyObject *struct_at(StructClass &kind, void *address, PyObject *owner) {
    if (kind.is_foreign()) {
        auto *type = reinterpret_cast<PyObject *>(kind.type());
        const auto number = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address));
        return type ? PyObject_CallMethod(type, "from_address", "KO", number, owner ? owner : Py_None)
                    : nullptr;
    }
    StructObject *self = allocate(kind, kind.current(), 0);
    if (!self) return nullptr;
    self->owner = Py_XNewRef(owner);
    self->data = static_cast<std::byte *>(address);
    self->foreign = true;
    return object(self);
}

PyObject *struct_member(StructClass &kind, std::size_t layout, StructObject *root, std::byte *data) {
    if (kind.is_foreign()) return struct_at(kind, data, object(root));
    return object(struct_view(kind, layout, root, data));
}

PointerOwners owners_of(StructObject *self) {
    StructObject *root = self->root_of();
    return {&root->owners, static_cast<std::size_t>(self->data - root->data)};
}

bool PointerOwners::set(PyObject *object) const {
    if (!object && !*dict) return true;
    if (!*dict && !(*dict = PyDict_New())) return false;
    Reference key(PyLong_FromSize_t(base));
    if (!key) return false;
    if (object) return !PyDict_SetItem(*dict, key.get(), object);
    const int known = PyDict_Contains(*dict, key.get());
    return known == 0 || (known == 1 && !PyDict_DelItem(*dict, key.get()));
}

PyObject *PointerOwners::get() const {
    if (!*dict) return nullptr;
    Reference key(PyLong_FromSize_t(base));
    PyObject *owner = key ? PyDict_GetItemWithError(*dict, key.get()) : nullptr;
    if (!owner) PyErr_Clear();
    return owner;
}

bool PointerOwners::take(const PointerOwners &from, std::size_t size) const {
    if (!*from.dict && !*dict) return true;
    // Collected first: the two may be parts of the same memory.
    Reference incoming = entries(*from.dict, from.base, size);
    Reference outgoing = entries(*dict, base, size);
    if (PyErr_Occurred()) return false;
    for (Py_ssize_t at = 0; outgoing && at < PyList_GET_SIZE(outgoing.get()); ++at) {
        if (PyDict_DelItem(*dict, PyTuple_GET_ITEM(PyList_GET_ITEM(outgoing.get(), at), 0))) return false;
    }
    for (Py_ssize_t at = 0; incoming && at < PyList_GET_SIZE(incoming.get()); ++at) {
        PyObject *pair = PyList_GET_ITEM(incoming.get(), at);
        const std::size_t offset = PyLong_AsSize_t(PyTuple_GET_ITEM(pair, 0)) - from.base;
        if (!this->at(offset).set(PyTuple_GET_ITEM(pair, 1))) return false;
    }
    return true;
}

bool PointerOwners::drop(std::size_t size) const {
    PyObject *nothing = nullptr;
    return take({&nothing, 0}, size);
}

void destroy_struct(PyObject *object) {
    auto *self = reinterpret_cast<StructObject *>(object);
    PyObject_GC_UnTrack(object);
    Py_TRASHCAN_BEGIN(object, destroy_struct);
    Py_CLEAR(self->owners);
    Py_CLEAR(self->owner);
    Py_CLEAR(self->root);
    free_object(object);
    Py_TRASHCAN_END;
}

int traverse_struct(PyObject *object, visitproc visit, void *arg) {
    auto *self = reinterpret_cast<StructObject *>(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->root);
    Py_VISIT(self->owner);
    Py_VISIT(self->owners);
    return 0;
}

// `root` and `owner` stay until the object is destroyed, because it may still be used while a cycle is
// broken.
int clear_struct(PyObject *object) {
    Py_CLEAR(reinterpret_cast<StructObject *>(object)->owners);
    return 0;
}

} // namespace pygpu
