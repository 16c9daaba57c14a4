// Reads any array: DLPack, the CUDA Array Interface, or PyGPU's pointers. Needs only Python's C API.
//
// Each read_*() gives a result: `no` where the object doesn't speak the protocol, `failed` with an exception
// set.
#pragma once

#include "PyGPU/detail/array_interface.h"
#include "PyGPU/detail/dlpack.h"
#include "PyGPU/detail/lender.h"
#include "PyGPU/detail/reference.h"
#include "PyGPU/device_span.h"

#include <Python.h>

#include <cstdint>
#include <cstring>

namespace pygpu::detail {

struct tensor {
    pygpu::layout layout;
    dtype type;
    bool readonly = false;
    bool copied = false; // writing to it doesn't change the original
    bool counted = true; // false for a bare address
    bool safe = false;   // known to be host memory
    reference owner;     // keeps it all alive
};

enum class result { done, no, failed };

inline result refuse(PyObject *type, const char *why) {
    PyErr_SetString(type, why);
    return result::failed;
}

// The CUDA Array Interface doesn't say whether memory is CUDA's or ROCm's. It is taken to be what the code
// is compiled for.
#if defined(__HIP_PLATFORM_AMD__)
inline constexpr int this_gpu = device::rocm;
#else
inline constexpr int this_gpu = device::cuda;
#endif

inline bool compact_strides(pygpu::layout &layout) {
    std::int64_t stride = 1;
    for (int axis = layout.axes; axis--;) {
        layout.strides[axis] = stride;
        const std::int64_t extent = layout.shape[axis] ? layout.shape[axis] : 1;
        if (extent < 0 || stride > INT64_MAX / 16 / extent) return false;
        stride *= extent;
    }
    return true;
}

inline result too_many_axes(long long axes) {
    PyErr_Format(PyExc_BufferError, "an array of %lld axes: at most %d are taken", axes, most_axes);
    return result::failed;
}

inline result take_tensor(const dl_tensor &from, tensor &to) {
    if (from.ndim < 0 || from.ndim > most_axes) return too_many_axes(from.ndim);
    if (from.ndim && !from.shape) return refuse(PyExc_BufferError, "a tensor without a shape");
    if (from.lanes != 1 || from.bits % 8)
        return refuse(PyExc_BufferError, "elements of vectors, or of half bytes");
    to.type = {from.code, from.bits};
    to.layout.axes = from.ndim;
    to.layout.device = {from.device_type, from.device_id};
    for (int axis = 0; axis < from.ndim; ++axis) {
        to.layout.shape[axis] = from.shape[axis];
        if (from.shape[axis] < 0) return refuse(PyExc_BufferError, "a negative extent");
    }
    if (!compact_strides(to.layout)) return refuse(PyExc_BufferError, "an array larger than any memory");
    for (int axis = 0; from.strides && axis < from.ndim; ++axis) to.layout.strides[axis] = from.strides[axis];
    const auto address = reinterpret_cast<std::uintptr_t>(from.data);
    if (from.byte_offset > UINTPTR_MAX - address)
        return refuse(PyExc_BufferError, "a byte_offset beyond all memory");
    if (from.data) to.layout.data = static_cast<char *>(from.data) + from.byte_offset;
    return result::done;
}

// The device that __dlpack_device__() gives.
inline result read_device(PyObject *object, pygpu::device &device) {
    const reference method = attribute(object, "__dlpack_device__");
    if (!method) return PyErr_Occurred() ? result::failed : result::no;
    const reference pair(PyObject_CallNoArgs(method.get()));
    const reference both(pair ? PySequence_Tuple(pair.get()) : nullptr);
    if (!both) return result::failed;
    if (PyTuple_GET_SIZE(both.get()) != 2)
        return refuse(PyExc_BufferError, "__dlpack_device__() gave no pair");
    // Other libraries give enumerators for these numbers.
    const reference type(PyNumber_Index(PyTuple_GET_ITEM(both.get(), 0)));
    const reference id(type ? PyNumber_Index(PyTuple_GET_ITEM(both.get(), 1)) : nullptr);
    if (!id) return result::failed;
    device = {static_cast<int>(PyLong_AsLong(type.get())), static_cast<int>(PyLong_AsLong(id.get()))};
    return PyErr_Occurred() ? result::failed : result::done;
}

// Calls __dlpack__(). Older libraries know fewer of its keywords.
inline reference call_dlpack(PyObject *method, PyObject *stream) {
    static PyObject *version = Py_BuildValue("(ii)", 1, 0); // never released
    static PyObject *both_names = Py_BuildValue("(ss)", "max_version", "stream");
    static PyObject *version_name = Py_BuildValue("(s)", "max_version");
    static PyObject *stream_name = Py_BuildValue("(s)", "stream");
    if (!version || !both_names || !version_name || !stream_name) return {};
    PyObject *const values[] = {version, stream};
    reference capsule(PyObject_Vectorcall(method, values, 0, stream ? both_names : version_name));
    if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError)) return capsule;
    if (stream) {
        PyErr_Clear();
        capsule = reference(PyObject_Vectorcall(method, &stream, 0, stream_name));
        if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError)) return capsule;
    }
    PyErr_Clear();
    return reference(PyObject_CallNoArgs(method));
}

// Reads an array by DLPack. Work on the default stream then comes after the work that makes the elements; its
// number is 1 in CUDA and 0 in ROCm. Host memory has no stream: its library waits for that work.
inline result read_dlpack(PyObject *object, tensor &out) {
    const reference method = attribute(object, "__dlpack__");
    if (!method) return PyErr_Occurred() ? result::failed : result::no;
    pygpu::device where;
    if (const result asked = read_device(object, where); asked != result::done) return asked;
    long stream = -1;
    if (where.type == device::cuda || where.type == device::cuda_managed)
        stream = 1;
    else if (where.type == device::rocm)
        stream = 0;
    else if (where.type != device::cpu && where.type != device::cuda_host && where.type != device::rocm_host)
        return refuse(PyExc_BufferError,
                      "memory of a device that is neither CUDA's, nor ROCm's, nor the host");
    const reference number(stream < 0 ? nullptr : PyLong_FromLong(stream));
    if (PyErr_Occurred()) return result::failed;
    // The capsule isn't consumed, so it frees the tensor when it is destroyed.
    out.owner = call_dlpack(method.get(), number.get());
    PyObject *capsule = out.owner.get();
    if (!capsule) return result::failed;
    if (stream > 0) out.layout.stream = reinterpret_cast<void *>(static_cast<std::uintptr_t>(stream));
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        const auto *managed =
            static_cast<const dl_managed_versioned *>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
        if (managed->major > 1) return refuse(PyExc_BufferError, "a tensor of a later DLPack than 1");
        out.readonly = managed->flags & dl_read_only;
        out.copied = managed->flags & dl_copied;
        return take_tensor(managed->tensor, out);
    }
    if (PyCapsule_IsValid(capsule, "dltensor"))
        return take_tensor(static_cast<const dl_managed *>(PyCapsule_GetPointer(capsule, "dltensor"))->tensor,
                           out);
    return refuse(PyExc_BufferError, "__dlpack__() gave no capsule with a tensor");
}

// The dtype of an element, and its bytes.
inline bool take_element(const typestr_element &element, dtype &type, std::int64_t &itemsize) {
    kind code;
    switch (element.kind) {
    case 'b':
        code = kind::boolean;
        break;
    case 'i':
        code = kind::integer;
        break;
    case 'u':
        code = kind::natural;
        break;
    case 'f':
        code = kind::floating;
        break;
    case 'c':
        code = kind::complex;
        break;
    default:
        return false;
    }
    if (element.size < 1 || element.size > 31 || (element.order == '>' && element.size > 1)) return false;
    itemsize = static_cast<std::int64_t>(element.size);
    type = {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * itemsize)};
    return true;
}

inline bool read_sizes(PyObject *tuple, std::int64_t *sizes, int &count) {
    const Py_ssize_t length = PyTuple_GET_SIZE(tuple);
    if (length > most_axes) return too_many_axes(length) == result::done;
    count = static_cast<int>(length);
    for (int at = 0; at < count; ++at) {
        sizes[at] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, at));
        if (sizes[at] == -1 && PyErr_Occurred()) return false;
    }
    return true;
}

// Strides in bytes; null where the elements are compact in C order.
inline result take_shape(PyObject *shape, PyObject *strides, std::int64_t itemsize, pygpu::layout &layout) {
    if (!read_sizes(shape, layout.shape, layout.axes)) return result::failed;
    for (int axis = 0; axis < layout.axes; ++axis) {
        if (layout.shape[axis] < 0) return refuse(PyExc_BufferError, "a negative extent");
    }
    if (!compact_strides(layout)) return refuse(PyExc_BufferError, "an array larger than any memory");
    if (!strides) return result::done;
    int count = 0;
    if (!read_sizes(strides, layout.strides, count)) return result::failed;
    if (count != layout.axes)
        return refuse(PyExc_BufferError, "an array interface whose strides and shape have not as many axes");
    for (int axis = 0; axis < layout.axes; ++axis) {
        if (layout.shape[axis] > 1 && layout.strides[axis] % itemsize)
            return refuse(PyExc_BufferError, "strides that are no whole number of elements");
        layout.strides[axis] /= itemsize;
    }
    return result::done;
}

inline result read_interface(PyObject *object, tensor &out) {
    reference interface = attribute(object, "__cuda_array_interface__");
    if (!interface) return PyErr_Occurred() ? result::failed : result::no;
    array_interface<reference> from;
    const char *why = nullptr;
    if (!read_array_interface(interface.get(), from, why)) {
        if (why) PyErr_Format(PyExc_BufferError, "its __cuda_array_interface__ %s", why);
        return result::failed;
    }
    std::int64_t itemsize = 0;
    if (!take_element(from.element, out.type, itemsize))
        return refuse(PyExc_BufferError, "elements of no C++ type");
    const result shaped = take_shape(from.shape.get(), from.strides.get(), itemsize, out.layout);
    if (shaped != result::done) return shaped;
    out.layout.data = reinterpret_cast<void *>(from.address);
    out.readonly = from.readonly;
    if (from.stream) out.layout.stream = PyLong_AsVoidPtr(from.stream.get());
    out.layout.device = {this_gpu, -1};
    Py_INCREF(object);
    out.owner = reference(object);
    return PyErr_Occurred() ? result::failed : result::done;
}

// PyGPU's pointer_wrapper: `__pygpu_pointer__()` gives (address, items or None, typestr, readonly, DLPack's
// type and number of the device). It orders no work, just like a bare address.
inline result read_pointer(PyObject *object, tensor &out) {
    const reference method = attribute(object, "__pygpu_pointer__");
    if (!method) return PyErr_Occurred() ? result::failed : result::no;
    const reference facts(PyObject_CallNoArgs(method.get()));
    if (!facts) return result::failed;
    unsigned long long address = 0;
    PyObject *count = nullptr, *typestr = nullptr;
    int readonly = 0;
    if (!PyArg_ParseTuple(facts.get(), "KOOpii:__pygpu_pointer__", &address, &count, &typestr, &readonly,
                          &out.layout.device.type, &out.layout.device.id))
        return result::failed;
    std::int64_t itemsize = 0;
    typestr_element element;
    if (!read_typestr(PyUnicode_Check(typestr) ? PyUnicode_AsUTF8(typestr) : nullptr, element) ||
        !take_element(element, out.type, itemsize))
        return PyErr_Occurred() ? result::failed : refuse(PyExc_BufferError, "elements of no C++ type");
    out.layout.data = reinterpret_cast<void *>(static_cast<std::uintptr_t>(address));
    out.readonly = readonly != 0;
    out.counted = count != Py_None;
    out.safe = out.layout.device.host_reaches();
    out.layout.axes = 1;
    out.layout.strides[0] = 1;
    if (out.counted) out.layout.shape[0] = PyLong_AsLongLong(count);
    Py_INCREF(object);
    out.owner = reference(object);
    return PyErr_Occurred() ? result::failed : result::done;
}

inline result read_any(PyObject *object, tensor &out) {
    const lender kind = lender_of(Py_TYPE(object));
    if (const char *why = why_not_plain(object, kind)) return refuse(PyExc_BufferError, why);
    if (PyErr_Occurred()) return result::failed;
    result outcome = read_dlpack(object, out);
    if (outcome == result::no) outcome = read_interface(object, out);
    if (outcome == result::no) outcome = read_pointer(object, out);
    out.readonly |= kind.immutable;
    return outcome;
}

} // namespace pygpu::detail
