// Reading a pointer from the kinds of object that provide one.
#include "convert/memory.hpp"

#include "PyGPU/detail/array_interface.h"
#include "common/checked_int.hpp"
#include "convert/pointer_provider.hpp"
#include "convert/scalars.hpp"
#include "convert/tensor_values.hpp"
#include "python/attribute.hpp"
#include "python/reference.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace pygpu {
namespace {

constexpr const char *accepted_memory =
    "an address (int), None, a contiguous buffer or an object with __cuda_array_interface__";

constexpr const char *written = "writable memory (C writes into it)";
constexpr const char *expected_location = "an address (int), None, an array or a ctypes pointer";

// Bytes and numpy's scalars export a buffer, too, but no call has a use for the address of such a value.
bool is_mere_value(PyObject *object) {
    return PyBytes_Check(object) || (PyNumber_Check(object) && !PySequence_Check(object));
}

// How an array without buffer and array interface is passed: a tensor of torch on the CPU, say.
const char *way_out(PyObject *object) {
    auto *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
    if (PyObject_HasAttrString(type, "__dlpack__"))
        return " (numpy.from_dlpack(x) is one on the memory of a CPU's tensor, PyGPU.from_dlpack(x) of a device's)";
    return PyList_Check(object) || PyObject_HasAttrString(type, "__array__") ? " (numpy.asarray(x) makes one)"
                                                                             : "";
}

PyObject *interned(const char *text) { return PyUnicode_InternFromString(text); }

} // namespace

bool is_number(PyObject *object) {
    return PyLong_CheckExact(object) ||
           (is_integer(object) && !PySequence_Check(object) && !is_tensor(object));
}

bool has_int(PyObject *object) {
    if (is_number(object)) return true;
    const PyNumberMethods *numbers = Py_TYPE(object)->tp_as_number;
    const bool exact = numbers && numbers->nb_int && !numbers->nb_float && !PySequence_Check(object);
    return exact && !is_bool(object) && !StatusType::check(object);
}

bool is_address(PyObject *object) { return is_number(object) || is_c_pointer(object); }

bool leads_to_pointers(PyObject *object) { return is_address(object) || is_array_of_c_pointers(object); }

bool may_be_led_to(const void *pointer, const ArgumentContext &context) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    return !address || address >= first_page_end ||
           value_error(context, "= %zu is no address: nothing lies there", static_cast<std::size_t>(address));
}

bool may_be_freed(PyObject *object, const ArgumentContext &context) {
    if (PyLong_CheckExact(object) || !owns_memory(object)) return true;
    PyErr_Format(PyExc_TypeError,
                 "%s is memory that PyGPU owns: a %.80s is freed with its last user, or by its own free() "
                 "where it has one; release it with del",
                 context.text().c_str(), Py_TYPE(object)->tp_name);
    return false;
}

Element Memory::element(PyObject *object) const {
    if (pinned_.obj) {
        // Bytes are anybody's memory. Of numpy's arrays only the format distinguishes them from integers.
        const bool plain = !pinned_.format || !std::strcmp(pinned_.format, "B");
        static PyObject *const name = interned("__array_interface__");
        const bool typed = !plain || PyObject_HasAttr(object, name);
        return typed ? element_of_format(pinned_.format, pinned_.itemsize) : Element();
    }
    return element_;
}

void Memory::end() {
    if (pinned_.obj) release_buffer(pinned_);
    release_object(producer_);
}

bool Memory::load(PyObject *object, const ArgumentContext &context, Access access) {
    if (!read(object, context, access)) return false;
    if (memory_kinds->address_taken && pointer_) memory_kinds->address_taken(pointer_);
    return true;
}

bool Memory::read(PyObject *object, const ArgumentContext &context, Access access) {
    if (object == Py_None) return true;
    if (const PointerProvider provide = pointer_provider_of(object)) {
        const ProvidedPointer provided = provide(object);
        return PyErr_Occurred() ? name_argument(context) : load_provided(provided, object, context, access);
    }
    if (PyLong_CheckExact(object) || is_number(object)) {
        unsigned long long address = 0;
        if (!load_unsigned(object, context, UINTPTR_MAX, address)) return false;
        set(static_cast<std::uintptr_t>(address));
        return true;
    }
    if (!PyObject_CheckBuffer(object) || PySequence_Check(object)) {
        static PyObject *const name = interned("__cuda_array_interface__");
        if (Reference interface = optional_attribute(object, name)) {
            return load_cuda_array(object, interface.get(), context, access);
        }
        if (PyErr_Occurred()) return false;
    }
    if (PyObject_CheckBuffer(object) && !(access == Access::location && is_mere_value(object))) {
        return load_buffer(object, context, access);
    }
    if (access == Access::location) return type_error(context, expected_location, object);
    return type_error(context, (std::string(accepted_memory) + way_out(object)).c_str(), object);
}

bool Memory::load_provided(const ProvidedPointer &provided, PyObject *object, const ArgumentContext &context,
                           Access access) {
    if (provided.readonly && access == Access::write) return type_error(context, written, object);
    pointer_ = provided.pointer;
    size_ = provided.size;
    element_ = provided.element;
    return true;
}

bool Memory::load_buffer(PyObject *object, const ArgumentContext &context, Access access) {
    const int flags = PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT | (access == Access::write ? PyBUF_WRITABLE : 0);
    if (is_c_pointer(object)) return load_c_pointer(object, pointer_);
    if (PyObject_GetBuffer(object, &pinned_, flags)) {
        pinned_.obj = nullptr;
        // numpy reports a failed request as ValueError, the standard library as BufferError.
        if (!PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(PyExc_ValueError)) {
            return false;
        }
        PyErr_Clear();
        Py_buffer readable{};
        const bool contiguous = !PyObject_GetBuffer(object, &readable, PyBUF_ANY_CONTIGUOUS);
        if (!contiguous) {
            PyErr_Clear();
            // An object that lends nothing at all (any more) says itself why.
            if (PyObject_GetBuffer(object, &readable, PyBUF_FULL_RO)) return name_argument(context);
        }
        PyBuffer_Release(&readable);
        return contiguous ? type_error(context, written, object)
                          : value_error(context, "must be contiguous memory, as "
                                                 "numpy.ascontiguousarray() makes it");
    }
    pointer_ = pinned_.buf;
    size_ = static_cast<std::size_t>(pinned_.len);
    return true;
}

bool Memory::load_cuda_array(PyObject *object, PyObject *interface, const ArgumentContext &context,
                             Access access) {
    detail::array_interface<Reference> from;
    const char *why = nullptr;
    if (!detail::read_array_interface(interface, from, why))
        return why && value_error(context, "has a __cuda_array_interface__ that %s", why);
    if (from.readonly && access == Access::write) return type_error(context, written, object);
    producer_ = from.stream.release();
    set(from.address);
    element_ = element_of(from.element.kind, from.element.size);
    why = why_not_plain(object, from.element.kind); // torch's conjugates don't say so
    if (why) return value_error(context, "can't be taken: %s", why);
    if (PyErr_Occurred()) return false;
    if (from.strides) return true; // strided: the caller must know the extent
    const FieldPath array{context.path, "__cuda_array_interface__"}, of_shape{&array, "shape"};
    CheckedInt<std::size_t> bytes = from.element.size;
    for (Py_ssize_t axis = 0; axis < PyTuple_GET_SIZE(from.shape.get()); ++axis) {
        unsigned long long extent = 0;
        if (!load_unsigned(PyTuple_GET_ITEM(from.shape.get(), axis), context.within(of_shape), UINT64_MAX,
                           extent))
            return false;
        if (!extent) bytes = 0; // whatever the other extents are
        bytes *= extent;
    }
    size_ = std::min(bytes.saturated(), unknown - 1); // an overflow must not become `unknown`
    return true;
}

} // namespace pygpu
