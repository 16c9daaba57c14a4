// Owning memory of the host.
#include "arrays/types/per_dtype/host_block.hpp"

namespace pygpu::arrays {

Reference make_host_block(std::size_t size, void *&pointer) {
    pointer = PyMem_RawCalloc(size ? size : 1, 1);
    if (!pointer) {
        PyErr_NoMemory();
        return {};
    }
    Reference owner(PyCapsule_New(
        pointer, nullptr, [](PyObject *capsule) { PyMem_RawFree(PyCapsule_GetPointer(capsule, nullptr)); }));
    if (!owner) PyMem_RawFree(pointer);
    return owner;
}

} // namespace pygpu::arrays
