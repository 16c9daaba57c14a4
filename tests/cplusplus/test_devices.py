"""Spans of device memory, and runtime memory that becomes arrays: on a GPU or the host runtime.

All binding libraries are in one process here, among them two versions of pybind11.
"""

from __future__ import annotations

import gc

import numpy as np
import pytest

import PyGPU
from tests.cplusplus.bound import Told, load

DLPACK = {"host": 1, "cuda": 2, "hip": 10}


def test_a_span_names_its_device_and_the_default_stream(device, module_folder):
    bound = load(module_folder)
    kind = DLPACK[PyGPU.backend]
    a = PyGPU.zeros((2, 3), "f4")
    told = Told(*bound.told(a[:, 1:]))
    assert told[:3] == (a.ptr + 4, [2, 2], [3, 1])
    assert (told.device, told.number, told.stream) == (kind, a.device, 1 if kind == 2 else 0)
    array = PyGPU.DeviceArray_float32(np.arange(6, dtype="f4"))
    assert not array.allocate() and not array.to_device()
    for given in (array, array.device_data()):
        told = Told(*bound.told(given))
        assert (told.pointer, told.device, told.number) == (int(array.device_data()), kind, 0)
    assert bound.address(array) == int(array.device_data())


def test_who_asks_for_a_place_gets_no_other(device, module_folder):
    """A span type for one place refuses memory in another place."""
    bound = load(module_folder)
    a, values = PyGPU.zeros(3, "f4"), np.zeros(3, "f4")
    fits, other = (bound.host, bound.gpu) if PyGPU.backend == "host" else (bound.gpu, bound.host)
    assert fits(a) == DLPACK[PyGPU.backend] and bound.host(values) == 1
    for call, given in ((other, a), (bound.gpu, values)):
        with pytest.raises(TypeError, match=r"on_gpu|on_host"):
            call(given)


def test_memory_of_the_runtime_becomes_an_array(device, module_folder):
    bound = load(module_folder)
    address, err = PyGPU.cudaMalloc(24)
    assert not err
    ended = bound.ended()
    a = bound.adopt(address, [2, 3])
    assert type(a) is PyGPU.GPUArray and a.ptr == address and a.device == 0
    a.fill(3)
    view = a[1:]
    a = None
    assert view.get().tolist() == [[3, 3, 3]] and bound.ended() == ended
    view = None
    gc.collect()
    assert bound.ended() == ended + 1
    assert not PyGPU.cudaFree(address)


def test_memory_that_no_device_has_is_refused(device, module_folder):
    if PyGPU.backend == "host":
        pytest.skip("the host runtime's devices have all memory")
    bound = load(module_folder)
    values, ended = np.zeros(3, "f4"), bound.ended()
    with pytest.raises(ValueError, match="parameter 'pointer'"):
        bound.adopt(values.ctypes.data, [3])
    assert bound.ended() == ended + 1


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_a_cards_arrays_of_others_are_taken(device, module_folder, library):
    if PyGPU.backend == "host":
        pytest.skip("the host runtime has no card")
    other = pytest.importorskip(library)
    bound = load(module_folder)
    if library == "torch":
        array = other.arange(6, dtype=other.float32, device="cuda").reshape(2, 3).T
        address = array.data_ptr()
    else:
        array = other.arange(6, dtype="f4").reshape(2, 3).T
        address = array.data.ptr
    told = Told(*bound.told(array))
    assert told[:5] == (address, [3, 2], [1, 3], DLPACK[PyGPU.backend], 0)
    assert told.stream == (1 if PyGPU.backend == "cuda" else 0)
    assert bound.gpu(array) == DLPACK[PyGPU.backend]
