"""The raising form and check()."""

from __future__ import annotations

import pytest

import PyGPU

cuda = PyGPU.cuda
SUCCESS, INVALID, MEMORY = (cuda.cudaError(code) for code in (0, 1, 2))


def test_check_returns_the_values():
    assert PyGPU.check(SUCCESS) is None
    assert PyGPU.check((7, SUCCESS)) == 7
    assert PyGPU.check((7, 8, SUCCESS)) == (7, 8)


def test_check_raises_the_status_with_the_values():
    with pytest.raises(PyGPU.GPUError) as raised:
        PyGPU.check((None, INVALID))
    assert raised.value.error is INVALID
    assert raised.value.values == (None,)
    assert "cudaErrorInvalidValue" in str(raised.value)


def test_exhausted_memory_is_a_memory_error_too():
    with pytest.raises(MemoryError):
        PyGPU.check(MEMORY)


@pytest.mark.parametrize("result", [(SUCCESS, 7), (INVALID, 1, 2)])
def test_check_names_the_other_packages_order(result):
    with pytest.raises(TypeError, match=r"\(error, value\)"):
        PyGPU.check(result)


@pytest.mark.parametrize("result", [None, 0, (), (1, 2), "x"])
def test_check_refuses_what_is_no_result(result):
    with pytest.raises(TypeError, match="check"):
        PyGPU.check(result)


def test_checked_names_the_call_that_failed():
    with pytest.raises(PyGPU.GPUError, match="cudaStreamDestroy") as raised:
        cuda.checked.cudaStreamDestroy(0)
    assert raised.value.values == ()
    assert raised.value.call == "cudaStreamDestroy"


def test_checked_gives_bare_values():
    assert isinstance(cuda.checked.cudaRuntimeGetVersion(), int)


def test_checked_hands_the_last_error_back():
    cuda.cudaStreamDestroy(0)
    assert isinstance(cuda.checked.cudaGetLastError(), cuda.cudaError)
