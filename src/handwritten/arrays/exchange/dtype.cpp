// Looking dtypes up, and remembering them.
#include "arrays/exchange/dtype.hpp"

#include "arrays/base/numpy.hpp"
#include "python/object_cache.hpp"
#include "python/reference.hpp"

#include <cstring>
#include <iterator>

namespace pygpu::arrays {
namespace {

struct Named {
    const char *name; // the name of the dtype in ml_dtypes
    DLDataTypeCode code;
    int bits;
};

constexpr Named named[] = {
    {"bfloat16", kDLBfloat, 16},
    {"float8_e3m4", kDLFloat8_e3m4, 8},
    {"float8_e4m3", kDLFloat8_e4m3, 8},
    {"float8_e4m3b11fnuz", kDLFloat8_e4m3b11fnuz, 8},
    {"float8_e4m3fn", kDLFloat8_e4m3fn, 8},
    {"float8_e4m3fnuz", kDLFloat8_e4m3fnuz, 8},
    {"float8_e5m2", kDLFloat8_e5m2, 8},
    {"float8_e5m2fnuz", kDLFloat8_e5m2fnuz, 8},
    {"float8_e8m0fnu", kDLFloat8_e8m0fnu, 8},
};

constexpr DLDataType make(int code, ssize_t bits) {
    return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
}

// The row of a dtype of ml_dtypes, which has numpy's kind for structures; null for any other dtype.
const Named *named_dtype(PyObject *dtype) {
    const Reference type(PyObject_GetAttrString(dtype, "type"));
    const Reference module(type ? PyObject_GetAttrString(type.get(), "__module__") : nullptr);
    const Reference name(module ? PyObject_GetAttrString(type.get(), "__name__") : nullptr);
    const char *from = name ? PyUnicode_AsUTF8(module.get()) : nullptr;
    const char *text = from ? PyUnicode_AsUTF8(name.get()) : nullptr;
    PyErr_Clear();
    if (!text || std::strcmp(from, "ml_dtypes")) return nullptr;
    for (const Named &one : named) {
        if (!std::strcmp(one.name, text)) return &one;
    }
    return nullptr;
}

// Whether a dtype is numpy's own. ml_dtypes gives some of its dtypes a kind of numbers, too.
bool is_numpys(PyObject *dtype) {
    constexpr long own_numbers = 24; // NPY_NTYPES_LEGACY
    const Reference number(PyObject_GetAttrString(dtype, "num"));
    const long value = number ? PyLong_AsLong(number.get()) : -1;
    PyErr_Clear();
    return value >= 0 && value < own_numbers;
}

bool find(PyObject *dtype, ssize_t itemsize, DLDataType &type) {
    const char kind = is_numpys(dtype) ? plain_kind(dtype) : 0;
    const ssize_t bits = itemsize * 8;
    if (kind == 'b') return type = make(kDLBool, 8), true;
    if (kind == 'i') return type = make(kDLInt, bits), true;
    if (kind == 'u') return type = make(kDLUInt, bits), true;
    // Longer floats are not IEEE numbers.
    if (kind == 'f' && itemsize <= 8) return type = make(kDLFloat, bits), true;
    if (kind == 'c' && itemsize <= 16) return type = make(kDLComplex, bits), true;
    const Named *one = kind ? nullptr : named_dtype(dtype);
    if (one) type = make(one->code, one->bits);
    return one;
}

PyObject *refuse(const char *call, const DLDataType &type, const char *why) {
    return PyErr_Format(PyExc_BufferError, "%s: the tensor's dtype (code %d, %d bits, %d lanes) %s", call,
                        type.code, type.bits, type.lanes, why);
}

PyObject *look_up(const char *call, const DLDataType &type) {
    const Numpy *np = numpy();
    if (!np) return nullptr;
    const char *kind = type.code == kDLInt       ? "i"
                       : type.code == kDLUInt    ? "u"
                       : type.code == kDLFloat   ? "f"
                       : type.code == kDLComplex ? "c"
                       : type.code == kDLBool    ? "?"
                                                 : nullptr;
    const int size = type.bits / 8;
    if (kind) {
        const bool plain = *kind == '?'   ? type.bits == 8
                           : *kind == 'f' ? size == 2 || size == 4 || size == 8
                           : *kind == 'c' ? size == 8 || size == 16
                                          : size == 1 || size == 2 || size == 4 || size == 8;
        if (!plain || type.bits % 8) return refuse(call, type, "is not a dtype of numpy");
        return *kind == '?' ? PyObject_CallFunction(np->dtype, "s", kind)
                            : PyObject_CallFunction(np->dtype, "N", PyUnicode_FromFormat("%s%d", kind, size));
    }
    for (const Named &one : named) {
        if (one.code != type.code || one.bits != type.bits) continue;
        const Reference module(PyImport_ImportModule("ml_dtypes"));
        const Reference scalar_type(module ? PyObject_GetAttrString(module.get(), one.name) : nullptr);
        if (scalar_type) return PyObject_CallOneArg(np->dtype, scalar_type.get());
        PyErr_Clear();
        return PyErr_Format(PyExc_BufferError, "%s: the tensor's dtype is %s: pip install ml_dtypes", call,
                            one.name);
    }
    return refuse(call, type, "is not a dtype of numpy or ml_dtypes");
}

// Kept out of the code that every import runs. `known` is the place to remember the dtype; null if the type
// has no place in the table.
[[gnu::noinline]] PyObject *first_dtype_of(const char *call, const DLDataType &type, PyObject **known) {
    if (!known)
        return refuse(call, type,
                      type.lanes == 1 ? "is not a dtype of numpy"
                                      : "is a vector: elements must have one lane");
    return *known = look_up(call, type);
}

} // namespace

bool load_dlpack_type(PyObject *dtype, ssize_t itemsize, DLDataType &type) {
    static ObjectCache<DLDataType> cache;
    if (const DLDataType *known = cache.find(dtype)) {
        type = *known;
        return true;
    }
    if (!find(dtype, itemsize, type)) {
        PyErr_Format(PyExc_BufferError, "GPUArray: DLPack has no code for %R", dtype);
        return false;
    }
    cache.put(dtype, type);
    return true;
}

PyObject *dtype_of(const char *call, const DLDataType &type) {
    // By code and bytes; never released, guarded by the GIL.
    static PyObject *known[32][17];
    const bool usual = type.lanes == 1 && type.code < std::size(known) && type.bits && type.bits % 8 == 0 &&
                       type.bits <= 128;
    PyObject **dtype = usual ? &known[type.code][type.bits / 8] : nullptr;
    return dtype && *dtype ? *dtype : first_dtype_of(call, type, dtype);
}

PyObject *dtype_or_bytes_of(const char *call, const DLDataType &type) {
    static PyObject *known[17]; // by bytes; never released, guarded by the GIL
    const bool is_number = type.lanes == 1 && (type.code <= kDLFloat || type.code == kDLBool ||
                                               (type.code == kDLComplex && type.bits >= 64));
    const int bits = type.bits * type.lanes, size = bits / 8;
    if (is_number || !bits || bits % 8 || bits > 128) return dtype_of(call, type);
    if (known[size]) return known[size];
    const Numpy *np = numpy();
    return np ? known[size] = PyObject_CallFunction(np->dtype, "N", PyUnicode_FromFormat("V%d", size))
              : nullptr;
}

} // namespace pygpu::arrays
