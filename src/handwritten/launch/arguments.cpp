// Kernels, and arguments packed into one buffer.
#include "launch/arguments.hpp"

#include <string_view>

namespace pygpu {
namespace {

// The keys of the list that HIP calls `extra`.
void *const buffer_pointer = reinterpret_cast<void *>(std::uintptr_t{1});
void *const buffer_size = reinterpret_cast<void *>(std::uintptr_t{2});
void *const list_end = reinterpret_cast<void *>(std::uintptr_t{3});

bool is_code(const HandleClass &kind) {
    const std::string_view name = kind.name();
    return name.ends_with("Kernel_t") || name.ends_with("Function_t");
}

} // namespace

bool load_code(Memory &memory, PyObject *object, const Place &place) {
    void *handle = nullptr;
    if (const HandleClass *kind = HandleClass::unwrap(object, handle)) {
        if (!is_code(*kind)) return type_error(place, "a kernel, a function or an address (int)", object);
        memory.set(reinterpret_cast<std::uintptr_t>(handle));
        return true;
    }
    return memory.load(object, place, Access::place);
}

bool Converter<Packed>::load(PyObject *object, const Place &place) {
    const bool buffer = PyObject_CheckBuffer(object) && !is_c_pointer(object);
    if (!buffer && object != Py_None && !(PyIndex_Check(object) && !PySequence_Check(object)) &&
        !is_c_pointer(object)) {
        return type_error(place, "a buffer of packed arguments, an address (int) or None", object);
    }
    if (!memory.load(object, place, Access::address)) return false;
    if (buffer) bytes = memory.size();
    packed = buffer;
    return true;
}

Packed Converter<Packed>::value() const {
    if (!packed) return {static_cast<void **>(memory.pointer())};
    list = {buffer_pointer, memory.pointer(), buffer_size, const_cast<std::size_t *>(&bytes), list_end};
    return {list.data()};
}

} // namespace pygpu
