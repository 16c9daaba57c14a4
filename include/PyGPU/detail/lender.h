// What the class of an array says about it, beyond what the protocols say. Needs only Python's C API.
#pragma once

#include "PyGPU/detail/reference.h"

#include <Python.h>

#include <cstddef>
#include <cstring>

namespace pygpu::detail {

struct lender {
    bool masked = false;    // numpy's masked arrays: the memory doesn't show which elements count
    bool lazy = false;      // torch's tensors: the memory may hold the negatives or conjugates
    bool immutable = false; // JAX's and TensorFlow's: others may use the same memory
};

inline bool is_of_package(PyTypeObject *type, const char *package) {
    const reference module = attribute(reinterpret_cast<PyObject *>(type), "__module__");
    const char *name = module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
    PyErr_Clear();
    const std::size_t length = std::strlen(package);
    return name && !std::strncmp(name, package, length) && (!name[length] || name[length] == '.');
}

inline lender lender_of(PyTypeObject *type) {
    struct entry {
        PyTypeObject *type;
        lender known;
    };
    static entry entries[16] =
        {}; // guarded by the GIL; the types are kept, so that none gets another's address
    entry &one = entries[reinterpret_cast<std::size_t>(type) / 16 % 16];
    if (one.type == type) return one.known;
    const auto has = [&](const char *name) {
        return PyObject_HasAttrString(reinterpret_cast<PyObject *>(type), name) != 0;
    };
    const lender facts = {has("harden_mask"), has("is_neg") && has("is_conj"),
                          is_of_package(type, "jax") || is_of_package(type, "jaxlib") ||
                              is_of_package(type, "tensorflow")};
    Py_INCREF(type);
    const reference earlier(reinterpret_cast<PyObject *>(one.type));
    one = {type, facts};
    return facts;
}

// Whether a method without arguments gives a true value; -1 with an exception set.
inline int answer(PyObject *object, const char *method) {
    const reference answer(PyObject_CallMethod(object, method, nullptr));
    return answer ? PyObject_IsTrue(answer.get()) : -1;
}

// Why the memory of an array may not be used as its elements; null if it may, or with an exception set.
inline const char *why_not_plain(PyObject *object, const lender &kind) {
    if (kind.masked)
        return "a masked array: pass x.filled(value), or x.data for the elements without the mask";
    if (!kind.lazy) return nullptr;
    int lazy = answer(object, "is_neg");
    if (!lazy) lazy = answer(object, "is_conj");
    return lazy > 0 ? "a lazy negative or conjugate: pass x.resolve_neg() or x.resolve_conj()" : nullptr;
}

} // namespace pygpu::detail
