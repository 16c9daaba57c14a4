// The classes that are named after a dtype. A family has one implementation, and a class for each dtype of
// the table (dtype.hpp). Classes are made on first use.
#pragma once

#include "arrays/types/per_dtype/dtype.hpp"
#include "python/heap_type.hpp"

#include <Python.h>

#include <array>

namespace pygpu::arrays {

class Family {
public:
    // `table` and `object_size` are for the Python types. The docstring begins with the signature, without
    // the name of the class. `base` makes the class from which they derive, on first use; null with an
    // exception set.
    Family(const char *name, std::size_t object_size, const TypeTable &table,
           PyTypeObject *(*base)() = nullptr)
        : name_(name), object_size_(object_size), table_(table), base_(base) {}

    const char *name() const { return name_; }

    PyTypeObject *type_of(const DType &dtype); // borrowed; null with an exception set

private:
    const char *name_;
    std::size_t object_size_;
    TypeTable table_;
    PyTypeObject *(*base_)();
    std::array<PyTypeObject *, dtype_count> types_{};
};

Family &pointer_wrappers();
Family &device_arrays();
Family &host_allocators();
Family &device_allocators();
Family &pagelocked_allocators();

// The name of a class or of an object's class, without "PyGPU.".
inline const char *name_of(const PyTypeObject *type) { return type->tp_name + 6; }
inline const char *name_of(PyObject *object) { return name_of(Py_TYPE(object)); }

// The dtype of a family's class.
const DType &dtype_of(const PyTypeObject *type);

// Adds typed_names, a tuple, and typed_class(name) to a module.
bool add_typed(PyObject *module);

} // namespace pygpu::arrays
