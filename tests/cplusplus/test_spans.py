"""How C++ code sees an array: with pybind11, with nanobind, and with the C API below them."""

from __future__ import annotations

import gc
import importlib.util
import sys

import numpy as np
import pytest

import PyGPU
from tests.cplusplus.bound import Told, load
from tests.exchange.tensors import Foreign
from tests.own_interpreter import own_interpreter


@own_interpreter("on_host")
def test_a_gpu_array_comes_with_its_layout(module_folder):
    bound = load(module_folder)
    a = PyGPU.to_gpu(np.arange(24, dtype="f4").reshape(4, 6))
    whole = Told(*bound.told(a))
    assert whole[:3] == (a.ptr, [4, 6], [6, 1]) and whole.contiguous and whole.size == 24
    view = a[1:, ::-2]
    part = Told(*bound.told(PyGPU.to_gpu(view.get())[:, 1:]))
    assert (part.shape, part.strides, part.contiguous) == ([3, 2], [3, 1], False)
    assert Told(*bound.told(a.T)).strides == [1, 6]
    assert Told(*bound.told(a[2, 3]))[1:3] == ([], [])
    assert Told(*bound.told(a[:0])).size == 0
    assert bound.sum(a[::2, 1:3]) == a.get()[::2, 1:3].sum()


@own_interpreter("on_host")
def test_what_is_written_there_is_written(module_folder):
    bound = load(module_folder)
    values = np.arange(6, dtype="f4")
    a = PyGPU.to_gpu(values)
    bound.twice(a)
    assert np.array_equal(a.get(), 2 * values)
    bound.twice(values)
    assert np.array_equal(a.get(), values)


@own_interpreter("on_host")
def test_device_arrays_and_pointers_are_taken(module_folder):
    bound = load(module_folder)
    values = np.arange(6, dtype="f4")
    array = PyGPU.DeviceArray_float32(values)
    with pytest.raises((TypeError, ValueError)):
        bound.told(array)  # nothing is on the device yet
    assert not array.allocate() and not array.to_device()
    address = int(array.device_data())
    for given in (array, array.device_data()):
        assert Told(*bound.told(given))[:3] == (address, [6], [1])
        bound.twice(given)
    assert not array.to_host() and np.array_equal(values, 4 * np.arange(6))
    assert Told(*bound.told(array.host_data()))[:4] == (values.ctypes.data, [6], [1], 1)


@own_interpreter("on_host")
def test_a_bare_address_is_a_pointer_and_no_span(module_folder):
    """Nobody knows how many items are at the address."""
    bound = load(module_folder)
    a = PyGPU.zeros(3, "f4")
    pointer = PyGPU.pointer_wrapper_float32(a.ptr)
    assert bound.address(pointer) == a.ptr == bound.address(a)
    with pytest.raises(TypeError, match="device_span"):
        bound.told(pointer)
    back = bound.same(pointer)
    assert type(back) is PyGPU.pointer_wrapper_float32 and back == pointer
    for wrong in (PyGPU.pointer_wrapper_float64(a.ptr), PyGPU.zeros((4, 4), "f4").T, a.ptr, None):
        with pytest.raises(TypeError, match="ptr_wrapper"):
            bound.address(wrong)


@own_interpreter("on_host")
def test_arrays_of_the_host_come_without_a_copy(module_folder):
    bound = load(module_folder)
    values = np.arange(10, dtype="f4")
    every_second = Told(*bound.told(values[::2]))
    assert every_second == (values.ctypes.data, [5], [2], 1, 0, 0, False, 5)
    assert bound.host(values) == 1


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not here")
@own_interpreter("on_host")
def test_tensors_of_torch_are_taken(module_folder):
    import torch

    bound = load(module_folder)
    tensor = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    told = Told(*bound.told(tensor.T))
    assert told == (tensor.data_ptr(), [3, 2], [1, 3], 1, 0, 0, False, 6)
    bound.twice(tensor)
    assert bound.sum(tensor) == 30
    with pytest.raises(TypeError):
        bound.told(tensor.requires_grad_())


@own_interpreter("on_host")
def test_the_overload_of_the_dtype_is_called(module_folder):
    bound = load(module_folder)
    for dtype in ("float32", "float64", "int8", "uint64", "complex64"):
        assert bound.dtype_name(PyGPU.zeros(2, dtype)) == dtype
        assert bound.dtype_name(np.zeros(2, dtype)) == dtype
    assert bound.dtype_name(np.zeros(2, bool)) == "bool8"
    with pytest.raises(TypeError, match=r"(?s)float32.*complex64"):
        bound.dtype_name(PyGPU.zeros(2, "int16"))
    with pytest.raises(TypeError):
        bound.dtype_name(np.zeros(2, ">f4"))


@own_interpreter("on_host")
def test_what_does_not_fit_is_a_type_error(module_folder):
    """The message says what is expected."""
    bound = load(module_folder)
    line, square = np.zeros(4, "f4"), np.zeros((4, 4), "f4")
    only_read = np.zeros(4, "f4")
    only_read.flags.writeable = False
    assert bound.sum(only_read) == 0
    for call, wrong, due in (
        (bound.sum, PyGPU.zeros(4), r"device_span\[float32\]"),
        (bound.sum, [1.0, 2.0], r"device_span\[float32\]"),
        (bound.sum, None, r"device_span\[float32\]"),
        (bound.twice, only_read, r"device_span\[writable float32\]"),
        (bound.matrix, line, "float32, ndim=2"),
        (bound.rows, square.T, "float32, c_contig"),
        (bound.columns, square, "float32, f_contig"),
        (bound.gpu, line, "float32, on_gpu"),
        (bound.host, square, "float32, on_host, ndim=1"),
    ):
        with pytest.raises(TypeError, match=due):
            call(wrong)
    assert bound.matrix(square) == 2 and bound.rows(square) == 1 and bound.columns(square.T) == 1
    assert bound.rows(np.zeros((0, 3), "f4").T) == 1  # without elements all orders are equal


class Interface:
    """An object with a CUDA Array Interface; numpy's memory stands for a device's memory."""

    def __init__(self, values, **changes):
        own = values.__array_interface__
        interface = {name: own[name] for name in ("shape", "typestr", "data", "strides")}
        self.__cuda_array_interface__ = {**interface, "version": 3, "stream": None, **changes}


@own_interpreter("on_host")
def test_the_cuda_array_interface_is_taken(module_folder):
    bound = load(module_folder)
    values = np.arange(12, dtype="f4").reshape(3, 4)
    told = Told(*bound.told(Interface(values[:, ::2], stream=7)))
    assert told == (values.ctypes.data, [3, 2], [4, 2], 2, -1, 7, False, 6)
    assert bound.gpu(Interface(values)) == 2
    read_only = Interface(values, data=(values.ctypes.data, True))
    assert Told(*bound.told(read_only)).stream == 0
    for wrong in (
        Interface(values, typestr=">f4"),
        Interface(values, typestr="<V4"),
        Interface(values, mask=Interface(values)),
        Interface(values, strides=(16, 3)),
        Interface(values, shape=(3, -4)),
        Interface(values, shape=(2**62, 2**62)),
        Interface(values, shape=(1,) * 17, strides=None),
        Interface(values, data=None),
    ):
        with pytest.raises(TypeError):
            bound.told(wrong)
    with pytest.raises(TypeError, match="writable"):
        bound.told_writable(read_only)
    with pytest.raises(TypeError, match="on_host"):
        bound.host(Interface(values[0]))


class Exporter:
    """An object with DLPack's methods that reports another device than the host."""

    def __init__(self, values, device=(1, 0)):
        self.values, self.device, self.asked = values, device, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        return self.values.__dlpack__(max_version=keywords.get("max_version"))


class OldExporter(Exporter):
    """An exporter from before DLPack 1.0."""

    def __dlpack__(self, stream=None):
        return super().__dlpack__()


@own_interpreter("on_host")
def test_the_default_stream_is_named_to_exporters(module_folder):
    """The default stream is 1 for CUDA and 0 for ROCm.

    Work queued there comes after the exporter's.
    """
    bound = load(module_folder)
    values = np.arange(3, dtype="f4")
    for device, stream in (((1, 0), None), ((2, 3), 1), ((13, 0), 1), ((10, 0), 0), ((3, 0), None)):
        exporter = Exporter(values, device)
        told = Told(*bound.told(exporter))
        assert told.pointer == values.ctypes.data and told.stream == (stream or 0)
        assert [asked.get("stream") for asked in exporter.asked] == [stream]
    with pytest.raises(TypeError):
        bound.told(Exporter(values, (8, 0)))  # 8 is Metal


@own_interpreter("on_host")
def test_exporters_of_before_dlpack_1_are_taken(module_folder):
    bound = load(module_folder)
    values = np.arange(3, dtype="f4")
    assert bound.sum(OldExporter(values)) == 3
    assert Told(*bound.told(OldExporter(values, (2, 0)))).stream == 1


class Failing(Exporter):
    def __dlpack__(self, **_):
        raise RuntimeError("the device is lost")


@own_interpreter("on_host")
def test_what_the_arrays_library_raises_is_raised(module_folder):
    bound = load(module_folder)
    with pytest.raises(RuntimeError, match="the device is lost"):
        bound.sum(Failing(np.zeros(3, "f4")))
    a = PyGPU.zeros(3, "f4")
    a.free()
    with pytest.raises(ValueError, match="freed"):
        bound.sum(a)


@own_interpreter("on_host")
def test_elements_are_there_that_another_stream_makes(module_folder):
    """The span waits for elements that another stream still makes."""
    bound = load(module_folder)
    a, stream = PyGPU.zeros(1 << 20, "f4"), PyGPU.Stream(non_blocking=True)
    for value in range(1, 20):
        a.fill(value, stream)
        assert bound.sum(a[-3:]) == 3 * value


def call_with_each(bound, given) -> None:
    """Calls with all fitting arguments, and with two that don't fit: in dtype, in axes."""
    for one in given[1:]:
        bound.told(one)
    for call, wrong in ((bound.told, given[0]), (bound.matrix, given[1])):
        with pytest.raises(TypeError):
            call(wrong)


@own_interpreter("on_host")
def test_calls_leave_no_reference_behind(module_folder):
    bound = load(module_folder)
    array = PyGPU.DeviceArray_float32(4)
    array.allocate()
    values = np.zeros(4, "f4")
    given = [np.zeros(4), PyGPU.zeros(4, "f4"), values, array, array.device_data()]
    given += [Interface(values), OldExporter(values), values[::2]]
    for _ in range(10):
        call_with_each(bound, given)
    given[6].asked.clear()
    gc.collect()
    before = [sys.getrefcount(one) for one in given]
    objects = len(gc.get_objects())
    for _ in range(1000):
        call_with_each(bound, given)
    given[6].asked.clear()
    gc.collect()
    assert [sys.getrefcount(one) for one in given] == before
    assert len(gc.get_objects()) - objects < 100


class Lazy(Foreign):
    """As torch's tensors, which may be the negatives or conjugates of what is in their memory."""

    def __init__(self, array, is_neg=False, is_conj=False):
        super().__init__(array)
        self.answers = is_neg, is_conj

    def is_neg(self):
        return self.answers[0]

    def is_conj(self):
        return self.answers[1]


class OfJax(Foreign):
    """JAX's arrays never change, though their capsules don't say so."""

    __module__ = "jaxlib._jax"


@own_interpreter("on_host")
def test_by_hand_the_message_says_what_is_wrong(by_hand):
    bound = load(by_hand)
    a = PyGPU.to_gpu(np.arange(4, dtype="f4"))
    assert bound.sum(a) == 6
    bound.twice(a)
    assert bound.sum(a) == 12
    only_read = np.zeros(4, "f4")
    only_read.flags.writeable = False
    pointer = PyGPU.pointer_wrapper_float32(a.ptr)
    for wrong, why in (
        (np.zeros(4), "elements are float64, float32 is needed"),
        (only_read, "read-only"),
        (pointer, "how many items"),
        ([1.0], "neither __dlpack__ nor __cuda_array_interface__"),
        (Interface(a.get(), mask=3), "has a mask"),
        (np.ma.masked_array(a.get(), a.get() > 4), r"a masked array: pass x\.filled\(value\)"),
        (Lazy(a.get(), is_neg=True), r"lazy .*x\.resolve_neg\(\)"),
        (Lazy(a.get(), is_conj=True), r"lazy .*x\.resolve_conj\(\)"),
        (OfJax(a.get()), "read-only"),
        (Foreign(a.get(), tensor__byte_offset=2**64 - 1), "a byte_offset beyond all memory"),
        (Foreign(a.get(), tensor__shape=None), "without a shape"),
    ):
        with pytest.raises(TypeError, match=rf"^twice\(\): parameter 'x': .*{why}"):
            bound.twice(wrong)
    assert bound.sum(OfJax(np.ones(4, "f4"))) == 4 == bound.sum(Lazy(np.ones(4, "f4")))
