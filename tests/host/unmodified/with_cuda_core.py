"""A program of cuda.core's: C++ as machine code, launched on a stream; then linked parts."""

import ctypes

from cuda.core import (
    Device,
    LaunchConfig,
    Linker,
    LinkerOptions,
    Program,
    ProgramOptions,
    launch,
)

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

PARTS = (
    'extern "C" __device__ int part(int x) { return 3 * x; }',
    'extern "C" __device__ int part(int); extern "C" __global__ void k(int *p) { *p = part(5); }',
)
for kind, more in (("ptx", {}), ("ltoir", {"link_time_optimization": True})):
    options = ProgramOptions(arch=f"sm_{device.arch}", relocatable_device_code=True, **more)
    parts = [Program(one, "c++", options).compile(kind) for one in PARTS]
    linked = Linker(*parts, options=LinkerOptions(arch=f"sm_{device.arch}", **more)).link("cubin")
    launch(stream, LaunchConfig(grid=1, block=1), linked.get_kernel("k"), memory)
    stream.sync()
    assert ctypes.c_int.from_address(int(memory.handle)).value == 15
print("right")
