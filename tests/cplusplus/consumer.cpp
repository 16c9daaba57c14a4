// Uses a span without Python.
#include <PyGPU/device_span.h>

#include <iostream>

int main() {
    float values[6] = {};
    pygpu::layout layout;
    layout.data = values;
    layout.axes = 2;
    layout.shape[0] = 2;
    layout.shape[1] = layout.strides[0] = 3;
    layout.strides[1] = 1;
    const pygpu::device_span<float> span(layout);
    span(1, 2) = 1;
    const pygpu::device_span<const float> reads = span;
    std::cout << (reads.contiguous() && values[5] == 1 ? reads.size() : 0) << "\n";
}
