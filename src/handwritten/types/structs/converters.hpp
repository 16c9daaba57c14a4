// Structs as parameters and results: by value, by pointer, in arrays, written by C.
#pragma once

#include "convert/converter.hpp"
#include "convert/sequences.hpp"
#include "types/handles/handle_class.hpp"
#include "types/structs/argument.hpp"
#include "types/structs/callables.hpp"
#include "types/structs/numbers.hpp"
#include "types/structs/object.hpp"
#include "types/structs/struct_class.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace pygpu {

// Set by the generated types for every struct and union of an API.
template <class T> inline constexpr bool is_c_struct = false;

template <class T>
concept CStruct = is_c_struct<T>;

// A parameter by which C reads one struct.
template <class T> struct In {
    const T *data;
    operator T *() const { return const_cast<T *>(data); }
};

template <class T> struct Converter<In<T>> {
    using Struct = std::remove_const_t<T>;
    StructArgument argument;
    GraphOf graph;
    alignas(struct_align<Struct>) std::array<std::byte, struct_capacity<Struct> + struct_tail> buffer;

    Converter() {} // leaves the buffer uninitialised: what is used is written first
    bool load(PyObject *object, const ArgumentContext &context) {
        return argument.point(struct_class<Struct>(), object, context, buffer);
    }
    In<T> value() const { return {static_cast<const T *>(argument.pointer())}; }

    // The graph that keeps the struct's callables. Callables behind an address or in a buffer are not looked
    // for.
    template <Handle H> bool check_with(const Converter<H> &owner, const ArgumentContext &) {
        graph.set(owner);
        return true;
    }
    void succeeded()
        requires holds_callables<Struct>
    {
        if (argument.is_struct())
            graph.keep(struct_class<Struct>(), static_cast<const std::byte *>(argument.pointer()));
    }
};

// A struct that C identifies by its address.
template <class T> struct Itself {
    T *data;
    operator T *() const { return data; }
};

template <class T> struct Converter<Itself<T>> {
    StructArgument argument;

    bool load(PyObject *object, const ArgumentContext &context) {
        return argument.point_to_itself(struct_class<T>(), object, context);
    }
    Itself<T> value() const { return {static_cast<T *>(argument.pointer())}; }
};

template <CStruct T> struct Converter<T> {
    StructCopy copy;
    alignas(struct_align<T>) std::array<std::byte, struct_capacity<T>> buffer{};

    bool load(PyObject *object, const ArgumentContext &context) {
        StructClass &kind = struct_class<T>();
        return write_small_ints(kind.layout(kind.current()), buffer.data(), object) ||
               copy.load(kind, object, context, buffer);
    }
    T value() const {
        T bytes;
        std::memcpy(&bytes, buffer.data(), sizeof bytes);
        return bytes;
    }
    std::size_t size() const { return copy.size_behind_first(); } // used for cudaPitchedPtr
};

template <CStruct T> struct Converter<Array<T>> {
    StructArguments arguments;

    bool load(PyObject *object, const ArgumentContext &context) {
        return arguments.load(struct_class<T>(), object, context);
    }
    Array<T> value() const { return {static_cast<T *>(arguments.pointer())}; }
    std::size_t size() const { return arguments.count(); }
};

// An array that C reads and writes: copies of the caller's structs.
template <class T> struct Changed {
    T *data;
    operator T *() const { return data; }
};

template <CStruct T> struct Converter<Changed<T>> {
    StructArguments arguments;

    bool load(PyObject *object, const ArgumentContext &context) {
        // C would write in place behind an address, where nobody knows how much memory there is.
        if (is_address(object)) return type_error(context, "a sequence of structs or None", object);
        return arguments.load(struct_class<T>(), object, context);
    }
    Changed<T> value() const { return {static_cast<T *>(arguments.pointer())}; }
    std::size_t size() const { return arguments.count(); }
};

// A new struct of these bytes.
template <class T> PyObject *copied_struct(const void *bytes) {
    PyObject *copy = struct_copy(struct_class<T>(), bytes);
    if constexpr (holds_callables<T>) {
        if (copy && !keep_callables(as_struct(copy))) Py_CLEAR(copy);
    }
    return copy;
}

template <CStruct T> PyObject *to_python(const T &value) { return copied_struct<T>(&value); }

// A struct of C's own: a view, passed back by its address.
template <class T>
    requires CStruct<std::remove_const_t<T>> && (!is_opaque<std::remove_const_t<T>>)
PyObject *to_python(T *pointer) {
    if (!pointer) Py_RETURN_NONE;
    using Struct = std::remove_const_t<T>;
    return struct_at(struct_class<Struct>(), const_cast<Struct *>(pointer), nullptr);
}

// Room for a struct that C writes. A newer library may write a longer struct than this build knows. The tail
// takes the bytes beyond, and overrun() reports them.
template <class T> class Received {
public:
    Received() = default;
    explicit Received(const void *bytes) { std::memcpy(bytes_.data(), bytes, struct_capacity<T>); }

    T *memory() { return reinterpret_cast<T *>(bytes_.data()); }
    const void *bytes() const { return bytes_.data(); }
    // Whether C wrote beyond the `size` bytes of the layout that the loaded release has.
    bool overrun(std::size_t size) const { return !is_zero(bytes_.data() + size, bytes_.size() - size); }

private:
    alignas(struct_align<T>) std::array<std::byte, struct_capacity<T> + struct_tail> bytes_{};
};

// Warns that a struct was longer than known. Returns None, because its fields may lie elsewhere.
PyObject *overrun_to_python(const StructClass &kind);

template <class T> PyObject *to_python(const Received<T> &received) {
    StructClass &kind = struct_class<T>();
    if (received.overrun(kind.size())) return overrun_to_python(kind);
    return copied_struct<T>(received.bytes());
}

// Loads an in/out parameter. It accepts what a struct by value accepts, or None for zeros. It accepts no
// address, because a conversion must not read from one (from_address makes a view of it).
bool load_written(StructCopy &copy, StructClass &kind, PyObject *object, const ArgumentContext &context,
                  std::span<std::byte> buffer);

// An in/out struct: C writes into a copy.
template <class T> struct Converter<Received<T>> {
    StructCopy copy;
    GraphOf graph;
    alignas(struct_align<T>) std::array<std::byte, struct_capacity<T>> buffer{};

    bool load(PyObject *object, const ArgumentContext &context) {
        return load_written(copy, struct_class<T>(), object, context, buffer);
    }
    Received<T> value() const { return Received<T>(buffer.data()); }

    template <Handle H> bool check_with(const Converter<H> &owner, const ArgumentContext &) {
        graph.set(owner);
        return true;
    }
    void succeeded()
        requires holds_callables<T>
    {
        graph.keep(struct_class<T>(), buffer.data());
    }
};

} // namespace pygpu
