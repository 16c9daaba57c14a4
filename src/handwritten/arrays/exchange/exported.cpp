// Making tensors and their capsules, and deleting them on any thread.
#include "arrays/exchange/exported.hpp"

#include "arrays/exchange/dtype.hpp"
#include "python/callback.hpp"
#include "python/exception_aside.hpp"

#include <cstring>

namespace pygpu::arrays {
namespace {

// One piece of memory: the tensor, the object that it keeps alive, then shape and strides.
template <class Managed> struct Lent {
    Managed managed;
    Buffer *buffer;
    PyObject *owner;

    std::int64_t *sizes() { return reinterpret_cast<std::int64_t *>(this + 1); }
};

// Whether this thread holds the GIL. PyGILState_Check() is true for any thread once there was a
// subinterpreter.
bool has_gil() {
#if PY_VERSION_HEX >= 0x030d0000
    PyThreadState *current = PyThreadState_GetUnchecked();
#else
    PyThreadState *current = _PyThreadState_UncheckedGet();
#endif
    return current && current == PyGILState_GetThisThreadState();
}

// With the GIL, which PyObject_Free() needs, too.
template <class Managed> void end(Managed *managed) {
    auto *lent = reinterpret_cast<Lent<Managed> *>(managed);
    if (lent->buffer) lent->buffer->take_back();
    Py_XDECREF(lent->owner);
    PyObject_Free(lent);
}

// At exit it does nothing: the memory ends with the process.
template <class Managed> void give_back(Managed *managed) {
    if (!managed || !Py_IsInitialized()) return;
    if (has_gil()) {
        const ExceptionAside aside;
        end(managed);
    } else {
        enter_python([](void *tensor) { end(static_cast<Managed *>(tensor)); }, managed);
    }
}

std::uint64_t flags_of(const Exported &array) {
    return (array.buffer && array.buffer->readonly ? DLPACK_FLAG_BITMASK_READ_ONLY : 0) |
           (array.copied ? DLPACK_FLAG_BITMASK_IS_COPIED : 0);
}

template <class Managed> Managed *lend(const Exported &array) {
    const std::size_t size = sizeof(Lent<Managed>) + 2 * sizeof(std::int64_t) * array.axes;
    auto *lent = static_cast<Lent<Managed> *>(PyObject_Malloc(size));
    if (!lent) {
        PyErr_NoMemory();
        return nullptr;
    }
    if (!describe(array, lent->sizes(), lent->sizes() + array.axes, lent->managed.dl_tensor)) {
        PyObject_Free(lent);
        return nullptr;
    }
    lent->managed.manager_ctx = lent;
    lent->managed.deleter = give_back<Managed>;
    lent->buffer = array.buffer;
    lent->owner = Py_XNewRef(array.buffer ? nullptr : array.owner);
    if (array.buffer) array.buffer->lend();
    if constexpr (requires { lent->managed.version; }) {
        lent->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
        lent->managed.flags = flags_of(array);
    }
    return &lent->managed;
}

// A consumer that takes the tensor renames the capsule, and calls the deleter itself.
template <class Managed> PyObject *in_capsule(const Exported &array, const char *name) {
    Managed *managed = lend<Managed>(array);
    if (!managed) return nullptr;
    PyObject *capsule = PyCapsule_New(managed, name, [](PyObject *self) {
        const char *its = PyCapsule_GetName(self);
        if (!std::strncmp(its, "used_", 5)) return;
        give_back(static_cast<Managed *>(PyCapsule_GetPointer(self, its)));
    });
    if (!capsule) give_back(managed);
    return capsule;
}

} // namespace

bool describe(const Exported &array, std::int64_t *shape, std::int64_t *strides, DLTensor &tensor) {
    DLDataType type;
    if (!load_dlpack_type(array.dtype, array.itemsize, type)) return false;
    bool empty = false;
    for (int axis = 0; axis < array.axes; ++axis) {
        const ssize_t stride = array.strides[axis];
        shape[axis] = array.shape[axis];
        empty |= !array.shape[axis];
        strides[axis] = stride / array.itemsize;
        if (array.shape[axis] <= 1) {
            strides[axis] = strides[axis] < 0 ? 1 : strides[axis]; // no element is reached by it
        } else if (stride < 0 || stride % array.itemsize) {
            PyErr_Format(
                PyExc_BufferError,
                "GPUArray: DLPack can't express strides that are %s (axis %d: %zd bytes): a.copy() has "
                "others",
                stride < 0 ? "negative" : "no multiple of the item's size", axis, stride);
            return false;
        }
    }
    tensor = {
        empty ? nullptr : const_cast<void *>(array.data), array.device, array.axes, type, shape, strides, 0};
    return true;
}

DLManagedTensorVersioned *lend_versioned(const Exported &array) {
    return lend<DLManagedTensorVersioned>(array);
}

PyObject *lend_capsule(const Exported &array, PyObject *max_version) {
    long major = 0;
    if (max_version && max_version != Py_None) {
        if (!PyTuple_Check(max_version) || PyTuple_GET_SIZE(max_version) != 2)
            return PyErr_Format(PyExc_TypeError,
                                "__dlpack__(): parameter 'max_version' must be a tuple of two ints, not %R",
                                max_version);
        major = PyLong_AsLong(PyTuple_GET_ITEM(max_version, 0));
        if (major == -1 && PyErr_Occurred()) return nullptr;
    }
    if (major >= DLPACK_MAJOR_VERSION)
        return in_capsule<DLManagedTensorVersioned>(array, "dltensor_versioned");
    if (array.buffer && array.buffer->readonly)
        return PyErr_Format(
            PyExc_BufferError,
            "__dlpack__(): the array is read-only, which a capsule without a version can't say: "
            "pass max_version=(1, 0) or later");
    return in_capsule<DLManagedTensor>(array, "dltensor");
}

} // namespace pygpu::arrays
