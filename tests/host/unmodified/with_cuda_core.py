"""A program of cuda.core's: C++ compiled to machine code, launched on a stream."""

import ctypes

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = """
template <typename T> __global__ void scaled(T *values, T factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = factor * i;
}
"""

device = Device()
device.set_current()
stream = device.create_stream()
options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
name = "scaled<float>"
code = Program(SOURCE, "c++", options).compile("cubin", name_expressions=(name,))
memory = device.memory_resource.allocate(4 * 1000, stream=stream)
grid = LaunchConfig(grid=8, block=128)
launch(stream, grid, code.get_kernel(name), memory, ctypes.c_float(3), ctypes.c_int(1000))
stream.sync()
values = (ctypes.c_float * 1000).from_address(int(memory.handle))  # the host runtime's own memory
assert list(values) == [3.0 * i for i in range(1000)]
print("right")
