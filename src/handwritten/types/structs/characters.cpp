// Copying bytes, and text with the NUL at its end.
#include "types/structs/characters.hpp"

#include "binding/argument_errors.hpp"
#include "python/reference.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu {

PyObject *read_characters(const Field &field, const std::byte *at) {
    const auto *text = reinterpret_cast<const char *>(at);
    if (field.role == Role::bytes) return PyBytes_FromStringAndSize(text, field.count);
    return PyUnicode_DecodeFSDefaultAndSize(text, static_cast<Py_ssize_t>(strnlen(text, field.count)));
}

bool write_bytes(const Field &field, std::byte *at, PyObject *value, const ArgumentContext &context) {
    Py_buffer view{};
    if (PyUnicode_Check(value) || PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)) {
        if (!PyUnicode_Check(value)) PyErr_Clear();
        return type_error(context, "bytes", value);
    }
    const auto size = static_cast<std::size_t>(view.len);
    if (size <= field.count) {
        std::memmove(at, view.buf, size);
        std::fill(at + size, at + field.count, std::byte{0});
    }
    PyBuffer_Release(&view);
    return size <= field.count || value_error(context, "holds %u bytes, got %zu", field.count, size);
}

bool write_text(const Field &field, std::byte *at, PyObject *value, const ArgumentContext &context) {
    if (!PyUnicode_Check(value)) {
        return PyBytes_Check(value) ? write_bytes(field, at, value, context)
                                    : type_error(context, "str", value);
    }
    Reference encoded(PyUnicode_EncodeFSDefault(value));
    if (!encoded) {
        PyErr_Clear();
        return value_error(context, "cannot be encoded as UTF-8");
    }
    const auto size = static_cast<std::size_t>(PyBytes_GET_SIZE(encoded.get()));
    const char *text = PyBytes_AS_STRING(encoded.get());
    if (std::memchr(text, 0, size)) return value_error(context, "holds a NUL character");
    if (size >= field.count) {
        return value_error(context, "holds %u bytes with the NUL at its end, got %zu", field.count, size + 1);
    }
    std::memcpy(at, text, size);
    std::fill(at + size, at + field.count, std::byte{0});
    return true;
}

} // namespace pygpu
