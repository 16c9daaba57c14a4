// Arrays that C reads: any sequence of values, converted one by one.
#pragma once

#include "convert/converter.hpp"
#include "convert/memory.hpp"
#include "convert/scalars.hpp"
#include "interpreter/reference.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

namespace pygpu {

// Converts to whatever pointer to elements C declares.
template <class T> struct Array {
    T *data;
    template <class U> operator U *() const { return reinterpret_cast<U *>(data); }
};

// The items of a sequence other than text and mappings, as a tuple; empty with the exception set. `expected`
// says what is due for the message.
Reference items_of(PyObject *object, const Place &place,
                   const char *expected = "a sequence, an address (int) or None");

template <class T> struct Converter<Array<T>> {
    std::deque<Converter<T>> held; // elements may pin buffers until the call is over
    std::vector<T> items;
    T *given = nullptr; // an address instead of a sequence
    bool counted = false;

    bool load(PyObject *object, const Place &place) {
        if (object == Py_None) return true;
        if (PyLong_Check(object)) {
            unsigned long long address = 0;
            if (!load_unsigned(object, place, UINTPTR_MAX, address)) return false;
            given = reinterpret_cast<T *>(static_cast<std::uintptr_t>(address));
            return true;
        }
        Reference sequence = items_of(object, place);
        if (!sequence) return false;
        const Py_ssize_t count = PyTuple_GET_SIZE(sequence.get());
        items.reserve(static_cast<std::size_t>(count));
        for (Py_ssize_t at = 0; at < count; ++at) {
            Converter<T> &item = held.emplace_back();
            if (!item.load(PyTuple_GET_ITEM(sequence.get(), at), place)) return false;
            items.push_back(item.value());
        }
        counted = true;
        return true;
    }
    void fallback(long long) {}
    Array<T> value() const { return {counted ? const_cast<T *>(items.data()) : given}; }
    std::size_t size() const { return counted ? items.size() : Memory::unknown; }

    // Pointers whose lengths in bytes stand in another array.
    template <class N> bool settle(const Converter<Array<N>> &sizes, const Place &place) const {
        for (std::size_t at = 0; at < std::min(items.size(), sizes.items.size()); ++at) {
            if (held[at].size() < sizes.items[at]) {
                return value_error(place, "item %zu is too short: %zu needed, %zu given", at,
                                   static_cast<std::size_t>(sizes.items[at]), held[at].size());
            }
        }
        return true;
    }
};

// One that we read ourselves before C does: an address could lead anywhere.
template <class T> struct Items : Array<T> {};

template <class T> struct Converter<Items<T>> : Converter<Array<T>> {
    bool load(PyObject *object, const Place &place) {
        if (PyLong_Check(object)) return type_error(place, "a sequence or None", object);
        return Converter<Array<T>>::load(object, place);
    }
    Items<T> value() const { return {Converter<Array<T>>::value()}; }
};

} // namespace pygpu
