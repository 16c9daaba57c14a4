// Arrays that C reads: any sequence of values, converted one by one.
#pragma once

#include "convert/converter.hpp"
#include "interpreter/reference.hpp"

#include <cstddef>
#include <vector>

namespace pygpu {

template <class T> struct Array {
    T *data;
    operator T *() const { return data; }
    operator const T *() const { return data; }
};

// The items of a sequence other than text and mappings; empty with the exception set.
Reference items_of(PyObject *object, const Place &place);

template <class T> struct Converter<Array<T>> {
    std::vector<T> items;
    T *given = nullptr; // an address instead of a sequence
    bool counted = false;

    bool load(PyObject *object, const Place &place) {
        if (object == Py_None) return true;
        if (PyLong_Check(object)) {
            given = reinterpret_cast<T *>(PyLong_AsVoidPtr(object));
            return !PyErr_Occurred();
        }
        Reference sequence = items_of(object, place);
        if (!sequence) return false;
        const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence.get());
        items.reserve(static_cast<std::size_t>(count));
        for (Py_ssize_t at = 0; at < count; ++at) {
            Converter<T> item;
            if (!item.load(PySequence_Fast_GET_ITEM(sequence.get(), at), place)) return false;
            items.push_back(item.value());
        }
        counted = true;
        return true;
    }
    void fallback(long long) {}
    Array<T> value() const { return {counted ? const_cast<T *>(items.data()) : given}; }
    std::size_t size() const { return counted ? items.size() : static_cast<std::size_t>(-1); }
};

} // namespace pygpu
