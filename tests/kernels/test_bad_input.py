"""What a card refuses: each is a clear error, after which launches work as before."""

from __future__ import annotations

import contextlib
import re

import numpy as np
import pytest

import PyGPU
from PyGPU import compiler
from tests.kernels.device_code import SOURCE
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_gpus")


def loaded() -> PyGPU.Module:
    return PyGPU.Module(compiler.compile(SOURCE, cache=False))


def capability() -> tuple[int, int]:
    names = (PyGPU.cudaDevAttrComputeCapabilityMajor, PyGPU.cudaDevAttrComputeCapabilityMinor)
    major, minor = (PyGPU.checked.cudaDeviceGetAttribute(name, 0) for name in names)
    return major, minor


def cuda_only() -> None:
    if PyGPU.backend != "cuda":
        pytest.skip("for NVIDIA's cards")


@contextlib.contextmanager
def refused(module, kind, said):
    """The block raises, and a launch afterwards works."""
    with pytest.raises(kind, match=re.escape(said)) as raised:
        yield raised
    array = PyGPU.zeros(100, np.float64)
    module["fill"](array, 3, 100, grid=1, block=1)
    assert (array.get() == 3).all()


def test_code_of_another_architecture():
    cuda_only()
    other = "sm_90" if capability()[0] != 9 else "sm_80"
    with refused(loaded(), PyGPU.GPUError, "code 209"):
        PyGPU.Module(compiler.compile(SOURCE, arch=other, cache=False))


def test_what_is_no_code_at_all():
    module = loaded()
    with refused(module, PyGPU.GPUError, "Module()"):
        PyGPU.Module(b"garbage")
    if PyGPU.backend == "cuda":
        with refused(module, PyGPU.GPUError, "ptxas"):
            PyGPU.Module(b".version 8.0\n.target sm_75\n.address_size 64\nnonsense\n")


def test_names_that_are_missing():
    module = loaded()
    with refused(module, KeyError, "no kernel 'missing'; there are: "):
        module["missing"]
    with refused(module, KeyError, "no global variable 'missing'"):
        module.get_global("missing")


def test_arguments():
    module, array = loaded(), PyGPU.zeros(100, np.float64)
    fill = module["fill"]
    with refused(module, TypeError, "fill() takes 3 arguments, got 2"):
        fill(array, 3, grid=1, block=1)
    with refused(module, TypeError, "fill(): argument[0]"):
        fill(np.zeros(100), 3, 100, grid=1, block=1)
    freed = PyGPU.zeros(100, np.float64)
    freed.gpudata.free()
    with refused(module, ValueError, "fill(): the memory was freed by free()"):
        fill(freed, 3, 100, grid=1, block=1)


def test_shapes_of_a_launch():
    module = loaded()
    nothing = module["nothing"]
    most = nothing.max_threads_per_block
    with refused(module, ValueError, f"has too many threads: the kernel takes {most}"):
        nothing(grid=1, block=(most, 2))
    with refused(module, PyGPU.GPUError, "nothing()"):
        nothing(grid=(1, 1 << 30), block=1)
    with refused(module, PyGPU.GPUError, "nothing()"):
        nothing(grid=1, block=1, shared=1 << 30)
    with refused(module, PyGPU.GPUError, "nothing()"):
        nothing(grid=1 << 24, block=most, cooperative=True)
    nothing(grid=1, block=32, cooperative=True)


def test_a_kernel_of_an_unloaded_module():
    module, other = loaded(), loaded()
    nothing = other["nothing"]
    other.unload()
    with refused(module, ValueError, "nothing(): the module was unloaded"):
        nothing(grid=1, block=1)


def test_clusters():
    """On cards with compute capability 9.0 and later."""
    cuda_only()
    if capability() < (9, 0):
        pytest.skip("this card has no clusters")
    module = PyGPU.Module(
        compiler.compile(
            'extern "C" __global__ void sizes(int *out) {'
            ' unsigned size; asm("mov.u32 %0, %cluster_nctaid.x;" : "=r"(size));'
            " if (!threadIdx.x) out[blockIdx.x] = size; }",
            cache=False,
        )
    )
    sizes, out = module["sizes"], PyGPU.zeros(8, np.int32)
    sizes(out, grid=8, block=32, cluster=2)
    assert out.get().tolist() == [2] * 8
    sizes(out, grid=8, block=32, cluster=(4, 1, 1), cooperative=True)
    assert out.get().tolist() == [4] * 8
    for grid, cluster in ((7, 2), (8, 1024)):
        with refused(loaded(), PyGPU.GPUError, "sizes()"):
            sizes(out, grid=grid, block=32, cluster=cluster)
    sizes(out, grid=8, block=32)
    assert out.get().tolist() == [1] * 8


def test_what_a_kernel_tells_of_itself():
    module = loaded()
    saxpy = module["saxpy"]
    assert 0 < saxpy.num_regs <= 255
    assert (saxpy.shared_size_bytes, saxpy.max_threads_per_block) == (0, 1024)
    assert saxpy.local_size_bytes >= 0 and saxpy.const_size_bytes >= 0
    assert saxpy.active_blocks(256) >= 1 and saxpy.active_blocks(256, 1 << 14) >= 1
    if PyGPU.backend == "cuda":
        major, minor = capability()
        assert saxpy.binary_version == saxpy.ptx_version == 10 * major + minor
    saxpy.set_attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES", 1024)
    assert saxpy.attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES") == 1024
    with pytest.raises(AttributeError):
        saxpy.attribute("NO_SUCH")
