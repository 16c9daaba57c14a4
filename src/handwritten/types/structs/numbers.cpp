// Numbers of every width, and bit-fields.
#include "types/structs/numbers.hpp"

#include "convert/scalars.hpp"
#include "python/small_int.hpp"

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <utility>

namespace pygpu {
namespace {

template <class T> T loaded(const std::byte *at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class T> bool converted(std::byte *at, PyObject *value, const ArgumentContext &context) {
    Converter<T> number;
    if (!number.load(value, context)) return false;
    const T stored = number.value();
    std::memcpy(at, &stored, sizeof stored);
    return true;
}

unsigned long long unit(const Field &field, const std::byte *at) {
    unsigned long long value = 0; // little-endian, as both architectures are
    std::memcpy(&value, at, field.size);
    return value;
}

unsigned long long mask(const Field &field) { return field.bits == 64 ? ~0ull : (1ull << field.bits) - 1; }

void store_bits(const Field &field, std::byte *at, unsigned long long value) {
    unsigned long long whole = unit(field, at);
    whole &= ~(mask(field) << field.bit);
    whole |= (value & mask(field)) << field.bit;
    std::memcpy(at, &whole, field.size);
}

bool write_bits(const Field &field, std::byte *at, PyObject *value, const ArgumentContext &context) {
    unsigned long long stored = 0;
    if (is_signed(field.scalar)) {
        const long long most = static_cast<long long>(mask(field) >> 1);
        long long number = 0;
        if (!load_signed(value, context, -most - 1, most, number)) return false;
        stored = static_cast<unsigned long long>(number);
    } else if (!load_unsigned(value, context, mask(field), stored)) {
        return false;
    }
    store_bits(field, at, stored);
    return true;
}

template <class T> bool write_row(std::byte *at, std::span<PyObject *const> values) {
    for (PyObject *value : values) {
        Py_ssize_t number = 0;
        if (!read_small_int(value, number) || !std::in_range<T>(number)) return false;
        const T stored = static_cast<T>(number);
        std::memcpy(at, &stored, sizeof stored);
        at += sizeof stored;
    }
    return true;
}

} // namespace

bool is_signed(Scalar scalar) {
    return scalar == Scalar::i8 || scalar == Scalar::i16 || scalar == Scalar::i32 || scalar == Scalar::i64;
}

long long load_integer(const Field &field, const std::byte *at) {
    if (field.bits) {
        const unsigned long long value = unit(field, at) >> field.bit & mask(field);
        const bool negative = is_signed(field.scalar) && value >> (field.bits - 1);
        return static_cast<long long>(negative ? value | ~mask(field) : value);
    }
    switch (field.scalar) {
    case Scalar::boolean:
    case Scalar::u8:
        return loaded<std::uint8_t>(at);
    case Scalar::i8:
        return loaded<std::int8_t>(at);
    case Scalar::i16:
        return loaded<std::int16_t>(at);
    case Scalar::u16:
        return loaded<std::uint16_t>(at);
    case Scalar::i32:
        return loaded<std::int32_t>(at);
    case Scalar::u32:
        return loaded<std::uint32_t>(at);
    default:
        return loaded<std::int64_t>(at);
    }
}

PyObject *read_number(const Field &field, const std::byte *at) {
    if (field.scalar == Scalar::f32) return PyFloat_FromDouble(static_cast<double>(loaded<float>(at)));
    if (field.scalar == Scalar::f64) return PyFloat_FromDouble(loaded<double>(at));
    const long long value = load_integer(field, at);
    if (field.scalar == Scalar::boolean) return PyBool_FromLong(value != 0);
    if (field.scalar == Scalar::u64)
        return PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(value));
    return PyLong_FromLongLong(value);
}

bool write_number(const Field &field, std::byte *at, PyObject *value, const ArgumentContext &context) {
    if ((field.boolean || field.bits == 1 || field.scalar == Scalar::boolean) && is_bool(value)) {
        const int truth = PyObject_IsTrue(value);
        if (truth >= 0) store_number(field, at, static_cast<unsigned long long>(truth));
        return truth >= 0;
    }
    if (field.bits) return write_bits(field, at, value, context);
    switch (field.scalar) {
    case Scalar::boolean: {
        unsigned long long stored = 0;
        if (!load_unsigned(value, context, 1, stored)) return false;
        *at = static_cast<std::byte>(stored);
        return true;
    }
    case Scalar::i8:
        return converted<std::int8_t>(at, value, context);
    case Scalar::u8:
        return converted<std::uint8_t>(at, value, context);
    case Scalar::i16:
        return converted<std::int16_t>(at, value, context);
    case Scalar::u16:
        return converted<std::uint16_t>(at, value, context);
    case Scalar::i32:
        return converted<std::int32_t>(at, value, context);
    case Scalar::u32:
        return converted<std::uint32_t>(at, value, context);
    case Scalar::i64:
        return converted<std::int64_t>(at, value, context);
    case Scalar::u64:
        return converted<std::uint64_t>(at, value, context);
    case Scalar::f32:
        return converted<float>(at, value, context);
    case Scalar::f64:
        return converted<double>(at, value, context);
    }
    return false;
}

bool write_small_int(const Field &field, std::byte *at, PyObject *value) {
    Py_ssize_t number = 0;
    if (field.role != Role::plain || field.count || field.bits || !read_small_int(value, number))
        return false;
    if (field.scalar == Scalar::u32 ? std::in_range<std::uint32_t>(number)
                                    : field.scalar == Scalar::i32 && std::in_range<std::int32_t>(number)) {
        std::memcpy(at, &number, 4); // little-endian
        return true;
    }
    if (field.scalar == Scalar::u64 ? number < 0 : field.scalar != Scalar::i64) return false;
    std::memcpy(at, &number, 8);
    return true;
}

bool write_small_ints(const Layout &shape, std::byte *at, PyObject *tuple) {
    if (!PyTuple_CheckExact(tuple)) return false;
    const std::span<PyObject *const> values(&PyTuple_GET_ITEM(tuple, 0),
                                            static_cast<std::size_t>(PyTuple_GET_SIZE(tuple)));
    if (values.size() != shape.fields.size()) return false;
    if (shape.row == Scalar::u32) return write_row<std::uint32_t>(at, values);
    if (shape.row == Scalar::u64) return write_row<std::uint64_t>(at, values);
    if (shape.row == Scalar::i32) return write_row<std::int32_t>(at, values);
    return shape.row == Scalar::i64 && write_row<std::int64_t>(at, values);
}

void store_number(const Field &field, std::byte *at, unsigned long long value) {
    if (field.bits)
        store_bits(field, at, value);
    else
        std::memcpy(at, &value, field.size);
}

std::string shown_default(const Field &field) {
    if (field.scalar != Scalar::f32 && field.scalar != Scalar::f64)
        return is_signed(field.scalar) ? std::to_string(static_cast<std::int64_t>(field.default_value))
                                       : std::to_string(field.default_value);
    const double value = field.scalar == Scalar::f64
                             ? std::bit_cast<double>(field.default_value)
                             : std::bit_cast<float>(static_cast<std::uint32_t>(field.default_value));
    char *const text = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, nullptr);
    const std::string shown = text ? text : "?";
    PyMem_Free(text);
    return shown;
}

bool is_zero(const std::byte *at, std::size_t size) {
    // The first byte is zero, and every byte equals the one before it. memcmp() compares fast.
    return !size || (*at == std::byte{0} && !std::memcmp(at, at + 1, size - 1));
}

} // namespace pygpu
