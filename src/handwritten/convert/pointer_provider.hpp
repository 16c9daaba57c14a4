// PyGPU's own objects that stand for memory. They are read without asking for attributes.
//
// All classes of one kind share a destructor, which identifies them; classes derived from them in Python are
// of that kind, too. Kinds are added while the module is made, by the layers above this one.
#pragma once

#include "convert/element.hpp"

#include <Python.h>

#include <array>
#include <cstddef>

namespace pygpu {

struct ProvidedPointer {
    void *pointer = nullptr;
    std::size_t size = 0; // bytes from there on, or Memory::unknown
    bool readonly = false;
    Element element{}; // what lies there, where the object says it
};

// Gives the memory that an object stands for. The memory's address escapes to the caller. An exception is
// set if the memory was freed or has ended.
using PointerProvider = ProvidedPointer (*)(PyObject *object);

// Whether PyGPU's object frees the memory, so that nobody else may free it.
using Owns = bool (*)(PyObject *object);

struct MemoryKind {
    destructor destroy;
    PointerProvider provide; // null for a kind that is read by its buffer
    Owns owns;
};

// All extension modules use the table of PyGPU._core (module/shared.hpp), so that each of them knows arrays.
struct MemoryKinds {
    std::array<MemoryKind, 8> kinds{};
    std::size_t count = 0;
    // Called with each address that a call takes, where set. Guarded by the GIL.
    void (*address_taken)(const void *pointer) = nullptr;
};
extern MemoryKinds *memory_kinds;

// Called while the module is made, with the GIL held.
void add_pointer_provider(destructor kind, PointerProvider provide, Owns owns);

// Null for an object of any other kind.
PointerProvider pointer_provider_of(PyObject *object);

// Whether PyGPU frees the memory of an object. This holds for PyGPU's own objects and for views on them, such
// as a numpy array on page-locked memory.
bool owns_memory(PyObject *object);

} // namespace pygpu
