// The kernels of an elementwise function: one for each combination of types, layouts and devices.
#pragma once

#include "kernels/operands.hpp"
#include "python/reference.hpp"

#include <Python.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sys/types.h>
#include <vector>

namespace pygpu::kernels {

// What one kernel is made for, besides the types.
struct KernelLayout {
    int axes = 0;            // 0: each array is one run of elements
    bool packed = false;     // aligned runs, several elements a thread
    bool wide = false;       // so many elements that their number needs 64 bits
    bool ranged = false;     // a part of the elements
    std::uint32_t plain = 0; // a bit for each operand that is an address alone

    bool operator==(const KernelLayout &) const = default;
};

struct ParameterType {
    Reference dtype;
    ssize_t size = 0;
    char kind = 0; // numpy's letter; 0 for no plain number
};

// What is known for one combination of operands' types.
struct TypesEntry {
    struct Variant {
        KernelLayout layout;
        int device;
        Reference kernel;
    };

    std::array<PyObject *, most_operands> kinds{}; // Operand::kind(), or null; retained
    int count = 0;
    Reference plan;
    std::vector<ParameterType> parameters;
    int pack = 0;
    unsigned written = 0; // a bit for each array that a loop writes
    std::vector<Variant> variants;

    TypesEntry() = default;
    TypesEntry(const TypesEntry &) = delete;
    TypesEntry &operator=(const TypesEntry &) = delete;
    ~TypesEntry();
};

class ElementwiseTypes {
public:
    explicit ElementwiseTypes(PyObject *maker) : maker_(Py_NewRef(maker)) {}

    PyObject *maker() const { return maker_.get(); }

    // The entry for the operands; asks the maker for a new one. Null with an exception set.
    std::shared_ptr<TypesEntry> find(const Operands &operands, PyObject *name, int outputs);

    // The kernel for a layout on a device, which is the current one. Null with an exception set.
    PyObject *kernel(TypesEntry &types, const KernelLayout &layout, int device);

    // Writes a number as the kernel takes it. False with an exception set.
    bool load_number(PyObject *number, const ParameterType &parameter, PyObject *name, std::byte *bytes,
                     std::size_t most);

private:
    std::shared_ptr<TypesEntry> make(const Operands &operands, PyObject *name, int outputs);

    Reference maker_;
    std::vector<std::shared_ptr<TypesEntry>> entries_; // the last one used comes first
};

} // namespace pygpu::kernels
