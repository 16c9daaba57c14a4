// The functions that both binding libraries bind: some take spans, others hand memory over.
#pragma once

#include "PyGPU/device_span.h"
#include "PyGPU/to_python.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

struct half {
    std::uint16_t bits;
};
struct bfloat16 {
    std::uint16_t bits;
};
template <> struct pygpu::dtype_of<half> : pygpu::dtype_constant<pygpu::kind::floating, 16> {};
template <> struct pygpu::dtype_of<bfloat16> : pygpu::dtype_constant<pygpu::kind::bfloat, 16> {};

namespace functions {

// The runtime's functions, by their addresses: the module isn't linked to a runtime.
struct Runtime {
    int (*malloc)(void **, std::size_t);
    int (*memcpy)(void *, const void *, std::size_t, int);
    int (*free)(void *);
};

inline Runtime &runtime() {
    static Runtime one{};
    return one;
}

inline void use(std::uintptr_t malloc, std::uintptr_t memcpy, std::uintptr_t free) {
    runtime() = {reinterpret_cast<decltype(Runtime::malloc)>(malloc),
                 reinterpret_cast<decltype(Runtime::memcpy)>(memcpy),
                 reinterpret_cast<decltype(Runtime::free)>(free)};
}

template <class T> std::uintptr_t address(pygpu::device_span<const T> span) {
    return reinterpret_cast<std::uintptr_t>(span.data());
}

inline std::uintptr_t &last() {
    static std::uintptr_t made = 0;
    return made;
}
inline std::uintptr_t last_made() { return last(); }

// New device memory that holds a copy of elements of the host.
template <class T> pygpu::device_array<T> make(std::uintptr_t source, std::vector<std::int64_t> shape) {
    std::size_t size = sizeof(T);
    for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
    void *memory = nullptr;
    constexpr int to_device = 1;
    if (runtime().malloc(&memory, size) ||
        runtime().memcpy(memory, reinterpret_cast<const void *>(source), size, to_device))
        throw std::runtime_error("no memory");
    last() = reinterpret_cast<std::uintptr_t>(memory);
    return {static_cast<T *>(memory), std::move(shape), [](T *pointer) { runtime().free(pointer); }};
}

template <class T, class Module> void bind_one(Module &module, const char *dtype) {
    module.def("address", &address<T>);
    module.def((std::string("make_") + dtype).c_str(), &make<T>);
}

template <class Module> void bind(Module &module) {
    module.def("use", &use);
    module.def("last_made", &last_made);
    module.def("takes_floats", &address<float>);
    bind_one<bool>(module, "bool");
    bind_one<std::int8_t>(module, "int8");
    bind_one<std::int16_t>(module, "int16");
    bind_one<std::int32_t>(module, "int32");
    bind_one<std::int64_t>(module, "int64");
    bind_one<std::uint8_t>(module, "uint8");
    bind_one<std::uint16_t>(module, "uint16");
    bind_one<std::uint32_t>(module, "uint32");
    bind_one<std::uint64_t>(module, "uint64");
    bind_one<half>(module, "float16");
    bind_one<float>(module, "float32");
    bind_one<double>(module, "float64");
    bind_one<std::complex<float>>(module, "complex64");
    bind_one<std::complex<double>>(module, "complex128");
    bind_one<bfloat16>(module, "bfloat16");
}

} // namespace functions
