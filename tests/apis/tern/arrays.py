"""Arrays on a third vendor's runtime. Its names, numbers and statuses are in its folder alone."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

import PyGPU
from PyGPU import gpuarray

LIBRARY = ctypes.CDLL(os.environ["PYGPU_TERN_LIBRARY"])


@pytest.fixture
def held():
    """While a test runs, the device's work is not ready."""
    LIBRARY.tern_hold(1)
    yield
    LIBRARY.tern_hold(0)


def test_the_backend() -> None:
    assert PyGPU.backend == "tern"
    assert PyGPU.tern.ternDevices() == (1, PyGPU.tern.ternResult.TERN_OK)


def test_what_tern_lacks() -> None:
    said = "'cudaStreamCaptureModeGlobal': Tern has no counterpart of it"
    with pytest.raises(AttributeError, match=said):
        PyGPU.cudaStreamCaptureModeGlobal  # noqa: B018


def test_there_and_back() -> None:
    host = np.arange(24, dtype=np.int32).reshape(4, 6)
    array = gpuarray.to_gpu(host)
    assert np.array_equal(array.get(), host)
    assert np.array_equal(array[1:4:2, ::3].get(), host[1:4:2, ::3])
    assert np.array_equal(array.T.copy().get(), host.T)


def test_copies_on_the_device() -> None:
    array = gpuarray.zeros((3, 4, 5), np.float32)
    array[1:, :, 2] = gpuarray.to_gpu(np.ones((2, 4), np.float32))
    array.fill(2.5)
    array[0] = 1
    wanted = np.full((3, 4, 5), 2.5, np.float32)
    wanted[0] = 1
    assert np.array_equal(array.copy().get(), wanted)


def test_kinds_of_memory() -> None:
    pinned = gpuarray.pagelocked_empty(1 << 10, np.uint8)
    pinned[:] = 7
    managed = gpuarray.managed_empty(16, np.int64)
    managed[:] = 3
    assert gpuarray.to_gpu(pinned).get().sum() == 7 << 10
    assert managed.tolist() == [3] * 16


def test_registered_memory() -> None:
    """Tern's flag for all devices is 64; CUDA's, 1, is refused."""
    with gpuarray.register(np.zeros(1 << 12)):
        pass
    with pytest.raises(PyGPU.GPUError, match="TERN_BAD_ARGUMENT"):
        gpuarray.register(np.zeros(1 << 12), flags=1)


def test_typed_arrays() -> None:
    array = PyGPU.DeviceArray_float32(8)
    assert not array.allocate()
    assert not array.to_device()
    assert not array.last_status()


def test_streams_and_events() -> None:
    stream, start, end = gpuarray.Stream(), gpuarray.Event(), gpuarray.Event()
    start.record(stream)
    array = gpuarray.to_gpu_async(np.ones(1000), stream=stream)
    end.record(stream)
    stream.synchronize()
    assert stream.query() and end.query()
    assert end.time_since(start) >= 0
    assert array.get(stream=stream).sum() == 1000


def test_what_is_not_ready(held) -> None:
    """9 is no error here. With CUDA's number for it, 600, it would be one."""
    stream, event = gpuarray.Stream(), gpuarray.Event()
    event.record(stream)
    assert not event.query()
    assert not stream.query()


def test_copies_of_several_slices() -> None:
    """The struct for them has other fields, in another order, than CUDA's."""
    host = np.arange(2 * 3 * 4 * 5, dtype=np.int16).reshape(2, 3, 4, 5)
    array = gpuarray.to_gpu(host)
    assert np.array_equal(array[:, 1:, 1:3, 2:].get(), host[:, 1:, 1:3, 2:])


def test_captures_are_relaxed_by_terns_own_number() -> None:
    """Tern refuses CUDA's number, 2."""
    before = LIBRARY.tern_relaxed()
    gpuarray.to_gpu(np.ones(8)).get()
    assert LIBRARY.tern_relaxed() > before >= 0


def test_what_is_recorded_is_kept_by_the_plan() -> None:
    stream, array = gpuarray.Stream(), gpuarray.zeros(8, np.int32)
    stream.synchronize()
    LIBRARY.tern_record(1)
    try:
        array.fill(3, stream=stream)
    finally:
        LIBRARY.tern_record(0)
    assert LIBRARY.tern_end_plan() == 1


def test_codes_that_pygpu_gives_itself() -> None:
    with pytest.raises(PyGPU.GPUError) as raised:
        gpuarray.Event().time_since(gpuarray.Event())
    assert (raised.value.error.name, raised.value.error.code) == ("TERN_BAD_ARGUMENT", 4)


def test_out_of_memory() -> None:
    with pytest.raises(MemoryError) as raised:
        gpuarray.empty(1 << 31, np.uint8)
    assert isinstance(raised.value, PyGPU.GPUMemoryError)
    assert (raised.value.error.name, raised.value.error.code) == ("TERN_OUT_OF_MEMORY", 19)
    assert "TERN_OUT_OF_MEMORY" in str(raised.value)
    assert "of 1073741824" in str(raised.value)  # only an out-of-memory asks for what is free
    array = PyGPU.DeviceArray_float32(1 << 30)
    assert array.allocate().code == 19
    assert not PyGPU.tern.ternPeekResult()  # what PyGPU has raised or returned is cleared


def test_exchange() -> None:
    array = gpuarray.to_gpu(np.arange(5, dtype=np.float32))
    assert array.__dlpack_device__() == (12, 0)
    assert gpuarray.from_dlpack(array).get().tolist() == [0, 1, 2, 3, 4]
    assert array.__cuda_array_interface__["stream"] in (0, None)
