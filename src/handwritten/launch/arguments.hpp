// Parameters of launches: the kernel, its arguments one by one, its arguments in one buffer.
#pragma once

#include "convert/converter.hpp"
#include "convert/memory.hpp"
#include "handles/handle_class.hpp"
#include "launch/sizes.hpp"
#include "launch/values.hpp"

#include <array>
#include <cstdint>

namespace pygpu {

// `const void *func`: a kernel or function handle, the address of a function or symbol, a ctypes function.
struct Code : AnyPointer {};

bool load_code(Memory &memory, PyObject *object, const Place &place);

template <> struct Converter<Code> {
    Memory memory;

    bool load(PyObject *object, const Place &place) { return load_code(memory, object, place); }
    void fallback(long long value) { memory.set(static_cast<std::uintptr_t>(value)); }
    Code value() const { return {{memory.pointer()}}; }
};

// `void **args`.
struct Arguments {
    void **data;
    operator void **() const { return data; }
};

template <> struct Converter<Arguments> {
    LaunchValues values;

    bool load(PyObject *object, const Place &place) { return values.load(object, place); }
    void fallback(long long) {}
    Arguments value() const { return {values.pointers()}; }

    bool settle(const Converter<Code> &function, const Place &place) const {
        return check_sizes(values, function.memory.pointer(), place);
    }
};

// `void **extra`: the arguments as they lie in memory, in one buffer.
struct Packed {
    void **data;
    operator void **() const { return data; }
};

template <> struct Converter<Packed> {
    Memory memory;
    bool packed = false;
    std::size_t bytes = 0;
    mutable std::array<void *, 5> list{};

    bool load(PyObject *object, const Place &place);
    void fallback(long long) {}
    Packed value() const;
};

} // namespace pygpu
