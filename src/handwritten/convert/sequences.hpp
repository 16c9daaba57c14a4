// Arrays that C reads: any sequence of values, converted one by one.
#pragma once

#include "convert/buffer_size.hpp"
#include "convert/converter.hpp"
#include "convert/memory.hpp"
#include "convert/scalars.hpp"
#include "python/reference.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace pygpu {

// Converts to whatever pointer to elements C declares.
template <class T> struct Array {
    T *data;
    template <class U> operator U *() const { return reinterpret_cast<U *>(data); }
};

// Whether an object is a sequence with a length, other than text and mappings. A ctypes pointer has items,
// too, but no length.
bool is_sequence(PyObject *object);

// The items of such a sequence, as a tuple; empty with the exception set. `expected` goes into the message.
Reference items_of(PyObject *object, const ArgumentContext &context,
                   const char *expected = "a sequence, an address (int) or None");

// The address of a C array: an int or a ctypes pointer. False with the exception set.
template <class T> bool load_array_address(PyObject *object, const ArgumentContext &context, T *&array) {
    Memory memory;
    if (!memory.load(object, context, Access::location)) return false;
    array = static_cast<T *>(memory.pointer());
    return may_be_led_to(array, context);
}

template <class T> struct Converter<Array<T>> {
    std::unique_ptr<Converter<T>[]> converters; // elements may pin buffers until the call is over
    std::unique_ptr<T[]> items;
    std::size_t count = Memory::unknown;
    T *address = nullptr; // instead of a sequence

    bool load(PyObject *object, const ArgumentContext &context) { return load_items(object, context, 0); }
    // `spare` more items, which are 0.
    bool load_items(PyObject *object, const ArgumentContext &context, std::size_t spare) {
        if (object == Py_None) return true;
        if (is_address(object)) return load_array_address(object, context, address);
        Reference sequence = items_of(object, context);
        if (!sequence) return false;
        count = static_cast<std::size_t>(PyTuple_GET_SIZE(sequence.get()));
        converters.reset(new (std::nothrow) Converter<T>[count]);
        items.reset(new (std::nothrow) T[count + spare]);
        if (!converters || !items) return PyErr_NoMemory() != nullptr;
        for (std::size_t at = 0; at < count; ++at) {
            PyObject *const item = PyTuple_GET_ITEM(sequence.get(), static_cast<Py_ssize_t>(at));
            const FieldPath step{context.path, nullptr, static_cast<Py_ssize_t>(at)};
            if (!converters[at].load(item, context.within(step))) return false;
            items[at] = converters[at].value();
        }
        std::fill_n(items.get() + count, spare, T{});
        return true;
    }
    Array<T> value() const { return {items ? items.get() : address}; }
    std::size_t size() const { return count; }
    std::span<const T> all() const { return {items.get(), items ? count : 0}; }

    // For an array of pointers: another array has their lengths in bytes.
    template <class N>
    bool check_with(const Converter<Array<N>> &sizes, const ArgumentContext &context) const {
        const std::size_t both = std::min(all().size(), sizes.all().size());
        for (std::size_t at = 0; at < both; ++at) {
            if (converters[at].size() < sizes.items[at]) {
                const FieldPath step{context.path, nullptr, static_cast<Py_ssize_t>(at)};
                return too_short(context.within(step), static_cast<std::size_t>(sizes.items[at]),
                                 converters[at].size());
            }
        }
        return true;
    }
};

// An array that ends with a 0, which is added to the caller's items.
template <class T> struct Terminated : Array<T> {};

template <class T> struct Converter<Terminated<T>> : Converter<Array<T>> {
    bool load(PyObject *object, const ArgumentContext &context) {
        return this->load_items(object, context, 1);
    }
    Terminated<T> value() const { return {Converter<Array<T>>::value()}; }
};

// An array that PyGPU reads before C does. An address is refused, because it could lead anywhere.
template <class T> struct Items : Array<T> {};

template <class T> struct Converter<Items<T>> : Converter<Array<T>> {
    bool load(PyObject *object, const ArgumentContext &context) {
        if (is_address(object)) return type_error(context, "a sequence or None", object);
        return Converter<Array<T>>::load(object, context);
    }
    Items<T> value() const { return {Converter<Array<T>>::value()}; }
    // Without enumerators nothing says what C writes. So None is then an empty sequence.
    std::size_t size() const { return std::is_enum_v<T> ? this->all().size() : this->count; }
};

} // namespace pygpu
