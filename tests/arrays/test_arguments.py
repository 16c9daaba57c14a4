"""Which arguments GPUArray and its functions take, and how they refuse others; on a GPU, too."""

from __future__ import annotations

import ctypes
import sys

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter


def test_a_buffer_is_copied_in_the_order_and_stream_asked_for(device):
    base = np.arange(6.0).reshape(2, 3)
    stream = device.cudaStream_t(flags=device.cudaStreamNonBlocking)
    turned = device.GPUArray(base, order="F", stream=stream)
    assert turned.flags.f_contiguous
    assert turned.stream == int(stream)
    assert (turned.get() == base).all()
    assert device.GPUArray(base.T).flags.f_contiguous
    for wrong in ({"gpudata": 64}, {"base": turned}, {"strides": (8, 8)}):
        with pytest.raises(TypeError, match=r"go with a shape, not with numpy\.ndarray"):
            device.GPUArray(base, **wrong)


def test_a_subclass_stays_one(device):
    class Mine(device.GPUArray):
        pass

    a = Mine(np.arange(6.0).reshape(2, 3))
    assert a.base is None
    assert {type(x) for x in (a, a[1:], a.T, a.copy(), a.reshape(-1), Mine(3, "f4"))} == {Mine}


def test_every_form_of_memory(device):
    a = device.to_gpu(np.arange(6.0).reshape(2, 3))
    forms = [a, a.gpudata, a.device_data(), a.device_array, a.ptr, ctypes.c_void_p(a.ptr)]
    for memory in forms:
        b = device.GPUArray((2, 3), "f8", gpudata=memory)
        assert b.ptr == a.ptr
        assert (b.get() == a.get()).all()
        assert not device.GPUArray((0, 3), "f8", gpudata=memory).get().size
    for memory in forms[:4]:  # these forms have a known size
        with pytest.raises(ValueError, match=r"has 0 bytes before .* and 48 from there on.* 72"):
            device.GPUArray((3, 3), "f8", gpudata=memory)
        with pytest.raises(ValueError, match="need 16 and 8"):
            device.GPUArray(3, "f8", gpudata=memory, strides=-8)
    back = device.GPUArray(3, "f8", gpudata=a[1, 2:], strides=-8)
    assert back.get().tolist() == [5, 4, 3]
    with pytest.raises(ValueError, match="address 0"):
        device.GPUArray(3, "f8", gpudata=0)
    with pytest.raises(OverflowError, match="'gpudata': -5"):
        device.GPUArray(3, "f8", gpudata=-5)
    for wrong in ("text", np.ones(3), object(), 1.5j):
        with pytest.raises(TypeError, match="gpudata"):
            device.GPUArray(3, "f8", gpudata=wrong)


def test_the_memory_of_a_view_begins_with_its_first_element(device):
    """A view's memory begins at the view's first element, not at the start of the whole array."""
    a = device.arange(6)
    for view, values in ((a[2:], [2, 3]), (a[::-1], [5, 4]), (a[2:4][::-1], [3, 2])):
        assert int(view.gpudata) == view.ptr == a.ptr + view.item(0) * 8
        assert view.gpudata.size == (6 - view.item(0)) * 8
        again = device.GPUArray(2, int, gpudata=view.gpudata, strides=view.strides)
        assert again.get().tolist() == values
    with pytest.raises(ValueError, match="has 16 bytes before its address and 32 from there on"):
        device.GPUArray(5, int, gpudata=a[2:].gpudata)


@pytest.mark.gpus(2)
@own_interpreter("on_devices")
def test_memory_of_another_device_stays_there():
    with PyGPU.device(1):
        there = PyGPU.to_gpu(np.arange(6.0))
    for memory in (there, there.gpudata, there.device_data(), there.device_array):
        again = PyGPU.GPUArray(3, "f8", gpudata=memory)
        assert again.device == 1 and again.get().tolist() == [0, 1, 2]


def test_what_allocators_may_give(device):
    with pytest.raises(MemoryError, match="address 0 for 24 bytes"):
        device.GPUArray(3, "f8", lambda size: 0)
    with pytest.raises(TypeError, match="what the allocator gave must be an address"):
        device.GPUArray(3, "f8", lambda size: "memory")
    with pytest.raises(ZeroDivisionError):
        device.GPUArray(3, "f8", lambda size: 1 // 0)
    pieces = []

    def piece(size):
        pieces.append(device.GPUArray(size, "u1"))
        return pieces[-1]

    a = device.zeros((2, 3), "f4", piece)
    for other in (
        a.copy(),
        device.empty_like(a),
        device.ones_like(a),
        device.concatenate([np.ones((1, 3), "f4"), a]),
    ):
        assert other.allocator is piece
    assert [one.nbytes for one in pieces] == [24, 24, 24, 24, 36]
    assert device.empty_like(a, allocator=device.DeviceMemory).allocator is device.DeviceMemory


def test_an_empty_view_has_no_address(device):
    a = device.ones((4, 6))
    for empty in (a[5:2], a[:, :0], device.GPUArray((0, 3), "f4")):
        assert empty.ptr == 0
        if device.backend != "host":
            assert empty.__cuda_array_interface__["data"] == (0, False)
        assert empty.get().size == 0
    assert "null" in repr(device.GPUArray(0, "f4").gpudata)
    assert "no bytes" in repr(device.GPUArray(0, "f4").device_array)


def test_item(device):
    base = np.arange(24).reshape(2, 3, 4)
    a = device.to_gpu(base)[::-1]
    for index in ((7,), (-1,), (1, 2, 3), ((0, 1, 2),), (np.int8(-24),)):
        assert a.item(*index) == base[::-1].item(*index)
    assert device.arange(3).item(2) == 2
    assert device.zeros(()).item() == device.zeros((1, 1)).item(0) == 0
    for wrong, error in (
        ((), ValueError),
        ((24,), IndexError),
        ((1, 2), ValueError),
        ((1.5,), TypeError),
    ):
        with pytest.raises(error):
            a.item(*wrong)


def test_orders_of_reading(device):
    base = np.arange(24).reshape(2, 3, 4)
    for view in (np.s_[:], np.s_[::-1, :, ::2], np.s_[:, 1]):
        for axes in (None, (1, 0, 2), (2, 0, 1)):
            theirs, mine = base, device.to_gpu(base)
            if axes:
                theirs, mine = theirs.transpose(axes), mine.transpose(axes)
            theirs, mine = theirs[view], mine[view]
            for order in "CFAK":
                assert (mine.ravel(order).get() == theirs.ravel(order)).all()
            for order in "CFA":
                assert (
                    mine.reshape(-1, 2, order=order).get() == theirs.reshape(-1, 2, order=order)
                ).all()
    for wrong in ("K", "X", 3):
        with pytest.raises(ValueError, match="order"):
            device.ones(6).reshape(2, 3, order=wrong)


def test_axes_are_given_in_any_way(device):
    a = device.ones((2, 3, 4))
    for transposed in (
        a.transpose(axes=(2, 0, 1)),
        a.transpose((2, 0, 1)),
        a.transpose([-1, 0, 1]),
        a.transpose(2, np.int8(0), 1),
        device.transpose(a, (2, 0, 1)),
    ):
        assert transposed.shape == (4, 2, 3)
    assert a.transpose(None).shape == a.transpose().shape == device.transpose(a).shape == (4, 3, 2)
    for wrong, error in (
        (((),), ValueError),
        ((0, 1), ValueError),
        ((0, 1, 3), ValueError),
        ((1.0, 0, 2), TypeError),
        (("abc",), TypeError),
    ):
        with pytest.raises(error, match=r"transpose\(\)"):
            a.transpose(*wrong)
    assert device.ones((1, 2, 1)).squeeze((0, -1)).shape == (2,)
    with pytest.raises(TypeError, match=r"squeeze\(\)"):
        a.squeeze(0.5)


def test_numbers_that_no_array_has(device):
    a = device.ones((4, 6))
    assert a[:: sys.maxsize].get().shape == (1, 6)
    assert a[:: -sys.maxsize].shape == (1, 6)
    empty = device.GPUArray(0, "f4")
    for shape in ((1 << 32, 1 << 32), (-1, 1 << 32, 1 << 32)):  # the product wraps around to 0
        with pytest.raises(ValueError, match="cannot reshape"):
            empty.reshape(shape)
    for shape in ((2.5, 2), [[1, 2], [3, 4]], ("a",)):
        with pytest.raises(TypeError, match="'shape' must hold ints"):
            device.GPUArray(shape)
    for call in (device.pagelocked_empty, device.managed_empty):
        for shape, error in ((1 << 60, ValueError), (-1, ValueError), (2.5, TypeError)):
            with pytest.raises(error):
                call(shape)
        with pytest.raises(ValueError, match="order"):
            call(3, order="K")


def test_waiting_wants_an_array(device):
    for call in (device.ready, device.wait):
        for wrong in ("text", None, 5):
            with pytest.raises(TypeError, match="must be a GPUArray or a numpy array"):
                call(wrong)
    with pytest.raises(TypeError, match="number must be an int"):
        device.device("one")


def test_joining_takes_numpy_arrays_too(device):
    a = device.ones((2, 3))
    assert device.concatenate((a, np.zeros((1, 3)), [[1, 2, 3]])).get().sum() == 12
    assert device.stack([[1, 2], a[0, :2]], axis=-1).get().tolist() == [[1, 1], [2, 1]]
    for wrong in (None, 0.5):
        with pytest.raises(TypeError, match="'axis'"):
            device.concatenate((a, a), wrong)
    for wrong in ({"x": 1}, {"x": a}, {1, 2}, "ab", b"ab"):
        for join in (device.concatenate, device.stack):
            with pytest.raises(TypeError, match="'arrays' must be a sequence of arrays"):
                join(wrong)


def test_none_is_numpys_default_dtype(device):
    for make, numpys in (
        (device.ones, np.ones),
        (device.zeros, np.zeros),
        (device.empty, np.empty),
    ):
        assert make(3, None).dtype == numpys(3, None).dtype


def test_a_fill_value_is_one_element(device):
    """numpy's fill() takes the first of several for raw bytes, and refuses them for others."""
    for dtype in ("V4", "f4"):
        with pytest.raises(ValueError, match=r"fill\(\)|sequence"):
            device.full((2, 2), np.array([1, 2], dtype="i4"), dtype)


def test_what_pycudas_methods_need_is_said(device, way_out):
    a = device.ones(3)
    for name in ("argsort", "nonzero", "repeat", "trace"):
        with pytest.raises(
            AttributeError, match=rf"no {name}\(\): it isn't implemented.*{way_out}"
        ):
            getattr(a, name)
    with pytest.raises(AttributeError, match="'GPUArray' object has no attribute 'other'"):
        _ = a.other


@pytest.mark.parametrize("name", [b"x", (1, 2, 3), 1.5])
def test_a_keyword_that_is_no_string_is_refused(device, name):
    """Python checks keyword names only for functions that are written in Python."""
    calls = [device.GPUArray, device.Stream, device.Event, device.DeviceMemory, device.HostMemory]
    for call in [*calls, device.register, device.cudaError_t, PyGPU.dim3.from_address]:
        with pytest.raises(TypeError, match="must be strings"):
            call(**{name: 1})


@pytest.mark.filterwarnings("ignore:.*'ary' has shape")
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_one_element_goes_over_whatever_its_shape(device, shape):
    a = device.to_gpu(np.full(shape, 3.0))
    for given in ([4.0], np.array(5.0), device.to_gpu(np.full((1, 1, 1), 6.0))):
        a.set(given)
        assert a.get() == (given.get() if isinstance(given, device.GPUArray) else given)
    for into in (np.zeros(()), np.zeros(1), np.zeros((1, 1))):
        assert a.get(into) is into
        assert into == 6.0


def test_what_a_subclass_overrides_is_not_asked_for_memory(device):
    """A subclass may override reshape() and copy() with methods that return anything."""

    class Odd(device.GPUArray):
        def reshape(self, *_, **__):
            return None

        def copy(self, *_, **__):
            return device.to_gpu(np.zeros(1))

    values = np.arange(6.0).reshape(2, 3)
    odd, flat = Odd(values), device.zeros(6)
    flat.set(odd)
    assert (flat.get() == values.ravel()).all()
    turned = device.GPUArray.reshape(odd.T, 6)
    assert (turned.get() == values.T.ravel()).all()


def test_an_address_is_no_size(device):
    memory = device.DeviceMemory(64)
    for call in (device.GPUArray, device.empty, device.DeviceArray_float32):
        with pytest.raises(TypeError):
            call(memory)


def test_an_empty_array_that_was_freed_is_refused_as_any_other(device):
    a = device.zeros((0, 3))
    a.free()
    for use in (a.get, lambda: a.fill(1), lambda: a.set(np.zeros((0, 3)))):
        with pytest.raises(ValueError, match=r"freed by free\(\)"):
            use()


@pytest.mark.parametrize("deprecated", [False, True])
def test_another_shape_of_equal_size_is_warned_of(device, deprecated):
    """As PyCUDA warns: set() of a likely mistake, get() of a deprecated use; at the user's line."""
    a, flat = device.zeros((2, 3), "i4"), np.arange(6, dtype="i4")
    calls = (
        (lambda: a.get(flat), lambda: device.wait(a.get_async(ary=flat)))
        if deprecated
        else (lambda: a.set(flat), lambda: a.set_async(flat), lambda: a.set(device.to_gpu(flat)))
    )
    for call in calls:
        with pytest.warns(DeprecationWarning if deprecated else UserWarning) as warned:
            call()
        assert "'ary' has shape (6,), the array (2, 3)" in str(warned[0].message)
        assert warned[0].filename == __file__
    device.checked.cudaDeviceSynchronize()
    assert (a.get().ravel() == flat).all()


@pytest.mark.filterwarnings("error")
def test_copy_takes_as_many_elements_of_any_shape(device):
    """Its shapes are the user's choice: there is nothing to warn of."""
    a, flat = device.zeros((2, 3), "i4"), np.arange(6, dtype="i4")
    device.copy(a, flat)
    device.copy(device_copy := device.zeros((3, 2), "i4"), a)
    device.copy(back := np.zeros(6, "i4"), device_copy)
    assert (back == flat).all()
