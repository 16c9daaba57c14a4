// Objects of PyGPU's own that stand for memory: read without asking for attributes.
//
// All classes of one kind share a destructor, which identifies them; classes derived from them in Python are
// of that kind, too. Kinds are added while the module is made, by the layers above this one.
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>

namespace pygpu {

struct ProvidedPointer {
    void *pointer = nullptr;
    std::size_t size = 0; // bytes from there on, or Memory::unknown
    bool readonly = false;
};

// Gives the memory that an object stands for. Its address escapes by that. ValueError is set where it was
// freed.
using PointerProvider = ProvidedPointer (*)(PyObject *object);

// Whether the memory ends with PyGPU's object, so that nobody else may free it.
using Owns = bool (*)(PyObject *object);

struct MemoryKind {
    destructor destroy;
    PointerProvider provide; // null for a kind that is read by its buffer
    Owns owns;
};

// All extension modules take PyGPU._core's (module/shared.hpp): an array is one to each of them.
struct MemoryKinds {
    std::array<MemoryKind, 8> kinds{};
    std::size_t count = 0;
    // Called with each address that a call takes, where set. Guarded by the GIL.
    void (*address_taken)(const void *pointer) = nullptr;
};
inline MemoryKinds own_memory_kinds;
inline MemoryKinds *memory_kinds = &own_memory_kinds;

// While the module is made, under the GIL.
void add_pointer_provider(destructor kind, PointerProvider provide, Owns owns);

// Null for an object of any other kind.
PointerProvider pointer_provider_of(PyObject *object);

// Whether PyGPU frees the memory of an object: of its own kinds, and of what stands on them, as a numpy array
// stands on page-locked memory.
bool owns_memory(PyObject *object);

} // namespace pygpu
