// device_span<T>: memory of a device (or the host) with its shape, strides, device and stream. It owns
// nothing.
//
//     void scale(pygpu::device_span<float> x, float by);                     // any layout, any memory
//     void rows(pygpu::device_span<const float, pygpu::ndim<2>, pygpu::c_contig, pygpu::on_gpu> x);
//
// Include PyGPU/pybind11.h or PyGPU/nanobind.h where such functions are bound. A span is valid during the
// call. Work that is queued on stream() comes after all work that made the elements. This header needs no
// Python and compiles with nvcc and hipcc, too: a span may be a kernel's parameter.
#pragma once

#include "PyGPU/dtype.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define PYGPU_ANYWHERE __host__ __device__
#else
#define PYGPU_ANYWHERE
#endif

namespace pygpu {

inline constexpr int most_axes = 16;

// Where memory is; `type` is numbered as DLDeviceType.
struct device {
    static constexpr int cpu = 1, cuda = 2, cuda_host = 3, rocm = 10, rocm_host = 11, cuda_managed = 13;

    int type = cpu;
    int id = 0; // -1 where it isn't known: the CUDA Array Interface doesn't say

    PYGPU_ANYWHERE constexpr bool host_reaches() const {
        return type == cpu || type == cuda_host || type == rocm_host || type == cuda_managed;
    }
    PYGPU_ANYWHERE constexpr bool gpu_reaches() const { return type != cpu; }
};

// A stream as a runtime's own handle: cudaStream_t, hipStream_t, CUstream.
struct stream_handle {
    void *address = nullptr;

    template <class Handle> PYGPU_ANYWHERE operator Handle *() const {
        return static_cast<Handle *>(address);
    }
};

// What a parameter may ask for. An array without it goes to another overload, or is a TypeError.
template <int Axes> struct ndim {};
struct c_contig {}; // the elements are one run in C order
struct f_contig {};
struct on_gpu {};  // kernels reach it; ordinary memory of the host is refused
struct on_host {}; // the host's code reaches it

// What all spans have in common.
struct layout {
    void *data = nullptr;
    int axes = 0;
    std::int64_t shape[most_axes] = {};
    std::int64_t strides[most_axes] = {}; // in elements
    pygpu::device device;
    void *stream = nullptr;

    PYGPU_ANYWHERE std::int64_t size() const {
        std::int64_t count = 1;
        for (int axis = 0; axis < axes; ++axis) count *= shape[axis];
        return count;
    }

    // Whether the elements are one run in C order, or in F order if `in_c_order` is false.
    PYGPU_ANYWHERE bool is_run(bool in_c_order) const {
        std::int64_t expected = 1;
        const bool empty = size() == 0;
        for (int at = 0; at < axes && !empty; ++at) {
            const int axis = in_c_order ? axes - 1 - at : at;
            if (shape[axis] != 1 && strides[axis] != expected) return false;
            expected *= shape[axis];
        }
        return true;
    }
};

template <class T, class... Wanted> class device_span;

template <class T> class device_span<T> {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    device_span() = default;
    PYGPU_ANYWHERE explicit device_span(const pygpu::layout &layout) : layout_(layout) {}
    // Makes a span that only reads.
    template <class U, class = std::enable_if_t<std::is_same_v<const U, T> && !std::is_same_v<U, T>>>
    PYGPU_ANYWHERE device_span(const device_span<U> &other) : layout_(other.layout()) {}

    PYGPU_ANYWHERE T *data() const { return static_cast<T *>(layout_.data); }
    PYGPU_ANYWHERE int ndim() const { return layout_.axes; }
    PYGPU_ANYWHERE const std::int64_t *shape() const { return layout_.shape; }
    PYGPU_ANYWHERE const std::int64_t *strides() const { return layout_.strides; } // in elements
    PYGPU_ANYWHERE std::int64_t extent(int axis) const { return layout_.shape[axis]; }
    PYGPU_ANYWHERE std::int64_t stride(int axis) const { return layout_.strides[axis]; }
    PYGPU_ANYWHERE std::int64_t size() const { return layout_.size(); }
    PYGPU_ANYWHERE std::size_t size_bytes() const { return static_cast<std::size_t>(size()) * sizeof(T); }
    PYGPU_ANYWHERE bool empty() const { return size() == 0; }
    PYGPU_ANYWHERE bool contiguous() const { return layout_.is_run(true); }
    PYGPU_ANYWHERE bool contiguous_f() const { return layout_.is_run(false); }
    PYGPU_ANYWHERE pygpu::device device() const { return layout_.device; }
    PYGPU_ANYWHERE stream_handle stream() const { return {layout_.stream}; }
    PYGPU_ANYWHERE const pygpu::layout &layout() const { return layout_; }

    // The element at these indices, one for each axis. Nothing is checked. The code that calls it must be
    // able to reach the memory.
    template <class... Index> PYGPU_ANYWHERE T &operator()(Index... index) const {
        const std::int64_t at[] = {static_cast<std::int64_t>(index)..., 0};
        std::int64_t offset = 0;
        for (int axis = 0; axis < static_cast<int>(sizeof...(Index)); ++axis)
            offset += at[axis] * stride(axis);
        return data()[offset];
    }

private:
    pygpu::layout layout_;
};

template <class T, class... Wanted> class device_span : public device_span<T> {
public:
    using device_span<T>::device_span;
    device_span() = default;
    PYGPU_ANYWHERE device_span(const device_span<T> &other) : device_span<T>(other) {}
};

} // namespace pygpu
