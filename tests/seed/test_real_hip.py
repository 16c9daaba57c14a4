"""Calls into the real libamdhip64 5.2.3 of Debian's package, on a machine without an AMD GPU."""

from __future__ import annotations

import os

import pytest

pytestmark = pytest.mark.hip_library


@pytest.fixture
def hip(python, hip_library):
    """Run code with `PyGPU.hip` on the real library, and give the lines that it prints."""

    def run(code: str, **environment: str) -> list[str]:
        folder = os.path.dirname(hip_library)
        environment = {
            "PYGPU_HIP_LIBRARY": hip_library,
            "LD_LIBRARY_PATH": folder,
            **environment,
        }
        return python(code, **environment).stdout.splitlines()

    return run


def test_device_count_without_a_device(hip):
    if os.path.exists("/dev/kfd"):
        pytest.skip("this machine has an AMD GPU")
    code = "import PyGPU; print(PyGPU.hip.hipGetDeviceCount())"
    assert hip(code) == ["(None, <hipError: code=100>)"]


def test_portable_names_on_hip(hip):
    if os.path.exists("/dev/kfd"):
        pytest.skip("this machine has an AMD GPU")
    code = "import PyGPU; print(PyGPU.backend, PyGPU.cudaGetDeviceCount())"
    assert hip(code, PYGPU_BACKEND="hip") == ["hip (None, <cudaError: code=100>)"]


def test_version(hip):
    code = "import PyGPU; print(PyGPU.hip.hipRuntimeGetVersion())"
    (printed,) = hip(code)
    assert printed == "(50221153, <hipError: code=0>)"


def test_what_the_library_lacks_is_a_status(hip):
    """5.2.3's header declares hipLaunchHostFunc, its library does not export it."""
    code = """
        import PyGPU
        print(repr(PyGPU.hip.hipLaunchHostFunc(0, 0, None)))
        print(PyGPU.hip.hipGetErrorName(302))
    """
    assert hip(code) == ["<hipError: code=302>", "hipErrorSharedObjectSymbolNotFound"]
