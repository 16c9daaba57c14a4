// Copying the bytes of values that stand for a whole struct.
#include "types/structs/whole.hpp"

#include "binding/argument_errors.hpp"
#include "convert/memory.hpp"
#include "convert/sequences.hpp"
#include "python/reference.hpp"

#include <cstring>
#include <string>

namespace pygpu {

bool wrong_kind(const StructClass &kind, PyObject *value, const ArgumentContext &context) {
    const std::string expected =
        std::string("a ") + kind.name() +
        (kind.is_short() ? ", a number, a tuple of them or a dict" : ", a dict or a tuple of its fields");
    if (const StructObject *other = as_struct(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be %s, not a %s", context.text().c_str(), expected.c_str(),
                     other->kind->name());
        return false;
    }
    return type_error(context, expected.c_str(), value);
}

bool fill_from_buffer(const Target &target, PyObject *value, const ArgumentContext &context) {
    Py_buffer view{};
    if (PyObject_GetBuffer(value, &view, PyBUF_ANY_CONTIGUOUS)) {
        PyErr_Clear();
        return value_error(context, "must be contiguous memory");
    }
    const auto bytes = static_cast<std::size_t>(view.len);
    const std::size_t size = target.shape().size;
    if (bytes >= size) std::memcpy(target.data, view.buf, size);
    PyBuffer_Release(&view);
    return bytes >= size || value_error(context, "needs %zu bytes, got %zu", size, bytes);
}

bool fill_from_home(const Target &target, PyObject *value, const ArgumentContext &context) {
    auto *type = reinterpret_cast<PyObject *>(target.kind.type());
    if (!type) return false;
    Reference object;
    if (PyObject_TypeCheck(value, target.kind.type()))
        object = Reference::borrow(value);
    else if (PyDict_Check(value))
        object = Reference(PyObject_VectorcallDict(type, nullptr, 0, value));
    else if (PyTuple_Check(value) || PyList_Check(value)) {
        const Reference items(PySequence_Tuple(value));
        object = Reference(items ? PyObject_CallObject(type, items.get()) : nullptr);
    } else if (is_number(value))
        object = Reference(PyObject_CallOneArg(type, value));
    else
        return wrong_kind(target.kind, value, context);
    if (!object) return name_argument(context);
    return fill_from_buffer(target, object.get(), context) && target.owners.set(object.get());
}

bool is_array_of_integers(PyObject *value, std::size_t size) {
    Py_buffer view{};
    if (!PyObject_CheckBuffer(value) || !is_sequence(value)) return false;
    if (PyObject_GetBuffer(value, &view, PyBUF_STRIDES | PyBUF_FORMAT)) {
        PyErr_Clear();
        return false;
    }
    const bool of_bytes = view.itemsize == 1 && static_cast<std::size_t>(view.len) >= size;
    const bool integers = view.ndim == 1 && !of_bytes && view.format && view.format[0] && !view.format[1] &&
                          std::strchr("bBhHiIlLqQnN", view.format[0]);
    PyBuffer_Release(&view);
    return integers;
}

} // namespace pygpu
