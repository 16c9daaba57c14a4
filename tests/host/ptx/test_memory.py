"""What kernels may access: read-only memory, and their own heap."""

from __future__ import annotations

import ctypes
import mmap
import os
import resource

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.host.device_code import compiled
from tests.own_interpreter import own_interpreter

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
READ_ONLY = 8  # cudaHostRegisterReadOnly


def kernel(body: str) -> PyGPU.Kernel:
    module = PyGPU.Module(
        f"""{HEAD}.visible .entry k(.param .u64 p) {{
        .reg .u64 %a; .reg .u32 %r; ld.param.u64 %a, [p]; {body} ret; }}""".encode()
    )
    return module["k"]


def pages(how: str, tmp: str) -> tuple[object, int]:
    """A read-only page, and what it holds."""
    with open(tmp, "w+b") as file:
        file.write(bytes(mmap.PAGESIZE))
        file.flush()
        values = np.memmap(tmp, np.uint32, "r")
    if how == "lent":
        return PyGPU.from_dlpack(values), values.ctypes.data
    PyGPU.checked.cudaHostRegister(values.ctypes.data, mmap.PAGESIZE, READ_ONLY)
    return values, values.ctypes.data


@pytest.mark.parametrize("how", ["registered", "lent"])
@pytest.mark.parametrize(
    "writes", ["st.u32 [%a], 1;", "ld.u32 %r, [%a];\nst.u32 [%a], %r;", "red.add.u32 [%a], 1;"]
)
@own_interpreter("on_host")
def test_kernels_only_read_memory_that_cannot_be_written(how, writes, tmp_path):
    held, address = pages(how, str(tmp_path / "page"))
    kernel("ld.u32 %r, [%a];")(ctypes.c_void_p(address), grid=1, block=32)
    PyGPU.checked.cudaDeviceSynchronize()
    with host.reports() as reports:
        kernel(writes)(ctypes.c_void_p(address), grid=1, block=32)
        assert PyGPU.cudaDeviceSynchronize() == 700
    assert f"4 bytes at 0x{address:x}, which can only be read" in reports[0]
    assert PyGPU.cudaDeviceReset() == 0
    del held


HEAP = r"""
extern "C" __global__ void takes(void **made, size_t size) {
    made[blockIdx.x * blockDim.x + threadIdx.x] = malloc(size);
}
extern "C" __global__ void gives(void **made) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    free(made[i]);
}
extern "C" __global__ void both(int *bad, size_t size) {
    char *one = (char *)malloc(size);
    if (!one) atomicAdd(bad, 1);
    else
        for (size_t at = 0; at < size; at += 4096) one[at] = 1;
    free(one);
}
"""
MIB = 1 << 20


@own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
def test_the_heap_of_kernels_is_the_devices_and_has_a_limit(nvrtc):
    code = compiled(HEAP, "compute_80")
    for device in (1, 0):
        PyGPU.checked.cudaSetDevice(device)
        free, _ = PyGPU.checked.cudaMemGetInfo()
        for limit in (8 * MIB, 2 * MIB):
            if limit != 8 * MIB:
                PyGPU.checked.cudaDeviceSetLimit(PyGPU.cudaLimitMallocHeapSize, limit)
            module = PyGPU.Module(code)
            result = PyGPU.to_gpu(np.zeros(32, np.uint64))
            module["takes"](result, np.uint64(MIB), grid=1, block=32)
            assert np.count_nonzero(result.get()) == limit // MIB
            used = free - PyGPU.checked.cudaMemGetInfo()[0]
            assert limit <= used < limit + MIB
            module["gives"](result, grid=1, block=32)
            module["takes"](result, np.uint64(MIB), grid=1, block=32)
            assert np.count_nonzero(result.get()) == limit // MIB
            assert PyGPU.cudaFree(int(result.get()[0])) != 0
            del module, result
            # A reset gives back what kernels left.
            assert PyGPU.cudaDeviceReset() == 0
            assert PyGPU.checked.cudaMemGetInfo()[0] == free


@own_interpreter("on_host", PYGPU_HOST_MEMORY="1GiB")
def test_memory_that_kernels_free_is_given_back_while_they_run(nvrtc):
    at_once = os.cpu_count() + 1  # number of blocks
    PyGPU.checked.cudaDeviceSetLimit(PyGPU.cudaLimitMallocHeapSize, at_once * MIB)
    module = PyGPU.Module(compiled(HEAP, "compute_80"))
    bad = PyGPU.to_gpu(np.zeros(1, np.int32))
    before = resident()
    module["both"](bad, np.uint64(MIB), grid=2000, block=1)
    assert bad.get()[0] == 0
    assert resident() - before < (at_once + 200) * MIB


def resident() -> int:
    """The most memory that the process has had resident, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


RECURSIVE = r"""
__device__ __noinline__ int f(volatile int *zero, int depth) {
    char room[1000];
    for (int i = 0; i < 1000; i += 50) room[i] = zero[0] + i;
    int sum = depth ? f(zero, depth - 1) : 0;
    for (int i = 0; i < 1000; i += 50) sum += room[(i + depth * 50) % 1000] == (char)i;
    return sum;
}
extern "C" __global__ void k(int *values, int depth) { values[1] = f(values, depth); }
"""


@own_interpreter("on_host")
def test_the_stack_is_as_large_as_asked(nvrtc):
    code = compiled(RECURSIVE, "compute_80")
    values = np.zeros(2, np.int32)
    PyGPU.checked.cudaDeviceSetLimit(PyGPU.cudaLimitStackSize, MIB)
    array = PyGPU.to_gpu(values)
    PyGPU.Module(code)["k"](array, np.int32(500), grid=1, block=1)
    assert array.get()[1] >= 501
    PyGPU.checked.cudaDeviceSetLimit(PyGPU.cudaLimitStackSize, 1024)
    PyGPU.Module(code)["k"](array, np.int32(500), grid=1, block=1)
    assert PyGPU.cudaDeviceSynchronize() == 700
    assert PyGPU.cudaDeviceReset() == 0
    PyGPU.checked.cudaDeviceSetLimit(PyGPU.cudaLimitStackSize, 2**63)
    array = PyGPU.to_gpu(values)
    kernel = PyGPU.Module(code)["k"]
    with pytest.raises(PyGPU.GPUError, match="701"):
        kernel(array, np.int32(5), grid=1, block=2)


@own_interpreter("on_host")
def test_a_chain_of_calls_has_room_for_all_of_them():
    size = 60000
    functions = [
        f""".func (.reg .u32 %r) f{at}(.reg .u32 %x) {{
        .local .b8 room[{size}]; .reg .u64 %a;
        mov.u64 %a, room; st.local.u32 [%a+{size - 4}], %x; add.u32 %x, %x, 1;
        {f"call (%x), f{at - 1}, (%x);" if at else ""}
        ld.local.u32 %r, [%a+{size - 4}]; add.u32 %r, %r, %x; ret; }}"""
        for at in range(8)
    ]
    text = "\n".join(functions)
    text += """\n.visible .entry k(.param .u64 p) { .reg .u64 %p; .reg .u32 %r;
        ld.param.u64 %p, [p]; mov.u32 %r, 0; call (%r), f7, (%r); st.u32 [%p], %r; ret; }"""
    array = PyGPU.to_gpu(np.zeros(1, np.uint32))
    PyGPU.Module((HEAD + text).encode())["k"](array, grid=2, block=64)
    assert array.get()[0] == sum(range(8)) + 8
