"""asarray(), the CUDA Array Interface, and every function that takes arrays of other libraries."""

from __future__ import annotations

import array as arrays_of_python
from typing import Any

import numpy as np
import pytest

import PyGPU
from tests.exchange import tensors
from tests.exchange.tensors import CUDA, Foreign
from tests.own_interpreter import own_interpreter


class Interface:
    """Another library's array, with a CUDA Array Interface on the memory of a GPUArray."""

    def __init__(self, array: Any, **changes: Any) -> None:
        self.array = array
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (array.ptr, False),
            "strides": array.strides, "stream": None, "version": 3, **changes,
        }  # fmt: skip


class OnCard:
    """Another library's array, with DLPack on the memory of a GPUArray; numpy can't take it."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.array.__dlpack__(**keywords)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed")


def test_what_is_an_array_already(device):
    a = device.to_gpu(np.arange(6.0).reshape(2, 3))
    assert device.asarray(a) is a
    assert device.asarray(a, "f8") is a
    assert device.asarray(a, copy=False) is a
    copied = device.asarray(a, copy=True)
    assert copied.ptr != a.ptr and copied.get().tolist() == a.get().tolist()
    cast = device.asarray(a, "f4")
    assert cast.dtype == np.float32 and cast.get().tolist() == a.get().tolist()
    with pytest.raises(BufferError, match="another dtype"):
        device.asarray(a, "f4", copy=False)
    typed = a.device_array
    shared = device.asarray(typed)
    assert (shared.ptr, shared.shape, shared.dtype) == (a.ptr, a.shape, a.dtype)
    with pytest.raises(ValueError, match=r"call allocate\(\)"):
        device.asarray(device.DeviceArray_int8([3]))


@pytest.mark.parametrize(
    "value", [3, 2.5, True, [1, 2, 3], ((1.0, 2.0), (3.0, 4.0)), np.float32(7), 1j]
)
def test_numbers_are_copied(device, value):
    a = device.asarray(value)
    assert isinstance(a, device.GPUArray)
    assert a.dtype == np.asarray(value).dtype and a.get().tolist() == np.asarray(value).tolist()
    if not isinstance(value, complex):
        assert device.asarray(value, "f4").dtype == np.float32


BUFFERS = {
    "numpy": lambda: np.arange(6, dtype="i2").reshape(2, 3),
    "strided": lambda: np.arange(12, dtype="i2").reshape(2, 6)[:, ::2],
    "bytearray": lambda: bytearray(b"abcdef"),
    "array": lambda: arrays_of_python.array("d", [1, 2, 3]),
    "memoryview": lambda: memoryview(b"abcd"),
    "structured": lambda: np.zeros(3, [("a", "i2"), ("b", "f8")]),
    "swapped": lambda: np.arange(3, dtype=">i4"),
}


@pytest.mark.parametrize("made", BUFFERS)
def test_buffers_are_shared_with_the_host_runtime_and_copied_to_a_device(device, made):
    buffer = BUFFERS[made]()
    expected = np.asarray(buffer)
    a = device.asarray(buffer)
    assert a.dtype == expected.dtype and a.shape == expected.shape
    assert a.get().tolist() == expected.tolist()
    shares = device.backend == "host" and made not in ("structured", "swapped")
    assert (a.ptr == expected.ctypes.data) == shares
    assert device.asarray(buffer, copy=True).ptr != expected.ctypes.data
    if not shares:
        with pytest.raises(BufferError, match="copied"):
            device.asarray(buffer, copy=False)


def test_an_interface_that_is_none_is_none(device):
    class Numbers:
        __cuda_array_interface__ = None

        def __array__(self, dtype=None, copy=None):
            return np.arange(3.0)

    for made in (device.asarray(Numbers()), device.to_gpu(Numbers()), device.GPUArray(Numbers())):
        assert made.get().tolist() == [0, 1, 2]


def test_copy_false_never_copies(device):
    host = np.arange(3, dtype=np.float32)
    for given, dtype in [(host, np.float64), (host.astype(">f4"), None), ([1, 2], None)]:
        with pytest.raises(BufferError, match="copied"):
            device.asarray(given, dtype, copy=False)


def test_what_is_no_array(device):
    for text in ("abc", ["a", "b"]):
        with pytest.raises(TypeError, match=r"asarray\(\)"):
            device.asarray(text)
    with pytest.raises(TypeError, match="Python objects"):
        device.asarray(object())


def test_numpys_dtypes_are_converted(device):
    assert device.asarray(np.arange(3), "f4").get().tolist() == [0, 1, 2]
    assert device.asarray(np.arange(3), "f4").dtype == np.float32


@own_interpreter("as_card")
def test_a_numpy_array_is_copied_to_a_card():
    host = np.arange(6.0)
    a = PyGPU.asarray(host)
    host[:] = 0
    assert a.get().tolist() == list(range(6))
    with pytest.raises(BufferError, match="in host memory"):
        PyGPU.asarray(host, copy=False)
    assert PyGPU.asarray(host, device=1).device == 1
    assert PyGPU.asarray(a, device=1).get().tolist() == list(range(6))
    with pytest.raises(BufferError, match="device 0"):
        PyGPU.asarray(a, device=1, copy=False)


@own_interpreter("as_card")
def test_another_librarys_memory_is_shared():
    memory = PyGPU.to_gpu(np.arange(24.0).reshape(2, 3, 4))
    for view in (
        memory,
        memory[:, 1:, ::2],
        memory.T,
        memory[:, ::-1],
        memory[0, 0, 0],
        memory[:0],
    ):
        a = PyGPU.asarray(Interface(view))
        assert (a.ptr, a.shape, a.dtype) == (view.ptr, view.shape, view.dtype)
        assert (a.get() == view.get()).all()
    assert PyGPU.asarray(Interface(memory, strides=None)).strides == memory.strides
    assert PyGPU.asarray(OnCard(memory)).ptr == memory.ptr
    record = PyGPU.zeros(3, [("a", "i2"), ("b", "f8")])
    interface = record.__cuda_array_interface__
    assert PyGPU.asarray(Interface(record, **interface)).dtype == record.dtype
    assert (PyGPU.asarray(Interface(memory), "f4").get() == memory.get()).all()
    device_array = PyGPU.DeviceArray_float64(np.arange(3.0))
    assert device_array.allocate() == device_array.to_device() == 0
    assert PyGPU.from_dlpack(device_array).get().tolist() == [0, 1, 2]


class Both(Interface):
    """It also has DLPack, which can't express the array."""

    def __dlpack_device__(self) -> Any:
        return CUDA, 0

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("mine")


class Conjugated(Both):
    """Like a conjugated tensor of torch: the interface shows the memory before conjugation."""

    def resolve_conj(self) -> Any:
        raise AssertionError


@own_interpreter("as_card")
def test_what_dlpack_refuses_is_shared_by_the_interface():
    """But torch's tensors, and objects without the interface, raise DLPack's error."""
    memory = PyGPU.zeros(6)
    assert PyGPU.asarray(Both(memory)).ptr == memory.ptr
    nothing = Both(memory)
    nothing.__cuda_array_interface__ = None
    for refused in (Conjugated(memory), nothing):
        with pytest.raises(BufferError, match="mine"):
            PyGPU.asarray(refused)


@own_interpreter("as_card")
def test_what_an_interface_may_not_say():
    memory = PyGPU.zeros(6)
    wrong = {
        "mask": {"mask": memory},
        "pair": {"data": 5},
        "no int": {"data": ("a", False)},
        "no typestr": {"typestr": None},
        "no tuple": {"shape": [6]},
        "negative extent": {"shape": (-1,)},
        "any memory": {"shape": (2**62, 2), "strides": None},
        "reach further": {"shape": (2, 2), "strides": (2**62, 2**62)},
        "other axes": {"strides": (8, 8)},
        "no memory": {"data": (0, False)},
        "ambiguous": {"stream": 0},
        "must be an int|must hold ints": {"shape": ("a",)},
    }
    for why, changes in wrong.items():
        with pytest.raises((BufferError, ValueError, TypeError), match=why):
            PyGPU.asarray(Interface(memory, **changes))
    odd = Interface(memory)
    odd.__cuda_array_interface__ = 7
    with pytest.raises(BufferError, match="no dict"):
        PyGPU.asarray(odd)
    locked = PyGPU.asarray(Interface(memory, data=(memory.ptr, True)))
    with pytest.raises(ValueError, match="read-only"):
        locked.fill(1)
    assert locked.__cuda_array_interface__["data"] == (memory.ptr, True)


@own_interpreter("as_card")
def test_work_comes_after_the_stream_that_an_interface_names():
    from PyGPU import host

    source = PyGPU.pagelocked_empty(1000)
    source[...] = 7
    for take in (PyGPU.asarray, PyGPU.to_gpu, PyGPU.GPUArray):
        memory, producer = PyGPU.zeros(1000), PyGPU.Stream(True)
        consumer = PyGPU.Stream(True)
        with host.pause(producer):
            memory.set_async(source, producer)
            exported = Interface(memory, stream=int(producer))
            if take is PyGPU.asarray:  # returns without waiting
                taken = take(exported, stream=consumer)
                result = taken.get_async(consumer)
        if take is not PyGPU.asarray:
            result = take(exported).get()
        PyGPU.wait(result)
        assert (result == 7).all()


@own_interpreter("as_card")
def test_whatever_takes_an_array_takes_those_of_others():
    host = np.arange(6.0).reshape(2, 3)
    memory = PyGPU.to_gpu(host)
    for other in (Interface(memory), OnCard(memory), OnCard(PyGPU.to_gpu(np.asfortranarray(host)))):
        a = PyGPU.zeros((2, 3))
        a.set(other)
        assert (a.get() == host).all()
        a.fill(0)
        a[...] = other
        assert (a.get() == host).all()
        b = PyGPU.zeros((2, 2, 3))
        b[1] = other
        assert b.get()[1].tolist() == host.tolist() and not b.get()[0].any()
        for made in (PyGPU.to_gpu(other), PyGPU.GPUArray(other), PyGPU.GPUArray(other, order="C")):
            assert made.ptr != other.array.ptr and (made.get() == host).all()
        joined = PyGPU.concatenate([memory, other, host])
        assert (joined.get() == np.concatenate([host] * 3)).all()
        assert (PyGPU.stack([other, memory]).get() == np.stack([host] * 2)).all()
        with pytest.raises(ValueError, match="elements"):
            PyGPU.zeros(5).set(other)
        with pytest.raises((TypeError, ValueError), match="float64"):
            PyGPU.zeros((2, 3), "f4").set(other)
        cast = PyGPU.GPUArray(other, "f4")
        assert cast.dtype == np.float32 and (cast.get() == host).all()


@own_interpreter("on_host")
def test_a_cards_memory_is_nothing_for_the_host_runtime():
    """The host runtime refuses the memory of a card."""
    a = PyGPU.zeros(3)
    with pytest.raises(BufferError, match="host runtime can't reach"):
        PyGPU.asarray(Interface(a))
    with pytest.raises(BufferError, match="host runtime can't reach"):
        a[...] = Foreign(np.zeros(3), device=(CUDA, 0))
    assert a.__dlpack_device__()[0] == tensors.CPU
    assert not hasattr(a, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match=r"torch\.from_dlpack\(a\).*a\.get\(\)"):
        a.device_array.__cuda_array_interface__  # noqa: B018
