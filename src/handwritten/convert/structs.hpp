// Structs, by pointer and by value: objects with the buffer protocol that hold the bytes.
#pragma once

#include "convert/converter.hpp"
#include "convert/memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace pygpu {

// A parameter by which C reads one struct.
template <class T> struct In {
    const T *data;
    operator T *() const { return const_cast<T *>(data); }
};

// Loads a buffer of at least `size` bytes.
bool load_struct(Memory &memory, PyObject *object, const Place &place, std::size_t size);
PyObject *struct_to_python(const void *bytes, std::size_t size);

template <class T> struct Converter<In<T>> {
    Memory memory;

    bool load(PyObject *object, const Place &place) { return load_struct(memory, object, place, sizeof(T)); }
    void fallback(long long) {}
    In<T> value() const { return {static_cast<const T *>(memory.pointer())}; }
};

// Set by the generated types for every struct and union of an API.
template <class T> inline constexpr bool is_c_struct = false;

template <class T>
concept CStruct = is_c_struct<T>;

template <CStruct T> struct Converter<T> {
    Memory memory;

    bool load(PyObject *object, const Place &place) { return load_struct(memory, object, place, sizeof(T)); }
    void fallback(long long) {}
    T value() const {
        T bytes{};
        if (memory.pointer()) std::memcpy(&bytes, memory.pointer(), sizeof bytes);
        return bytes;
    }
};

template <CStruct T> PyObject *to_python(const T &value) { return struct_to_python(&value, sizeof value); }

// Room for a struct that C writes. A newer library may know a longer struct than this build: the tail takes
// what it writes beyond, and tells.
template <class T> class Received {
public:
    Received() { tail_.fill(untouched); }
    explicit Received(const T &value) : Received() { value_ = value; }

    T *memory() { return &value_; }
    const T &value() const { return value_; }
    bool overrun() const {
        return !std::ranges::all_of(tail_, [](std::byte byte) { return byte == untouched; });
    }

private:
    static constexpr std::byte untouched{0};
    T value_{};
    std::array<std::byte, 1024> tail_;
};

// Warns that a struct was longer than known; returns None, as its fields may lie elsewhere.
PyObject *overrun_to_python(std::size_t size);

template <class T> PyObject *to_python(const Received<T> &received) {
    if (received.overrun()) return overrun_to_python(sizeof(T));
    return to_python(received.value());
}

// An in/out struct: C writes into a copy.
template <class T> struct Converter<Received<T>> {
    Converter<T> given;

    bool load(PyObject *object, const Place &place) { return given.load(object, place); }
    void fallback(long long value) { given.fallback(value); }
    Received<T> value() const { return Received<T>(given.value()); }
};

} // namespace pygpu
