"""The driver's functions take arrays, streams and callbacks as the runtime's functions do.

PyGPU.cu is a separate extension module; another one has the arrays.
"""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import cu, gpuarray
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host")


def begin() -> None:
    cu.checked.cuInit(0)
    PyGPU.checked.cudaFree(0)  # makes the primary context current


def test_memory_that_pygpu_owns_is_not_freed():
    begin()
    allocated = PyGPU.DeviceArray_float32(10)
    allocated.allocate()
    for free, memory in [
        (cu.cuMemFree, gpuarray.zeros(10)),
        (cu.cuMemFree, gpuarray.zeros(10).gpudata),
        (cu.cuMemFree, allocated),
        (cu.cuMemFreeAsync, gpuarray.zeros(10)),
        (cu.cuMemFreeHost, gpuarray.pagelocked_zeros(10)),
    ]:
        arguments = [memory] if free is not cu.cuMemFreeAsync else [memory, None]
        with pytest.raises(TypeError, match="is memory that PyGPU owns"):
            free(*arguments)


def test_arrays_are_addresses_with_their_size():
    begin()
    array, result = gpuarray.to_gpu(np.arange(10.0)), np.zeros(10)
    cu.checked.cuMemcpyDtoH(result, array, result.nbytes)
    assert (result == np.arange(10)).all()
    with pytest.raises(ValueError, match="88 needed, 80 given"):
        cu.cuMemcpyDtoH(np.zeros(11), array, 88)


def test_a_stream_that_the_driver_has_destroyed_has_ended():
    begin()
    stream = PyGPU.Stream()
    assert cu.cuStreamDestroy(stream) == 0
    assert "ended" in repr(stream)
    with PyGPU.host.reports() as reports:
        del stream
    assert not reports


def test_an_array_may_die_in_a_callback_of_the_drivers():
    """The next ordinary call frees the memory: the vendors forbid calls in callbacks."""
    begin()
    stream, arrays = cu.checked.cuStreamCreate(0), [gpuarray.zeros(1000)]
    assert arrays[0].ptr  # the address is known: its free waits for the device
    with PyGPU.host.reports() as reports:
        cu.checked.cuLaunchHostFunc(stream, lambda _: arrays.clear())
        cu.checked.cuStreamSynchronize(stream)
        assert not arrays
        gpuarray.zeros(10)
        PyGPU.trim_memory()
    assert not reports
    assert not PyGPU.memory_info().deferred
    cu.checked.cuStreamDestroy(stream)
