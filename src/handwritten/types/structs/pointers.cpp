// Storing pointers, handles and a launch's arguments, with what keeps them alive.
#include "types/structs/pointers.hpp"

#include "binding/argument_errors.hpp"
#include "convert/memory.hpp"
#include "types/handles/handle_class.hpp"
#include "types/launch/arguments.hpp"
#include "types/launch/values.hpp"

#include <memory>

namespace pygpu {
namespace {

template <class T> constexpr const char *capsule_name_of = nullptr;
template <> constexpr const char *capsule_name_of<LaunchValues> = "PyGPU's launch arguments";

// A capsule that owns what C's pointer leads to.
template <class T> Reference capsule_of(std::unique_ptr<T> owned) {
    Reference capsule(PyCapsule_New(owned.get(), capsule_name_of<T>, [](PyObject *self) {
        delete static_cast<T *>(PyCapsule_GetPointer(self, capsule_name_of<T>));
    }));
    if (capsule) static_cast<void>(owned.release());
    return capsule;
}

// Stores a launch's arguments. `owned` says that C's pointer leads into
// `values`, so the struct must own it. Otherwise the pointer leads where `value` does.
template <class T>
bool write_values(std::unique_ptr<T> values, bool owned, std::byte *at, const PointerOwners &owners,
                  PyObject *value) {
    void **pointers = values->pointers();
    const Reference holder = owned ? capsule_of(std::move(values)) : owner_of(value);
    if ((owned && !holder) || !owners.set(holder.get())) return false;
    store_pointer(at, pointers);
    return true;
}

bool write_arguments(std::byte *at, const PointerOwners &owners, PyObject *value,
                     const ArgumentContext &context) {
    auto values = std::make_unique<LaunchValues>();
    if (!values->load(value, context)) return false;
    const bool owned = values->counted();
    return write_values(std::move(values), owned, at, owners, value);
}

bool write_packed(const Field &field, std::byte *at, const PointerOwners &owners, PyObject *value,
                  const ArgumentContext &context) {
    auto values = std::make_unique<PackedValues>();
    if (!values->load(value, context, field.item_index)) return false;
    const bool owned = values->packed();
    return write_values(std::move(values), owned, at, owners, value);
}

// The struct keeps the encoded text.
bool write_text_pointer(std::byte *at, const PointerOwners &owners, PyObject *value,
                        const ArgumentContext &context) {
    const Reference encoded(PyUnicode_EncodeFSDefault(value));
    if (!encoded) {
        PyErr_Clear();
        return value_error(context, "cannot be encoded as UTF-8");
    }
    const char *text = PyBytes_AS_STRING(encoded.get());
    if (std::strlen(text) != static_cast<std::size_t>(PyBytes_GET_SIZE(encoded.get())))
        return value_error(context, "holds a NUL character");
    if (!owners.set(encoded.get())) return false;
    store_pointer(at, text);
    return true;
}

} // namespace

Reference owner_of(PyObject *value) {
    if (value == Py_None || PyLong_CheckExact(value)) return {};
    if (PyObject_CheckBuffer(value)) {
        if (Reference view{PyMemoryView_FromObject(value)}) return view;
        PyErr_Clear();
    }
    return Reference::borrow(value);
}

const LaunchValues *values_at(const PointerOwners &owners) {
    PyObject *owner = owners.get();
    const char *name = capsule_name_of<LaunchValues>;
    const bool is_values = owner && PyCapsule_IsValid(owner, name);
    return is_values ? static_cast<const LaunchValues *>(PyCapsule_GetPointer(owner, name)) : nullptr;
}

bool write_pointer(const Field &field, std::byte *at, const PointerOwners &owners, PyObject *value,
                   const ArgumentContext &context) {
    if (field.item_role == Role::arguments) return write_arguments(at, owners, value, context);
    if (field.item_role == Role::packed) return write_packed(field, at, owners, value, context);
    if (is_text_pointer(field) && PyUnicode_Check(value))
        return write_text_pointer(at, owners, value, context);
    if (field.item_role == Role::freed && !may_be_freed(value, context)) return false;
    Memory memory;
    const bool loaded = field.item_role == Role::code ? load_code(memory, value, context)
                                                      : memory.load(value, context, Access::address);
    if (!loaded) return false;
    store_pointer(at, memory.pointer());
    return owners.set(owner_of(value).get());
}

bool write_handle(HandleClass &handles, std::byte *at, const PointerOwners &owners, PyObject *value,
                  const ArgumentContext &context) {
    void *handle = nullptr;
    if (!handles.load(value, context, handle)) return false;
    store_pointer(at, handle);
    return owners.set(owner_of(value).get());
}

} // namespace pygpu
