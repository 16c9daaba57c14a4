// The few kinds of objects that stand for memory.
#include "convert/pointer_provider.hpp"

#include "python/reference.hpp"

namespace pygpu {
namespace {

constinit MemoryKinds own_memory_kinds;

const MemoryKind *kind_of(PyObject *object) {
    // A class that is derived in Python has Python's own destructor, so its base classes are asked, too.
    for (const PyTypeObject *type = Py_TYPE(object); type && type->tp_flags & Py_TPFLAGS_HEAPTYPE;
         type = type->tp_base) {
        for (std::size_t at = 0; at < memory_kinds->count; ++at) {
            const MemoryKind &one = memory_kinds->kinds[at];
            if (one.destroy == type->tp_dealloc) return &one;
        }
    }
    return nullptr;
}

// What the memory of a buffer belongs to: numpy's arrays have a base, memoryviews an obj.
Reference memory_below(PyObject *object) {
    for (const char *name : {"base", "obj"}) {
        Reference below(PyObject_CheckBuffer(object) ? PyObject_GetAttrString(object, name) : nullptr);
        if (below) return below;
        PyErr_Clear();
    }
    return {};
}

} // namespace

constinit MemoryKinds *memory_kinds = &own_memory_kinds;

void add_pointer_provider(destructor kind, PointerProvider provide, Owns owns) {
    memory_kinds->kinds.at(memory_kinds->count++) = {kind, provide, owns};
}

PointerProvider pointer_provider_of(PyObject *object) {
    const MemoryKind *kind = kind_of(object);
    return kind ? kind->provide : nullptr;
}

bool owns_memory(PyObject *object) {
    constexpr int most_views = 64; // one on top of the other
    Reference below = Reference::borrow(object);
    for (int at = 0; below && at < most_views; ++at) {
        if (const MemoryKind *kind = kind_of(below.get())) return kind->owns(below.get());
        below = memory_below(below.get());
    }
    return false;
}

} // namespace pygpu
