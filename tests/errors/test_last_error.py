"""The runtime's last error: plain calls leave it as in C, raising calls clear it."""

from __future__ import annotations

from types import ModuleType

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host")


@pytest.fixture(params=["cuda", "hip"])
def api(request: pytest.FixtureRequest) -> ModuleType:
    return getattr(PyGPU, request.param)


def call(module: ModuleType, name: str, *arguments: object) -> object:
    """A function by its name without the vendor's prefix."""
    return getattr(module, module.__name__.split(".")[1] + name)(*arguments)


def test_a_plain_call_leaves_it(api):
    error = call(api, "SetDevice", 99)
    assert error
    assert call(api, "PeekAtLastError") == error
    assert call(api, "GetLastError") == error
    assert not call(api, "GetLastError")


@pytest.mark.parametrize(("name", "arguments"), [("SetDevice", (99,)), ("Malloc", (1 << 62,))])
def test_what_raises_clears_it(api, name, arguments):
    """PyTorch reads the last error after its own calls, and would raise it a second time."""
    with pytest.raises(PyGPU.GPUError):
        call(api.checked, name, *arguments)
    assert not call(api, "PeekAtLastError")


def test_check_clears_it(api):
    with pytest.raises(PyGPU.GPUError):
        PyGPU.check(call(api, "SetDevice", 99))
    assert not call(api, "PeekAtLastError")


def test_check_leaves_another(api):
    earlier = call(api, "Malloc", 1 << 62)
    later = call(api, "SetDevice", 99)
    with pytest.raises(PyGPU.GPUError):
        PyGPU.check(earlier)
    assert call(api, "PeekAtLastError") == later


def test_asking_leaves_it(api):
    error = call(api, "SetDevice", 99)
    assert call(api.checked, "PeekAtLastError") == error
    assert call(api.checked, "GetLastError") == error


def test_arrays_leave_what_was_there():
    """The user didn't ask for the arrays' runtime calls: only the exception reports a failure."""
    earlier = PyGPU.cudaSetDevice(99)
    with pytest.raises(MemoryError):
        PyGPU.empty(1 << 40, "f8")
    assert PyGPU.cudaPeekAtLastError() == earlier
