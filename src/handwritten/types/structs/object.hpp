// Struct objects: memory of their own, or a view on memory that they keep alive.
#pragma once

#include "types/structs/struct_class.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

struct alignas(16) StructObject {
    PyObject_VAR_HEAD StructClass *kind;
    std::byte *data;
    StructObject *root; // whose memory a view looks at, null where it is its own or foreign
    PyObject *owner;    // of foreign memory
    PyObject *kept;     // a root's dict: offset of a pointer -> what it keeps alive
    std::size_t layout;
    bool foreign;

    const Layout &shape() const { return kind->layout(layout); }
    StructObject *root_of() { return root ? root : this; }
    bool is_foreign() { return root_of()->foreign; }
};

inline PyObject *object(StructObject *self) { return reinterpret_cast<PyObject *>(self); }

// The struct object behind a Python object, or null.
StructObject *as_struct(PyObject *object);

// New objects, each null with the exception set.
StructObject *new_struct(StructClass &kind, std::size_t layout); // zeros
// Memory of `size` zeros for an array that a struct of this kind points to; nobody but views on it sees it.
StructObject *new_array(StructClass &kind, std::size_t size);
PyObject *struct_copy(StructClass &kind, const void *bytes); // in the current layout
StructObject *struct_view(StructClass &kind, std::size_t layout, StructObject *root, std::byte *data);
PyObject *struct_at(StructClass &kind, void *address, PyObject *owner); // foreign memory
// What a member of a struct is, a view or an object of its own module's; at `data` in the memory of `root`.
PyObject *struct_member(StructClass &kind, std::size_t layout, StructObject *root, std::byte *data);

// What the pointers in a stretch of memory keep alive: the dict of its owner, and where in that memory it is.
struct Keeper {
    PyObject **dict;
    std::size_t base = 0;

    Keeper at(std::size_t offset) const { return {dict, base + offset}; }
    // Keeps `object` for the pointer here; null lets go of what was kept.
    bool keep(PyObject *object) const;
    PyObject *get() const; // borrowed
    // Replaces what `size` bytes here keep by what `size` bytes there keep.
    bool take(const Keeper &from, std::size_t size) const;
    bool drop(std::size_t size) const; // lets go of what `size` bytes here keep
};

Keeper struct_keeper(StructObject *self);

// Slots of every struct type.
void destroy_struct(PyObject *self);
int traverse_struct(PyObject *self, visitproc visit, void *arg);
int clear_struct(PyObject *self);

} // namespace pygpu
