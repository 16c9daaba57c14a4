// Parameters of launches: the kernel, its arguments one by one, its arguments in one buffer.
#pragma once

#include "convert/converter.hpp"
#include "convert/memory.hpp"
#include "types/handles/handle_class.hpp"
#include "types/launch/sizes.hpp"
#include "types/launch/values.hpp"

#include <array>
#include <cstdint>

namespace pygpu {

// `const void *func`: a kernel or function handle, the address of a function or symbol, a ctypes function.
struct Code : AnyPointer {};

[[gnu::hot]] bool load_code(Memory &memory, PyObject *object, const ArgumentContext &context);

template <> struct Converter<Code> {
    Memory memory;

    bool load(PyObject *object, const ArgumentContext &context) { return load_code(memory, object, context); }
    void fallback(long long value) { memory.set(static_cast<std::uintptr_t>(value)); }
    Code value() const { return {{memory.pointer()}}; }
};

// `void **args`.
struct LaunchArguments {
    void **data;
    operator void **() const { return data; }
};

template <> struct Converter<LaunchArguments> {
    LaunchValues values;

    bool load(PyObject *object, const ArgumentContext &context) {
        return values.load_at_once(object, context);
    }
    LaunchArguments value() const { return {values.pointers()}; }

    bool check_with(const Converter<Code> &function, const ArgumentContext &context) const {
        return check_sizes(values, function.memory.pointer(), context);
    }
    template <Handle H> bool check_with(const Converter<H> &kernel, const ArgumentContext &context) const {
        return check_sizes(values, kernel.handle, context);
    }
};

// `void **extra`: all arguments packed into one buffer. `end` is the number that ends the API's `extra`
// lists.
template <std::uintptr_t end> struct Packed {
    void **data;
    operator void **() const { return data; }
};

// The list that points C to the buffer, or the address of a list that the caller made. This object must not
// move, because the list points into it.
class PackedValues {
public:
    [[gnu::hot]] bool load(PyObject *object, const ArgumentContext &context, std::uintptr_t end);
    [[gnu::hot]] void **pointers() const;
    bool packed() const { return packed_; } // whether this object holds the list

private:
    Memory memory_;
    bool packed_ = false;
    std::size_t bytes_ = 0;
    std::array<void *, 5> list_{};
};

template <std::uintptr_t end> struct Converter<Packed<end>> {
    PackedValues values;

    bool load(PyObject *object, const ArgumentContext &context) { return values.load(object, context, end); }
    Packed<end> value() const { return {values.pointers()}; }
};

} // namespace pygpu
