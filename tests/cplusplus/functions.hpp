// The functions that the test modules of pybind11 and nanobind bind. They read and write spans on the host.
#pragma once

#include "PyGPU/device_span.h"
#include "PyGPU/ptr_wrapper.h"
#include "PyGPU/to_python.h"

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

namespace functions {

using Float = pygpu::device_span<float>;
using ConstFloat = pygpu::device_span<const float>;

// All that a span tells: address, shape, strides, type and number of the device, stream, contiguity, size.
using Told = std::tuple<std::uintptr_t, std::vector<std::int64_t>, std::vector<std::int64_t>, int, int,
                        std::uintptr_t, bool, std::int64_t>;

template <class T> Told tell(const pygpu::device_span<T> &span) {
    void *stream = span.stream();
    return {reinterpret_cast<std::uintptr_t>(span.data()),
            {span.shape(), span.shape() + span.ndim()},
            {span.strides(), span.strides() + span.ndim()},
            span.device().type,
            span.device().id,
            reinterpret_cast<std::uintptr_t>(stream),
            span.contiguous(),
            span.size()};
}

inline Told told(ConstFloat span) { return tell(span); }
inline Told told_writable(Float span) { return tell(span); }

// Any layout, up to two axes.
inline double sum(ConstFloat span) {
    double total = 0;
    for (std::int64_t row = 0; row < (span.ndim() > 1 ? span.extent(0) : 1); ++row)
        for (std::int64_t at = 0; at < span.extent(span.ndim() - 1); ++at)
            total += span.ndim() > 1 ? span(row, at) : span(at);
    return total;
}

inline void twice(Float span) {
    for (std::int64_t at = 0; at < span.size(); ++at) span.data()[at] *= 2;
}

// Overloads by dtype.
template <class T> std::string dtype_name(pygpu::device_span<const T>) {
    return std::string(pygpu::word_of(pygpu::dtype_v<T>)) + std::to_string(pygpu::dtype_v<T>.bits);
}

// What parameters may ask for.
inline int matrix(pygpu::device_span<const float, pygpu::ndim<2>> span) { return span.ndim(); }
inline int rows(pygpu::device_span<const float, pygpu::c_contig>) { return 1; }
inline int columns(pygpu::device_span<const float, pygpu::f_contig>) { return 1; }
inline int gpu(pygpu::device_span<const float, pygpu::on_gpu> span) { return span.device().type; }
inline int host(pygpu::device_span<const float, pygpu::on_host, pygpu::ndim<1>> span) {
    return span.device().type;
}

inline std::uintptr_t address(pygpu::ptr_wrapper<const float> pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer.get());
}
inline pygpu::ptr_wrapper<float> same(pygpu::ptr_wrapper<float> pointer) { return pointer; }

// From C++ to Python. Every call of a deleter is counted.
inline int &ends() {
    static int count = 0;
    return count;
}
inline int ended() { return ends(); }

inline pygpu::device_array<float> count_up(std::vector<std::int64_t> shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent > 0 ? extent : 1;
    auto *memory = static_cast<float *>(std::malloc(static_cast<std::size_t>(count) * sizeof(float)));
    for (std::int64_t at = 0; at < count; ++at) memory[at] = static_cast<float>(at);
    return {memory, std::move(shape), [](float *pointer) {
                std::free(pointer);
                ++ends();
            }};
}

inline std::vector<std::int64_t> &table() {
    static std::vector<std::int64_t> numbers{1, 2, 3};
    return numbers;
}
inline pygpu::device_array<const std::int64_t> constant() {
    return {table().data(), {3}, [](const std::int64_t *) { ++ends(); }};
}

// Memory that stays the caller's.
inline pygpu::device_array<float> adopt(std::uintptr_t address, std::vector<std::int64_t> shape) {
    return {reinterpret_cast<float *>(address), std::move(shape), [](float *) { ++ends(); }};
}

// The same list for both libraries.
template <class Module> void bind(Module &module) {
    module.def("told", &told);
    module.def("told_writable", &told_writable);
    module.def("sum", &sum);
    module.def("twice", &twice);
    module.def("dtype_name", &dtype_name<float>);
    module.def("dtype_name", &dtype_name<double>);
    module.def("dtype_name", &dtype_name<bool>);
    module.def("dtype_name", &dtype_name<std::int8_t>);
    module.def("dtype_name", &dtype_name<std::uint64_t>);
    module.def("dtype_name", &dtype_name<std::complex<float>>);
    module.def("matrix", &matrix);
    module.def("rows", &rows);
    module.def("columns", &columns);
    module.def("gpu", &gpu);
    module.def("host", &host);
    module.def("address", &address);
    module.def("same", &same);
    module.def("ended", &ended);
    module.def("count_up", &count_up);
    module.def("constant", &constant);
    module.def("adopt", &adopt);
}

} // namespace functions
