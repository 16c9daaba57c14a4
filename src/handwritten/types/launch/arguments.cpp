// Kernels, and arguments packed into one buffer.
#include "types/launch/arguments.hpp"

namespace pygpu {
namespace {

// The keys of the list that both APIs call `extra`.
void *const buffer_pointer = reinterpret_cast<void *>(std::uintptr_t{1});
void *const buffer_size = reinterpret_cast<void *>(std::uintptr_t{2});

} // namespace

bool load_code(Memory &memory, PyObject *object, const ArgumentContext &context) {
    void *handle = nullptr;
    const HandleClass *kind = HandleClass::unwrap(object, handle);
    Reference other;
    if (!kind) {
        // The runtime's launches take both handles of a kernel, its graphs only the one of all contexts.
        other = kernel_of_all_contexts(object);
        if (other) object = other.get();
        if (!other && PyErr_Occurred()) return false;
    }
    if (!kind && !load_any_handle(object, handle)) return memory.load(object, context, Access::location);
    if (PyErr_Occurred()) return false;
    if (!(kind ? kind->is_kernel() : is_foreign_kernel(object)))
        return type_error(context, "a kernel, a function or an address (int)", object);
    memory.set(reinterpret_cast<std::uintptr_t>(handle));
    return true;
}

bool PackedValues::load(PyObject *object, const ArgumentContext &context, std::uintptr_t end) {
    if (object == Py_None) return true;
    const bool buffer = PyObject_CheckBuffer(object) && !is_c_pointer(object);
    if (!buffer && !is_number(object) && !is_c_pointer(object)) {
        return type_error(context, "a buffer of packed arguments, an address (int) or None", object);
    }
    if (!memory_.load(object, context, Access::address)) return false;
    if (!buffer) return true;
    bytes_ = memory_.size();
    list_ = {buffer_pointer, memory_.pointer(), buffer_size, &bytes_, reinterpret_cast<void *>(end)};
    packed_ = true;
    return true;
}

void **PackedValues::pointers() const {
    return packed_ ? const_cast<void **>(list_.data()) : static_cast<void **>(memory_.pointer());
}

} // namespace pygpu
