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

// `void **extra`: the arguments as they lie in memory, in one buffer. `end` ends the API's lists of this
// kind.
template <std::uintptr_t end> struct Packed {
    void **data;
    operator void **() const { return data; }
};

// The list that leads C to the buffer, or the address of one that the caller made. It may not move.
class PackedValues {
public:
    [[gnu::hot]] bool load(PyObject *object, const ArgumentContext &context, std::uintptr_t end);
    [[gnu::hot]] void **pointers() const;
    bool packed() const { return packed_; } // whether the list is in here

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
