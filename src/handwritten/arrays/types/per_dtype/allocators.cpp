// HostAllocator_<dtype>, DeviceAllocator_<dtype>, PagelockedAllocator_<dtype>: each object holds one piece of
// memory.
#include "arrays/memory/allocate.hpp"
#include "arrays/memory/device_memory.hpp"
#include "arrays/types/per_dtype/bound.hpp"
#include "arrays/types/per_dtype/host_block.hpp"
#include "arrays/types/per_dtype/pointer_wrapper.hpp"
#include "arrays/types/per_dtype/take_memory.hpp"
#include "common/checked_int.hpp"
#include "convert/sizes.hpp"
#include "python/keywords.hpp"

#include <string>

namespace pygpu::arrays {
namespace {

enum class Location : unsigned char { host, device, page_locked };

struct Allocator : TypedValue {
    using TypedValue::TypedValue;

    Location location;
    bool was_taken = false;
    Py_ssize_t count = 0;
    void *pointer = nullptr;
    Reference block;         // the host's memory
    Retained<Buffer> buffer; // device memory, or page-locked memory

    int traverse(visitproc visit, void *arg) const {
        if (buffer) Py_VISIT(buffer->object());
        return 0;
    }

    bool allocated() const {
        const bool gone = buffer && (buffer->was_freed() || (pointer && buffer->ended()));
        return was_taken && !gone;
    }

    std::size_t nbytes() const { return static_cast<std::size_t>(count) * dtype.size; }

    py::object deallocate() {
        was_taken = false;
        count = 0;
        pointer = nullptr;
        block = {};
        buffer = {};
        return keep_status(success);
    }

    py::object allocate(py::handle n) {
        const Py_ssize_t wanted = load_count(n.ptr());
        const Runtime &runtime = deref_or_throw(arrays::runtime());
        deallocate();
        return keep_status(take(runtime, wanted));
    }

    py::object ptr() const {
        return or_throw(block ? make_host_pointer(dtype, pointer, count, false, block.get())
                              : make_buffer_pointer(dtype, pointer, count, buffer));
    }

    py::object repr() const {
        return or_throw(allocated() ? PyUnicode_FromFormat("<%s, %zd items at %p>", name, count, pointer)
                                    : PyUnicode_FromFormat("<%s, not allocated>", name));
    }

private:
    Py_ssize_t load_count(PyObject *n) const {
        const std::string call = std::string(name) + ".allocate()";
        Py_ssize_t wanted = 0;
        throw_unless(load_int(n, call.c_str(), "n", wanted));
        if (wanted < 0 || !(CheckedInt(wanted) * static_cast<Py_ssize_t>(dtype.size)).fits())
            raise(PyExc_ValueError, "%s: parameter 'n' = %zd is out of range", call.c_str(), wanted);
        return wanted;
    }

    int take(const Runtime &runtime, Py_ssize_t wanted) {
        const std::size_t size = static_cast<std::size_t>(wanted) * dtype.size;
        void *address = nullptr;
        Reference host;
        Retained<Buffer> device;
        if (location == Location::host) {
            host = make_host_block(size, address);
            PyErr_Clear();
            if (!host) return runtime.codes.out_of_memory;
        } else {
            const int failed = location == Location::device
                                   ? take_memory(runtime, size, device)
                                   : try_allocate_host(runtime, size, Buffer::Kind::pinned, device);
            if (failed) return failed;
            address = device->pointer;
        }
        // Another thread may have been quicker. Its memory ends last, since that may run any code.
        was_taken = true;
        count = wanted;
        pointer = address;
        std::swap(buffer, device);
        std::swap(block, host);
        return success;
    }
};

void bind_methods(py::class_<Allocator> &bound) {
    bound.def("allocate", &Allocator::allocate,
              "allocate(self, n, /)\n--\n\nReleases its memory and allocates memory for n items: of the "
              "host, page-locked, or of the current device, as the class says. Returns the error.");
    bound.def("deallocate", &Allocator::deallocate,
              "deallocate(self)\n--\n\nReleases the memory. It is freed when no pointer to it is left. "
              "Returns the error, which is success.");
    bound.def("ptr", &Allocator::ptr,
              "ptr(self)\n--\n\nA pointer_wrapper of the same dtype, null before allocate(). It keeps the "
              "memory alive. For host memory is_safe() is true.");
    bound.def("last_status", &Allocator::last_status,
              "last_status(self)\n--\n\nThe error of the last allocate() or deallocate(); success before "
              "any.");
    bound.def("allocated", &Allocator::allocated,
              "allocated(self)\n--\n\nWhether there is memory. There is none after a free() of an array on "
              "it, after a reset of the device, nor in a forked child.");
    bound.def(
        "size", [](const Allocator &self) { return self.count; }, "size(self)\n--\n\nThe number of items.");
    bound.def("nbytes", &Allocator::nbytes, "nbytes(self)\n--\n\nThe size in bytes.");
    bound.def("__repr__", &Allocator::repr);
}

PyTypeObject *base() { return base_class<Allocator>("_Allocator", bind_methods); }

// Calling the object makes it an allocator of arrays: each call returns new memory.
PyObject *call(PyObject *self, PyObject *args, PyObject *kwargs) {
    const Arguments arguments(name_of(self), {"nbytes"}, args, kwargs);
    Py_ssize_t bytes = 0;
    if (!arguments || !load_size(arguments[0], name_of(self), "nbytes", bytes)) return nullptr;
    Runtime *runtime = arrays::runtime();
    Retained<Buffer> buffer;
    if (!runtime) return nullptr;
    const int status = take_memory(*runtime, static_cast<std::size_t>(bytes), buffer);
    if (status) return raise_allocation(*runtime, status, name_of(self), static_cast<std::size_t>(bytes));
    return make_device_memory(buffer);
}

template <Location location> void construct(Allocator &allocator, PyObject *args, PyObject *kwargs) {
    allocator.location = location;
    if (PyTuple_GET_SIZE(args) || (kwargs && PyDict_GET_SIZE(kwargs)))
        raise(PyExc_TypeError, "%s() takes no arguments: allocate(n) does", allocator.name);
}

constexpr const char *doc =
    "()\n--\n\nOne piece of memory, taken by allocate(n) and released by deallocate(). Calls return the error "
    "and keep it for last_status(); wrong arguments raise TypeError or ValueError.";

constexpr const char *device_doc =
    "()\n--\n\nOne piece of a device's memory, taken by allocate(n) and released by deallocate(). Calls return "
    "the error and keep it for last_status(); wrong arguments raise TypeError or ValueError. Called with a "
    "number of bytes it gives DeviceMemory, and so serves as the allocator of arrays.";

} // namespace

Family &host_allocators() {
    static Family *family =
        make_family<Allocator, construct<Location::host>>("HostAllocator", base, {.doc = doc});
    return *family;
}

Family &device_allocators() {
    static Family *family = make_family<Allocator, construct<Location::device>>(
        "DeviceAllocator", base, {.call = call, .doc = device_doc});
    return *family;
}

Family &pagelocked_allocators() {
    static Family *family =
        make_family<Allocator, construct<Location::page_locked>>("PagelockedAllocator", base, {.doc = doc});
    return *family;
}

} // namespace pygpu::arrays
