"""DynamicModule and DynamicSourceModule, which the driver links; so does the host runtime."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

ADD = """
#include <cstdio>
__device__ int base = 3;
__global__ void add(int *x) { x[threadIdx.x] += base; }
"""
CALLED = "__device__ int twice(int x) { return 2 * x; }"
CALLER = """
extern __device__ int twice(int x);
__global__ void call(int *x) { x[threadIdx.x] = twice(threadIdx.x); }
"""
LAUNCHING = """
__global__ void inner(int *x) { x[threadIdx.x] = 5; }
__global__ void outer(int *x) { inner<<<1, 4>>>(x); }
"""


def ran(module, name: str) -> list[int]:
    x = PyGPU.zeros(4, np.int32)
    module.get_function(name)(x, block=(4, 1, 1))
    found: list[int] = x.get().tolist()
    return found


@own_interpreter("on_devices")
def test_a_source_is_a_module(cuda_headers):
    """It may have what SourceModule's sources have."""
    from PyGPU.compiler import DynamicSourceModule

    module = DynamicSourceModule(ADD, options="-O3")
    assert ran(module, "add") == [3] * 4
    address, size = module.get_global("base")
    assert address and size == 4
    with pytest.raises(KeyError, match="missing"):
        module.get_function("missing")


@own_interpreter("on_devices")
def test_sources_are_linked(cuda_headers):
    from PyGPU.compiler import DynamicModule

    told = []
    module = DynamicModule(message_handler=lambda *given: told.append(given))
    with pytest.raises(ValueError, match=r"DynamicModule: call link\(\) first"):
        module.get_function("call")
    for source in (CALLED, CALLER):
        module.add_source(source, ["-rdc=true"])
    assert ran(module.link(), "call") == [0, 2, 4, 6]
    assert told[0][0] is True
    with pytest.raises(PyGPU.GPUError):
        DynamicModule().add_source(CALLER, ["-rdc=true"]).link()


@own_interpreter("on_gpus")
def test_kernels_launch_kernels(cuda_headers):
    from PyGPU.compiler import DynamicSourceModule

    assert ran(DynamicSourceModule(LAUNCHING), "outer") == [5] * 4


@own_interpreter("on_host")
def test_a_library_that_is_missing(tmp_path):
    from PyGPU.compiler import DynamicModule
    from PyGPU.driver import jit_input_type

    module = DynamicModule(cuda_libdir=tmp_path)
    with pytest.raises(OSError, match=r"no libcudadevrt\.a in .*cuda_libdir="):
        module.add_stdlib("cudadevrt")
    (tmp_path / "libcudadevrt.a").touch()
    assert module.add_stdlib("cudadevrt") is module
    assert module._parts == [(jit_input_type.LIBRARY, str(tmp_path / "libcudadevrt.a"), "")]


@own_interpreter("on_hip")
def test_hip_has_none():
    from PyGPU.compiler import DynamicModule

    with pytest.raises(NotImplementedError, match="kernels of HIP can't launch kernels"):
        DynamicModule()
