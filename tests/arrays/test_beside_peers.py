"""Arrays beside torch, CuPy, cuBLAS and the driver in one process, on a GPU."""

from __future__ import annotations

import ctypes
import gc
import importlib.util

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

pytestmark = pytest.mark.device


@pytest.fixture(autouse=True)
def _on_a_card(device):
    if device.backend == "host":
        pytest.skip("kernels of others run on a card only")


def needs(*packages: str) -> None:
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")


def a_capture_of_torch_stays_intact():
    import torch

    class Node:
        def __init__(self):
            self.me = self
            self.array, self.pinned = PyGPU.to_gpu(np.arange(99.0)), PyGPU.pagelocked_zeros(9)
            self.seen = PyGPU.zeros(1000)
            int(self.seen.ptr)  # the address is known: others may use it
            self.stream, self.event = PyGPU.cudaStream_t(), PyGPU.cudaEvent_t()
            self.device_array = PyGPU.DeviceArray_float64(100)
            self.device_array.allocate()

    x = torch.arange(1000.0, device="cuda")
    y = torch.empty_like(x)
    torch.mul(x, 2, out=y)
    nodes = [Node() for _ in range(20)]
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="global"):
        torch.mul(x, 2, out=y)
        nodes.clear()
        assert gc.collect()
        PyGPU.cudaGetDevice()
        fresh = PyGPU.to_gpu(np.arange(10.0))
        assert fresh.get().tolist() == list(range(10))
        torch.add(y, 1, out=y)
    x.fill_(20)
    graph.replay()
    torch.cuda.synchronize()
    assert bool((y == 41).all())
    assert not PyGPU.cudaGetLastError()


def test_a_capture_of_torch_stays_intact(device, python):
    """Collections free arrays within the capture, and new arrays are made.

    The graph replays as captured.
    """
    needs("torch")
    python(a_capture_of_torch_stays_intact)


def torch_and_cupy_see_the_same_memory():
    import cupy
    import torch

    a = PyGPU.to_gpu(np.arange(12, dtype=np.float32).reshape(3, 4))
    theirs = cupy.asarray(a)
    assert theirs.data.ptr == a.ptr and theirs.shape == (3, 4)
    theirs *= 2
    cupy.cuda.get_current_stream().synchronize()
    tensor = torch.as_tensor(a, device="cuda")
    assert tensor.data_ptr() == a.ptr
    tensor += 1
    torch.cuda.synchronize()
    assert (a.get() == np.arange(12).reshape(3, 4) * 2 + 1).all()
    rows = cupy.asarray(a[::2, 1:])
    assert (rows.get() == a.get()[::2, 1:]).all()
    PyGPU.set_allocator(cupy.cuda.alloc)
    b = PyGPU.zeros((5, 5), np.int32)
    assert not b.get().any()
    PyGPU.set_allocator(None)


def test_torch_and_cupy_see_the_same_memory(device, python):
    needs("torch", "cupy")
    python(torch_and_cupy_see_the_same_memory)


@own_interpreter()
def test_the_context_is_the_primary_one(device):
    PyGPU.zeros(4)
    driver = ctypes.CDLL("libcuda.so.1")
    current, primary = ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuCtxGetCurrent(ctypes.byref(current)) == 0
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(primary), 0) == 0
    assert current.value and current.value == primary.value
    assert driver.cuDevicePrimaryCtxRelease_v2(0) == 0


def cublas_takes_arrays_through_ctypes():
    import torch  # noqa: F401 - brings cuBLAS

    with open("/proc/self/maps") as file:
        path = next(line.split()[-1] for line in file if "libcublas.so" in line)
    cublas = ctypes.CDLL(path)
    x, y = (np.random.default_rng(n).random((3, 3), np.float32) for n in (1, 2))
    a, b, c = PyGPU.to_gpu(x), PyGPU.to_gpu(y), PyGPU.zeros((3, 3), np.float32)
    handle, one, none = ctypes.c_void_p(), ctypes.c_float(1), ctypes.c_float(0)
    assert cublas.cublasCreate_v2(ctypes.byref(handle)) == 0
    # cuBLAS is column-major, so it sees the transposes: y' x' is (x y)'.
    assert (
        cublas.cublasSgemm_v2(
            handle, 0, 0, 3, 3, 3, ctypes.byref(one), b, 3, a, 3, ctypes.byref(none), c, 3
        )
        == 0
    )
    assert np.allclose(c.get(), x @ y, rtol=1e-3)
    assert cublas.cublasDestroy_v2(handle) == 0


def test_cublas_takes_arrays_through_ctypes(device, python):
    needs("torch")  # torch brings cuBLAS
    python(cublas_takes_arrays_through_ctypes)
