"""Calls into the real libcudart 13 of NVIDIA's PyPI wheel; most of them work without a GPU."""

from __future__ import annotations

import ctypes
import inspect
import pathlib
import shutil

import pytest

import PyGPU
from PyGPU import cuda
from tests.own_interpreter import own_interpreter

ROOT = pathlib.Path(__file__).parents[2]

pytestmark = pytest.mark.cuda_library


def mapped(*words: str) -> list[str]:
    """The mapped files whose path contains one of the words."""
    lines = pathlib.Path("/proc/self/maps").read_text().splitlines()
    return sorted({line.split()[-1] for line in lines if any(word in line for word in words)})


@own_interpreter("on_real_cuda")
def test_version():
    assert repr(cuda.cudaRuntimeGetVersion()) == "(13000, <cudaError: code=0>)"


@pytest.fixture
def without_a_driver(on_real_cuda, has_device):
    if has_device:
        pytest.skip("this machine has a device")
    return on_real_cuda


@own_interpreter("without_a_driver")
def test_device_count_without_a_driver():
    assert repr(cuda.cudaGetDeviceCount()) == "(None, <cudaError: code=35>)"
    assert PyGPU.cudaGetDeviceCount() == cuda.cudaGetDeviceCount()


@pytest.mark.usefixtures("cuda_library")
@own_interpreter(PYGPU_BACKEND="cuda", LD_LIBRARY_PATH=None, CUDA_HOME=None)
def test_the_wheel_is_found_without_a_variable():
    """The search looks in pip's nvidia/*/lib, too."""
    assert not cuda.cudaRuntimeGetVersion()[1]
    (path,) = mapped("libcudart")
    assert "libcudart.so" in path


@own_interpreter("on_real_cuda")
def test_every_function_is_found():
    from generator import merge, store

    cuda.cudaRuntimeGetVersion()
    library = PyGPU._core.installed("cuda")
    assert (library["release"], library["found"]) == ("13.0", 312)
    api = store.load(ROOT / "api_specs" / "cuda_runtime" / "api.json")
    functions = merge.release_of(api, "13.0").functions
    assert len(functions) == 312
    assert not functions.keys() & set(library["missing"])


@own_interpreter("on_real_cuda")
def test_wrong_arguments_are_errors():
    with pytest.raises(TypeError, match=r"cudaSetDevice.*device"):
        cuda.cudaSetDevice("x")
    with pytest.raises(OverflowError, match=r"cudaSetDevice.*device"):
        cuda.cudaSetDevice(2**40)
    for arguments, named in (((), {}), ((0, 1), {}), ((), {"dev": 0}), ((0,), {"device": 0})):
        with pytest.raises(TypeError, match="cudaSetDevice"):
            cuda.cudaSetDevice(*arguments, **named)


@own_interpreter("on_real_cuda")
def test_texts_of_errors():
    assert cuda.cudaGetErrorName(35) == "cudaErrorInsufficientDriver"
    assert cuda.cudaGetErrorString(0) == "no error"
    assert "cudaErrorInsufficientDriver" in str(cuda.cudaError(35))


@own_interpreter()
def test_a_library_already_in_the_process_is_preferred(cuda_library, tmp_path):
    """If a copy was loaded before PyGPU's first call, it is used, and nothing else is loaded."""
    copy = shutil.copy(cuda_library, tmp_path / "libcudart.so.13")
    ctypes.CDLL(copy)
    assert cuda.cudaRuntimeGetVersion()[0] == 13000
    assert mapped("libcudart") == [str(copy)]


@own_interpreter()
def test_importing_opens_nothing():
    for function in (PyGPU.cudaSetDevice, cuda.cudaMemcpy, PyGPU.hip.hipMalloc):
        assert inspect.isbuiltin(function)
    assert not mapped("libcudart", "libcuda.so", "amdhip")


def test_importing_is_light(python):
    heavy = {"numpy", "enum", "inspect", "typing", "ctypes"}
    bare, with_us = (
        python(f"import sys{more}; print(*sys.modules)").stdout.split() for more in ("", ", PyGPU")
    )
    assert heavy & set(with_us) <= set(bare)
