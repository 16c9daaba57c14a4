"""Calls into the real libcudart 13 of NVIDIA's PyPI wheel; most answer without a GPU."""

from __future__ import annotations

import pathlib

import pytest

from generator import merge, store

ROOT = pathlib.Path(__file__).parents[2]

pytestmark = pytest.mark.cuda_library


def test_version(python, cuda_library):
    code = "import PyGPU; print(PyGPU.cuda.cudaRuntimeGetVersion())"
    printed = python(code, PYGPU_CUDA_LIBRARY=cuda_library).stdout
    assert printed == "(13000, <cudaError: code=0>)\n"


def test_device_count_without_a_driver(python, cuda_library, has_device):
    if has_device:
        pytest.skip("this machine has a device")
    code = "import PyGPU; print(PyGPU.cuda.cudaGetDeviceCount(), PyGPU.cudaGetDeviceCount())"
    printed = python(code, PYGPU_CUDA_LIBRARY=cuda_library).stdout
    assert printed == "(None, <cudaError: code=35>) (None, <cudaError: code=35>)\n"


def test_the_wheel_is_found_without_a_variable(python, cuda_library):
    """pip's nvidia/*/lib is one of the places where the library is looked for."""
    code = """
        import PyGPU
        print(PyGPU.cuda.cudaRuntimeGetVersion())
        print(*{line.split()[-1] for line in open("/proc/self/maps") if "libcudart" in line})
    """
    version, path = python(
        code, PYGPU_BACKEND="cuda", LD_LIBRARY_PATH=None, CUDA_HOME=None
    ).stdout.splitlines()
    assert version.endswith("<cudaError: code=0>)")
    assert "libcudart.so" in path


def test_every_function_is_found(python, cuda_library):
    code = """
        import PyGPU
        PyGPU.cuda.cudaRuntimeGetVersion()
        library = PyGPU._core.installed("cuda")
        print(library["release"], library["found"], *library["missing"])
    """
    release, found, *missing = python(code, PYGPU_CUDA_LIBRARY=cuda_library).stdout.split()
    assert (release, found) == ("13.0", "312")
    api = store.load(ROOT / "api_specs" / "cuda_runtime" / "api.json")
    functions = merge.release_of(api, "13.0").functions
    assert len(functions) == 312
    assert not functions.keys() & set(missing)


def test_a_string_for_a_device(python, cuda_library):
    code = """
        import PyGPU
        try:
            PyGPU.cuda.cudaSetDevice("x")
        except TypeError as error:
            print(error)
    """
    message = python(code, PYGPU_CUDA_LIBRARY=cuda_library).stdout
    assert "cudaSetDevice" in message
    assert "device" in message


def test_a_number_out_of_range(python, cuda_library):
    code = """
        import PyGPU
        try:
            PyGPU.cuda.cudaSetDevice(2**40)
        except OverflowError as error:
            print(error)
    """
    message = python(code, PYGPU_CUDA_LIBRARY=cuda_library).stdout
    assert "cudaSetDevice" in message
    assert "device" in message


@pytest.mark.parametrize("arguments", ["", "0, 1", "dev=0", "0, device=0"])
def test_wrong_arguments_are_type_errors(python, cuda_library, arguments):
    code = f"""
        import PyGPU
        try:
            PyGPU.cuda.cudaSetDevice({arguments})
        except TypeError as error:
            print(error)
    """
    assert "cudaSetDevice" in python(code, PYGPU_CUDA_LIBRARY=cuda_library).stdout


def test_texts_of_errors(python, cuda_library):
    code = """
        import PyGPU
        print(PyGPU.cuda.cudaGetErrorName(35))
        print(PyGPU.cuda.cudaGetErrorString(0))
        print(PyGPU.cuda.cudaError(35))
    """
    name, text, shown = python(code, PYGPU_CUDA_LIBRARY=cuda_library).stdout.splitlines()
    assert name == "cudaErrorInsufficientDriver"
    assert text == "no error"
    assert "cudaErrorInsufficientDriver" in shown


def test_a_library_already_in_the_process_is_preferred(python, cuda_library, tmp_path):
    """A copy that was loaded before PyGPU's first call is used, and nothing else is loaded."""
    import shutil

    copy = tmp_path / "libcudart.so.13"
    shutil.copy(cuda_library, copy)
    code = """
        import ctypes, sys
        ctypes.CDLL(sys.argv[1])
        import PyGPU
        assert PyGPU.cuda.cudaRuntimeGetVersion()[0] == 13000
        print(*{line.split()[-1] for line in open("/proc/self/maps") if "libcudart" in line})
    """
    assert python(code, str(copy)).stdout.split() == [str(copy)]


def test_importing_opens_nothing(python):
    code = """
        import PyGPU
        PyGPU.cudaSetDevice, PyGPU.cuda.cudaMemcpy, PyGPU.hip.hipMalloc
        maps = open("/proc/self/maps").read()
        assert "libcudart" not in maps and "libcuda.so" not in maps and "amdhip" not in maps
    """
    python(code)


def test_importing_is_light(python):
    code = """
        import sys
        import PyGPU
        print(*sorted({"numpy", "enum", "inspect", "typing", "ctypes"} & set(sys.modules)))
    """
    bare = python(
        'import sys; print(*sorted({"enum", "inspect", "typing", "ctypes"} & set(sys.modules)))'
    ).stdout
    assert set(python(code).stdout.split()) <= set(bare.split())
