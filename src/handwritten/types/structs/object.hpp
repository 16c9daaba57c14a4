// Struct objects: memory of their own, or a view on memory that they keep alive.
#pragma once

#include "types/structs/struct_class.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

struct alignas(16) StructObject {
    PyObject_VAR_HEAD StructClass *kind;
    std::byte *data;
    StructObject *root; // has the memory of a view; null for own or foreign memory
    PyObject *owner;    // keeps foreign memory alive; of a record's copy, the record's address
    PyObject *owners;   // a root's dict: offset of a pointer -> the owner of what it points to
    std::size_t layout;
    bool foreign;
    bool readonly; // a root's: the memory is a buffer's that may not be written

    const Layout &shape() const { return kind->layout(layout); }
    StructObject *root_of() { return root ? root : this; }
    bool is_foreign() { return root_of()->foreign; }
};

inline PyObject *object(StructObject *self) { return reinterpret_cast<PyObject *>(self); }
// For an object that is known to be a struct.
inline StructObject *self_of(PyObject *object) { return reinterpret_cast<StructObject *>(object); }

// The struct object behind a Python object, or null.
StructObject *as_struct(PyObject *object);

// New objects, each null with the exception set.
StructObject *new_struct(StructClass &kind, std::size_t layout); // zeros
// Memory of `size` zeros for an array that a struct of this kind points to. Only views on the array refer to
// it.
StructObject *new_array(StructClass &kind, std::size_t size);
PyObject *struct_copy(StructClass &kind, const void *bytes); // in the current layout
StructObject *struct_view(StructClass &kind, std::size_t layout, StructObject *root, std::byte *data);
PyObject *struct_at(StructClass &kind, void *address, PyObject *owner); // foreign memory
// The object for a struct's member at `data` in the memory of `root`: a view, or an object of the module that
// has the member's class.
PyObject *struct_member(StructClass &kind, std::size_t layout, StructObject *root, std::byte *data);

// The owners of what the pointers in a piece of memory point to: a root's dict, and the offset of the memory
// in that root.
struct PointerOwners {
    PyObject **dict;
    std::size_t base = 0;

    PointerOwners at(std::size_t offset) const { return {dict, base + offset}; }
    // Sets the owner for the pointer here; null releases the former owner.
    bool set(PyObject *object) const;
    PyObject *get() const; // borrowed
    // Replaces the owners of `size` bytes here by the owners of `size` bytes at `from`.
    bool take(const PointerOwners &from, std::size_t size) const;
    bool drop(std::size_t size) const; // releases the owners of `size` bytes here
};

PointerOwners owners_of(StructObject *self);

// Slots of every struct type.
void destroy_struct(PyObject *self);
int traverse_struct(PyObject *self, visitproc visit, void *arg);
int clear_struct(PyObject *self);

} // namespace pygpu
