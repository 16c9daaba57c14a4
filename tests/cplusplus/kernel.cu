// Compiled by nvcc: spans as parameters of a kernel, and elements of a CUDA type.
#include <PyGPU/device_span.h>

#include <cuda_fp16.h>

template <> struct pygpu::dtype_of<__half> : pygpu::dtype_constant<pygpu::kind::floating, 16> {};

__global__ void widen(pygpu::device_span<const __half, pygpu::ndim<2>> from,
                      pygpu::device_span<float, pygpu::ndim<2>, pygpu::on_gpu> to) {
    const int row = blockIdx.x, column = threadIdx.x;
    if (row < from.extent(0) && column < from.extent(1)) to(row, column) = __half2float(from(row, column));
}

void launch(pygpu::device_span<const __half, pygpu::ndim<2>> from,
            pygpu::device_span<float, pygpu::ndim<2>, pygpu::on_gpu> to) {
    widen<<<1, 32, 0, to.stream()>>>(from, to);
}
