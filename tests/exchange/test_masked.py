"""numpy's masked arrays: no call drops a mask, since an array of PyGPU has none."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import driver
from tests.own_interpreter import own_interpreter

SAID = r"would lose its mask: pass x\.filled\(value\), or x\.data"

CALLS = {
    "to_gpu": lambda array, x: PyGPU.to_gpu(x),
    "to_gpu_async": lambda array, x: PyGPU.to_gpu_async(x),
    "asarray": lambda array, x: PyGPU.asarray(x),
    "asarray to a dtype": lambda array, x: PyGPU.asarray(x, "f4"),
    "from_dlpack": lambda array, x: PyGPU.from_dlpack(x),
    "from_dlpack to a device": lambda array, x: PyGPU.from_dlpack(x, device=0),
    "GPUArray": lambda array, x: PyGPU.GPUArray(x),
    "DeviceArray": lambda array, x: PyGPU.DeviceArray_float64(x),
    "set": lambda array, x: array.set(x),
    "set_async": lambda array, x: array.set_async(x),
    "assignment": lambda array, x: array.__setitem__(..., x),
    "assignment of one": lambda array, x: array.__setitem__(0, x[1]),
    "real": lambda array, x: setattr(array, "real", x),
    "get": lambda array, x: array.get(x),
    "get_async": lambda array, x: array.get_async(ary=x),
    "fill": lambda array, x: array.fill(x[1]),
    "full": lambda array, x: PyGPU.full(3, x[1]),
    "copy to it": lambda array, x: PyGPU.copy(x, array),
    "copy from it": lambda array, x: PyGPU.copy(array, x),
    "concatenate": lambda array, x: PyGPU.concatenate([array, x]),
    "concatenate hosts": lambda array, x: PyGPU.concatenate([x.data, x]),
    "stack": lambda array, x: PyGPU.stack([x, x]),
    "to_device": lambda array, x: driver.to_device(x),
    "memcpy_htod": lambda array, x: driver.memcpy_htod(array.gpudata, x),
    "memcpy_dtoh": lambda array, x: driver.memcpy_dtoh(x, array.gpudata),
    "np_to_array": lambda array, x: driver.np_to_array(x.reshape(2, 2).astype("f4"), "C"),
    "matrix_to_array": lambda array, x: driver.matrix_to_array(x.reshape(2, 2).astype("f4"), "C"),
}


def refused() -> None:
    class Derived(np.ma.MaskedArray):
        pass

    for name, call in CALLS.items():
        for kind in (np.ma.MaskedArray, Derived):
            masked = np.arange(4.0).view(kind)
            masked[1] = np.ma.masked
            array = PyGPU.to_gpu(np.full(4, 7.0))
            with pytest.raises(TypeError, match=SAID):
                pytest.fail(f"{name}: {call(array, masked)!r}")
            assert array.get().tolist() == [7] * 4, name
            assert masked.mask.tolist() == [False, True, False, False], name


@own_interpreter("on_host")
def test_no_call_drops_a_mask():
    refused()


@own_interpreter("as_card")
def test_no_call_drops_a_mask_on_a_card():
    refused()


def test_what_is_to_be_passed_instead(device):
    masked = np.ma.MaskedArray([1.0, 2.0], [False, True])
    assert device.to_gpu(masked.filled(9)).get().tolist() == [1, 9]
    assert device.to_gpu(masked.data).get().tolist() == [1, 2]
    assert device.to_gpu(np.ma.MaskedArray([1.0]).data).get().tolist() == [1]
