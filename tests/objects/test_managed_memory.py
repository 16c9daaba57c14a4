"""PyGPU.ManagedMemory: one memory for the host and devices, with advice."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from tests.objects.kernels import COUNT, kernel
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")


def advisable():
    if not PyGPU.Device().properties.concurrentManagedAccess:
        pytest.skip("this device takes no advice")


def test_host_and_device_share_it():
    memory = PyGPU.ManagedMemory(4 * COUNT + 8)
    ours, theirs = memory.host_array(COUNT, "f4", offset=8), memory.array(COUNT, "f4", offset=8)
    ours[:] = 1
    kernel("add")(theirs, 2, grid=1, block=COUNT)
    PyGPU.Device().synchronize()
    assert ours.tolist() == [3] * COUNT
    with pytest.raises(TypeError, match="small"):
        memory.array(COUNT + 1, "f8")
    with pytest.raises(TypeError, match="objects"):
        memory.host_array(1, object)


def test_advice_is_told_back():
    advisable()
    memory = PyGPU.ManagedMemory(1 << 21, preferred_location=PyGPU.Device())
    assert memory.preferred_location == PyGPU.Device().device_id
    memory.preferred_location = PyGPU.Host()
    assert memory.preferred_location == PyGPU.Host()
    memory.preferred_location = None
    assert memory.preferred_location is None
    assert not memory.read_mostly
    memory.read_mostly = True
    assert memory.read_mostly
    memory.accessed_by = [0, PyGPU.Host()]
    assert memory.accessed_by == {0, PyGPU.Host()}
    memory.accessed_by = [PyGPU.Device(0)]
    assert memory.accessed_by == {0}


def test_moving_keeps_the_contents():
    advisable()
    memory, stream = PyGPU.ManagedMemory(1 << 21), PyGPU.Stream()
    memory.host_array(1 << 21, "u1")[:] = 5
    memory.prefetch(stream=stream)
    stream.synchronize()
    assert memory.last_prefetch_location == 0
    memory.prefetch(PyGPU.Host(), stream=stream)
    stream.synchronize()
    assert memory.last_prefetch_location == PyGPU.Host()
    assert (memory.host_array(1 << 21, "u1") == 5).all()


def test_what_is_discarded_can_be_written_again():
    advisable()
    memory, stream = PyGPU.ManagedMemory(1 << 21), PyGPU.Stream()
    try:
        memory.discard(stream=stream)
        memory.discard_prefetch(stream=stream)
    except PyGPU.GPUError as error:
        if "NotSupported" not in str(error) and "NotFound" not in str(error):
            raise
        pytest.skip("this runtime discards nothing")
    array = memory.array(4, "f4").fill(1, stream)
    stream.synchronize()
    assert array.get().tolist() == [1] * 4


def test_its_end():
    memory = PyGPU.ManagedMemory(64)
    ours, theirs = memory.host_array(8), memory.array(8)
    with pytest.raises(BufferError):
        memory.close()
    del ours
    memory.close()
    assert "closed" in repr(memory)
    with pytest.raises(ValueError, match="freed"):
        theirs.get()


def test_of_arrays_that_there_are():
    array = PyGPU.managed_zeros((4, 4), np.float32)
    memory = PyGPU.ManagedMemory.of(array[1:, ::2])
    assert memory.size == 64
    assert PyGPU.ManagedMemory.of(memory.host_array(4)).size == 64
    for other in (np.zeros(3), PyGPU.pagelocked_zeros(3), None):
        with pytest.raises(TypeError):
            PyGPU.ManagedMemory.of(other)
