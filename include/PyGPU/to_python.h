// From C++ to Python: memory that C++ allocated becomes a PyGPU.GPUArray, which frees it with the given
// deleter.
//
//     pygpu::device_array<float> make(std::int64_t rows) {
//         float *pointer = allocate(rows * 8);
//         return {pointer, {rows, 8}, [](float *memory) { deallocate(memory); }};
//     }
//
// The deleter is called once: after the last array on the memory is gone and the work that PyGPU queued on
// the memory is done, or as soon as Python fails to take the memory. It may be called on any thread, and must
// not throw. Elements lie compact in C order. PyGPU is imported when the first array is handed over; nothing
// has to be linked.
#pragma once

#include "PyGPU/detail/dlpack.h"
#include "PyGPU/detail/reference.h"
#include "PyGPU/device_span.h"
#include "PyGPU/ptr_wrapper.h"

#include <Python.h>

#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace pygpu {

// An allocation with its shape and its deleter. This object calls the deleter when it is destroyed, unless
// Python takes the memory over.
template <class T> class device_array {
public:
    device_array(T *pointer, std::vector<std::int64_t> shape, std::function<void(T *)> deleter)
        : pointer_(pointer), shape_(std::move(shape)), deleter_(std::move(deleter)) {}
    device_array(device_array &&other) noexcept
        : pointer_(other.pointer_), shape_(std::move(other.shape_)),
          deleter_(std::exchange(other.deleter_, nullptr)) {}
    device_array &operator=(device_array &&other) noexcept {
        std::swap(pointer_, other.pointer_);
        std::swap(shape_, other.shape_);
        std::swap(deleter_, other.deleter_);
        return *this;
    }
    ~device_array() {
        if (deleter_) deleter_(pointer_);
    }

    T *data() const { return pointer_; }
    const std::vector<std::int64_t> &shape() const { return shape_; }

private:
    T *pointer_;
    std::vector<std::int64_t> shape_;
    std::function<void(T *)> deleter_;
};

namespace detail {

inline reference pygpu_attribute(const char *name) {
    const reference module(PyImport_ImportModule("PyGPU"));
    return reference(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
}

inline reference integer_attribute(PyObject *object, const char *name, long &number) {
    reference attribute(object ? PyObject_GetAttrString(object, name) : nullptr);
    if (attribute) number = PyLong_AsLong(attribute.get());
    return PyErr_Occurred() ? reference() : std::move(attribute);
}

// Which device has the memory, as PyGPU's backend says. False with an exception set.
inline bool ask_device(const void *pointer, device &where) {
    const reference backend = pygpu_attribute("backend");
    const char *name = backend ? PyUnicode_AsUTF8(backend.get()) : nullptr;
    if (!name) return false;
    const std::string chosen = name;
    where = {device::cpu, 0};
    if (chosen == "host") return true;
    const reference checked = pygpu_attribute("checked");
    const reference attributes(checked ? PyObject_CallMethod(checked.get(), "cudaPointerGetAttributes", "K",
                                                             static_cast<unsigned long long>(
                                                                 reinterpret_cast<std::uintptr_t>(pointer)))
                                       : nullptr);
    long type = 0, number = 0;
    if (!integer_attribute(attributes.get(), "type", type) ||
        !integer_attribute(attributes.get(), "device", number))
        return false;
    const bool hip = chosen == "hip";
    switch (type) { // numbered by cudaMemoryType
    case 1:
        where = {hip ? device::rocm_host : device::cuda_host, 0};
        return true;
    case 2:
        where = {hip ? device::rocm : device::cuda, static_cast<int>(number)};
        return true;
    case 3:
        where = hip ? device{device::rocm, static_cast<int>(number)} : device{device::cuda_managed, 0};
        return true;
    default:
        PyErr_Format(PyExc_ValueError,
                     "to_python(): parameter 'pointer' is %p, which no %s device has; it has to be memory "
                     "of its runtime",
                     pointer, name);
        return false;
    }
}

// A tensor with all that it points to.
template <class T> struct exported {
    dl_managed_versioned managed;
    std::vector<std::int64_t> shape, strides;
    device_array<T> array;

    static void end(dl_managed_versioned *managed) { delete static_cast<exported *>(managed->context); }
};

inline void end_unused(PyObject *capsule) {
    if (!PyCapsule_IsValid(capsule, "dltensor_versioned")) return; // it was taken over
    const exception_aside aside;
    auto *managed = static_cast<dl_managed_versioned *>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    managed->deleter(managed);
}

inline PyObject *give_capsule(PyObject *both, PyObject *, PyObject *) {
    PyObject *capsule = PyTuple_GET_ITEM(both, 0);
    Py_INCREF(capsule);
    return capsule;
}
inline PyObject *give_device(PyObject *both, PyObject *) {
    PyObject *device = PyTuple_GET_ITEM(both, 1);
    Py_INCREF(device);
    return device;
}

// An object with DLPack's two methods, which PyGPU.from_dlpack() takes.
inline reference exporter_of(PyObject *capsule, device where) {
    static PyMethodDef give_capsule_method = {
        "__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(give_capsule)),
        METH_VARARGS | METH_KEYWORDS, nullptr};
    static PyMethodDef give_device_method = {"__dlpack_device__", give_device, METH_NOARGS, nullptr};
    const reference both(Py_BuildValue("(O(ii))", capsule, where.type, where.id));
    const reference dlpack(both ? PyCFunction_New(&give_capsule_method, both.get()) : nullptr);
    const reference device(dlpack ? PyCFunction_New(&give_device_method, both.get()) : nullptr);
    const reference types(device ? PyImport_ImportModule("types") : nullptr);
    const reference kind(types ? PyObject_GetAttrString(types.get(), "SimpleNamespace") : nullptr);
    reference object(kind ? PyObject_CallNoArgs(kind.get()) : nullptr);
    if (!object || PyObject_SetAttrString(object.get(), "__dlpack__", dlpack.get()) ||
        PyObject_SetAttrString(object.get(), "__dlpack_device__", device.get()))
        return {};
    return object;
}

template <class T> reference capsule_of(device_array<T> &&array, device where) {
    std::unique_ptr<exported<T>> owner(new exported<T>{{}, array.shape(), {}, std::move(array)});
    std::int64_t count = 1;
    owner->strides.resize(owner->shape.size());
    for (std::size_t axis = owner->shape.size(); axis--;) {
        const std::int64_t extent = owner->shape[axis];
        owner->strides[axis] = count;
        if (extent < 0 || (extent && count > INT64_MAX / static_cast<std::int64_t>(sizeof(T)) / extent)) {
            PyErr_Format(PyExc_ValueError, "to_python(): parameter 'shape' has extent %lld, or is too large",
                         static_cast<long long>(extent));
            return {};
        }
        count *= extent ? extent : 1;
    }
    dl_managed_versioned &managed = owner->managed;
    managed.major = 1;
    managed.context = owner.get();
    managed.deleter = exported<T>::end;
    managed.flags = std::is_const_v<T> ? dl_read_only : 0;
    managed.tensor = {const_cast<std::remove_const_t<T> *>(owner->array.data()),
                      where.type,
                      where.id,
                      static_cast<std::int32_t>(owner->shape.size()),
                      dtype_v<T>.code,
                      dtype_v<T>.bits,
                      1,
                      owner->shape.data(),
                      owner->strides.data(),
                      0};
    reference capsule(PyCapsule_New(&managed, "dltensor_versioned", end_unused));
    if (capsule) owner.release();
    return capsule;
}

} // namespace detail

// A new GPUArray on the memory; or null with an exception set, and the memory is freed then. Needs the GIL.
template <class T> PyObject *to_python(device_array<T> array) {
    try {
        detail::reference from_dlpack = detail::pygpu_attribute("from_dlpack");
        device where;
        if (!from_dlpack || !detail::ask_device(array.data(), where)) return nullptr;
        const detail::reference capsule = detail::capsule_of(std::move(array), where);
        const detail::reference object =
            capsule ? detail::exporter_of(capsule.get(), where) : detail::reference();
        return object ? PyObject_CallFunctionObjArgs(from_dlpack.get(), object.get(), nullptr) : nullptr;
    } catch (const std::bad_alloc &) {
        return PyErr_NoMemory();
    }
}

template <class T, class Deleter>
PyObject *to_python(T *pointer, std::vector<std::int64_t> shape, Deleter deleter) {
    return to_python(device_array<T>(pointer, std::move(shape), std::move(deleter)));
}

// A new pointer_wrapper_<dtype>, which owns nothing; or null with an exception set. Needs the GIL.
template <class T> PyObject *to_python(ptr_wrapper<T> pointer) {
    constexpr dtype type = dtype_v<T>;
    std::string name = std::string("pointer_wrapper_") + word_of(type);
    if (type != dtype_of<bool>::value) name += std::to_string(type.bits);
    const detail::reference kind = detail::pygpu_attribute(name.c_str());
    return kind ? PyObject_CallFunction(
                      kind.get(), "K",
                      static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(pointer.get())))
                : nullptr;
}

} // namespace pygpu
