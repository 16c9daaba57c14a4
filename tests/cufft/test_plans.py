"""Plans, work areas and descriptors of several devices, on the stand-in."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda
from tests.own_interpreter import own_interpreter


def standin(name: str) -> int:
    """What the stand-in has kept."""
    function = getattr(ctypes.CDLL(os.environ["PYGPU_CUFFT_LIBRARY"]), name)
    function.restype = ctypes.c_void_p
    return function()


@own_interpreter("on_standin")
def test_a_transform_of_arrays_on_a_stream():
    """A plan takes PyGPU's streams, and its transforms take arrays."""
    cufft = PyGPU.cufft
    plan, err = cufft.cufftPlan1d(16, cufft.CUFFT_C2C, 1)
    assert (plan, bool(err)) == (7, False)
    stream = cuda.cudaStream_t(flags=1)
    assert not cufft.cufftSetStream(plan, stream)
    assert standin("standin_stream") == int(stream)
    given = np.arange(16, dtype="c8")
    array, out = PyGPU.to_gpu(given), PyGPU.zeros(16, "complex64")
    assert not cufft.cufftExecC2C(plan, array, out, cufft.CUFFT_FORWARD)
    assert np.allclose(out.get(), np.fft.fft(given), atol=1e-3)
    assert not cufft.cufftExecC2C(plan, out, out, cufft.CUFFT_INVERSE)
    assert np.allclose(out.get() / 16, given, atol=1e-3)
    area = PyGPU.zeros(128, "uint8")
    assert not cufft.cufftSetWorkArea(plan, area)
    assert standin("standin_area") == area.ptr
    with pytest.raises(TypeError, match="workArea"):
        cufft.cufftSetWorkArea(plan, stream)
    assert not cufft.cufftDestroy(plan)
    with pytest.raises(PyGPU.GPUError, match="CUFFT_INVALID_PLAN"):
        cufft.checked.cufftDestroy(8)


@own_interpreter("on_standin")
def test_sizes_for_each_device_of_a_plan():
    """cuFFT writes one size for each device, so the caller gives the room."""
    cufft = PyGPU.cufft
    plan = cufft.checked.cufftCreate()
    rest = (1, 32, None, 1, 32, cufft.CUFFT_C2C, 3)
    work = np.zeros(2, "u8")
    assert not cufft.cufftMakePlanMany(plan, 2, [4, 8], None, *rest, work)
    assert work.tolist() == [4 * 8 * 3 * 8, 0]
    assert not cufft.cufftXtSetGPUs(plan, 2, [0, 1])
    assert not cufft.cufftMakePlanMany(plan, 2, [4, 8], [4, 9], *rest, work)
    assert work.tolist() == [768, 769]
    with pytest.raises(ValueError, match="'n'"):
        cufft.cufftMakePlanMany(plan, 3, [4, 8], None, *rest, work)
    with pytest.raises(ValueError, match="'workSize' is too short: 8 needed, 4 given"):
        cufft.cufftMakePlanMany(plan, 2, [4, 8], None, *rest, bytearray(4))
    with pytest.raises(TypeError, match="'workSize' holds"):
        cufft.cufftMakePlanMany(plan, 2, [4, 8], None, *rest, np.zeros(2, "u4"))
    areas = bytearray(4), bytearray(4)
    assert not cufft.cufftXtSetWorkArea(plan, areas)
    assert [bytes(one) for one in areas] == [b"\1\1\1\1", b"\2\2\2\2"]


@own_interpreter("on_standin")
def test_a_policy_may_lower_its_limit():
    cufft = PyGPU.cufft
    plan = cufft.checked.cufftCreate()
    assert cufft.cufftXtSetWorkAreaPolicy(plan, cufft.CUFFT_WORKAREA_USER, 100) == (99, 0)
    assert cufft.cufftXtSetWorkAreaPolicy(plan, cufft.CUFFT_WORKAREA_MINIMAL, None) == (None, 0)


@own_interpreter("on_standin")
def test_descriptors_are_known_by_their_address():
    """A copy of a descriptor would be another one for cuFFT."""
    cufft = PyGPU.cufft
    plan = cufft.checked.cufftCreate()
    one, err = cufft.cufftXtMalloc(plan, cufft.CUFFT_XT_FORMAT_INPLACE)
    assert not err
    assert one.subFormat == cufft.CUFFT_XT_FORMAT_INPLACE
    assert not cufft.cufftXtExecDescriptor(plan, one, one, cufft.CUFFT_FORWARD)
    assert one.version == 1
    back = bytearray(8)
    assert not cufft.cufftXtMemcpy(plan, one, b"12345678", cufft.CUFFT_COPY_HOST_TO_DEVICE)
    assert not cufft.cufftXtMemcpy(plan, back, one, cufft.CUFFT_COPY_DEVICE_TO_HOST)
    assert back == b"12345678"
    assert not cufft.cufftXtFree(one)


@own_interpreter("on_standin")
def test_a_query_gives_the_struct_of_its_type():
    cufft = PyGPU.cufft
    factors, err = cufft.cufftXtQueryPlan(7, cufft.CUFFT_QUERY_1D_FACTORS)
    assert not err
    assert (factors.size, factors.factor2Mask, factors.factor2Shift) == (1, 10, 14)


@own_interpreter("on_standin")
def test_callbacks_are_addresses_for_each_device():
    cufft = PyGPU.cufft
    kind = cufft.CUFFT_CB_LD_COMPLEX
    assert not cufft.cufftXtSetCallback(7, [4096], kind, None)
    assert cufft.cufftXtSetCallback(7, [4097], kind, None) is cufft.CUFFT_INVALID_VALUE
