// Arrays inside structs, as Python objects.
#pragma once

#include "types/structs/object.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// A view on an array. `counted` arrays lie outside of the struct, which holds only their address.
struct ItemsObject {
    PyObject_HEAD
    const StructTables *tables;
    Field field;
    StructObject *root;
    std::byte *data;
    bool foreign;
};

extern PyTypeObject *items_classes[2]; // of arrays inside the struct, and of counted ones

inline bool is_items(PyObject *object) {
    return Py_TYPE(object) == items_classes[0] || Py_TYPE(object) == items_classes[1];
}

} // namespace pygpu
