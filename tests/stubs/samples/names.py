"""A user's file that imports PyGPU alone and uses most of its public names."""

from __future__ import annotations

import ctypes

import numpy as np
from typing_extensions import assert_type

import PyGPU
from PyGPU import autoinit, autoprimaryctx, checked, driver, tools
from PyGPU.compiler import CompileError, SourceModule


def modules_by_attribute() -> None:
    assert_type(PyGPU.checked.cudaGetDevice(), int)
    assert_type(checked.cudaMemGetInfo(), "tuple[int, int]")
    assert_type(PyGPU.checked.cuDeviceGetCount(), int)
    assert_type(PyGPU.cu.checked.cuDeviceGetCount(), int)
    assert_type(PyGPU.nvrtc.checked.nvrtcVersion(), "tuple[int, int]")
    assert_type(PyGPU.hiprtc.checked.hiprtcVersion(), "tuple[int, int]")
    assert_type(PyGPU.compiler.cache_info().entries, int)
    assert_type(PyGPU.host.leaks(), str)
    assert_type(PyGPU.tools.make_default_context(), driver.Context)
    assert_type(PyGPU.ipc.open(PyGPU.ipc.share(PyGPU.zeros(3))), PyGPU.GPUArray)
    assert_type(PyGPU.backend, str)
    PyGPU.use("host")


def arrays(stream: PyGPU.Stream) -> None:
    host = np.zeros((2, 3), np.float32)
    array = PyGPU.to_gpu(host)
    assert_type(array, PyGPU.GPUArray)
    assert_type(PyGPU.gpuarray.empty((2, 3), np.float32), PyGPU.GPUArray)
    for made in (PyGPU.zeros_like(array), PyGPU.arange(3), PyGPU.full(3, 1.5), array[1:, ::2].T):
        assert_type(made, PyGPU.GPUArray)
    assert_type(array.shape, "tuple[int, ...]")
    array.set_async(host, stream)
    array.get(progress=True)
    with PyGPU.Stream() as inner:
        inner.synchronize()
    start, end = PyGPU.Event(), PyGPU.Event()
    start.record(stream)
    assert_type(start.time_till(end), float)
    assert_type(PyGPU.memory_info().used, int)
    with PyGPU.device(0):
        PyGPU.wait(array)


def kernels(array: PyGPU.GPUArray) -> None:
    module = SourceModule("__global__ void k(float *x) {}", options=["-DN=1"])
    kernel = module.get_function("k")
    kernel(array, grid=(1, 1), block=(32, 1, 1))
    kernel(driver.InOut(np.zeros(3)), block=(32, 1, 1))
    kernel[1, 32](array)
    assert_type(PyGPU.Module(b"code")["k"], PyGPU.Kernel)
    try:
        PyGPU.compiler.compile("nonsense")
    except CompileError as error:
        assert_type(error.diagnostics[0].line, int)


@PyGPU.host.kernel("scale")
def scale(grid: tuple[int, int, int], block: tuple[int, int, int], x: int) -> float:
    return float(x + grid[0] + block[0])


@PyGPU.host.kernel("fill", parameters=[ctypes.c_int, np.float32])
def fill(*arguments: int) -> None: ...


@tools.context_dependent_memoize
def made_once(count: int, *, name: str = "") -> list[str]:
    return [name] * count


def kernels_on_the_host() -> None:
    assert_type(scale((1, 1, 1), (1, 1, 1), 3), float)
    assert_type(scale.name, str)
    fill(1, 2)
    with PyGPU.host.kernel("other", print) as other:
        other.remove()
    PyGPU.host.kernel("c", ctypes.CFUNCTYPE(None)(), [ctypes.c_int]).remove()
    PyGPU.host.kernel("address", 4096).remove()
    with PyGPU.host.fail("cudaMalloc") as fault, PyGPU.host.reports() as reports:
        assert_type(fault.struck, "int | None")
        assert_type(reports, "list[str]")
    assert_type(made_once(3, name="x"), "list[str]")


def pycuda_names() -> None:
    assert_type(autoinit.context, driver.Context)
    assert_type(autoprimaryctx.device, driver.Device)
    memory = driver.mem_alloc(16)
    driver.memcpy_htod(memory, np.zeros(4, np.float32))
    memory.free()
    assert_type(driver.Device(0).name(), str)
    pool = tools.DeviceMemoryPool()
    pool.allocate(3).free()
    assert_type(pool.active_bytes, int)
