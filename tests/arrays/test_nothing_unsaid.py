"""What GPUArrays and their functions refuse because a silent answer would be wrong."""

from __future__ import annotations

import ctypes
import operator
import pathlib

import numpy as np
import pytest


class Has:
    """An object with any attributes."""

    def __init__(self, **attributes: object) -> None:
        self.__dict__.update(attributes)


# numpy swallows the conversion's exception in the first two, and answers False.
NUMPY_FUNCTIONS = [
    np.array_equal,
    np.array_equiv,
    np.allclose,
    np.isclose,
    np.copyto,
    np.may_share_memory,
    np.outer,
    np.linalg.multi_dot,
]


@pytest.mark.parametrize("function", NUMPY_FUNCTIONS, ids=lambda it: it.__name__)
def test_numpys_functions_name_the_way_out(device, way_out, function):
    a, b = device.ones(3), np.ones(3)
    pairs = [(a, a), (a, b), (b, a)]
    for pair in pairs:
        with pytest.raises(TypeError, match=rf"{function.__name__}\(\) .* GPUArray.*{way_out}"):
            function(pair) if function is np.linalg.multi_dot else function(*pair)
    for call in (np.sort, np.copy, np.add.accumulate, np.linalg.norm, np.fft.fft):
        with pytest.raises(TypeError, match=way_out):
            call(a)


def test_a_device_array_is_no_numpy_array(device):
    a = device.DeviceArray_float64(np.ones(3))
    for call in (
        lambda: np.array_equal(a, a),
        lambda: np.array_equiv(a, np.ones(3)),
        lambda: np.add(np.ones(3), a, where=True),
        lambda: np.ones(3) == a,
        lambda: np.asarray(a, dtype="f4"),
        lambda: device.to_gpu(a),
    ):
        with pytest.raises(TypeError, match=r"numpy\.asarray\(a\.host_data\(\)\)"):
            call()


def test_what_pygpu_has_is_named(device):
    a = device.ones(3)
    for name in ("empty_like", "zeros_like"):
        with pytest.raises(TypeError, match=rf"use PyGPU\.{name}\(\)"):
            getattr(np, name)(a)
    for made in (np.ones_like(a), np.full_like(a, 1), np.concatenate([a]), np.stack([a])[0]):
        assert type(made) is device.GPUArray
        assert made.get().tolist() == [1, 1, 1]


def test_what_numpy_asks_of_the_object_alone_works(device):
    a = device.zeros((2, 1, 3), "c8")
    assert (np.shape(a), np.ndim(a), np.size(a), np.size(a, 2)) == ((2, 1, 3), 3, 6, 3)
    assert np.iscomplexobj(a)
    assert not np.isrealobj(a)
    for view, shape in (
        (np.transpose(a), (3, 1, 2)),
        (np.squeeze(a), (2, 3)),
        (np.reshape(a, (3, 2)), (3, 2)),
        (np.real(a), (2, 1, 3)),
        (np.imag(a), (2, 1, 3)),
    ):
        assert type(view) is device.GPUArray
        assert view.shape == shape


def test_one_element_is_a_number(device):
    a = device.to_gpu(np.array([2, 3], "i4"))
    assert float(a[1]) == 3.0
    assert int(a[1:]) == complex(a[1]) == operator.index(a[1]) == 3
    assert [5, 6, 7, 8][a[1]] == 8
    assert device.arange(9)[a[0]].item() == 2
    assert list(range(a[0])) == [0, 1]
    assert complex(device.to_gpu(np.array(1 + 2j))) == 1 + 2j
    assert float(device.to_gpu(np.array([[1.5]]))) == 1.5
    assert device.full(2, a[1]).get().tolist() == [3, 3]
    for call in (float, int, complex, operator.index):
        with pytest.raises(TypeError, match="GPUArray"):
            call(a)
    for call in (float, int):
        with pytest.raises(TypeError):
            call(device.to_gpu(np.array(1j)))
    for wrong in (device.ones(()), device.zeros((), "?"), a[1:]):
        with pytest.raises(TypeError, match="only if it is 0-dimensional and has an integer dtype"):
            operator.index(wrong)


def test_an_int_without_axes_is_a_size(device):
    for three in (np.array(3), np.array(3, "u1"), device.to_gpu(np.array(3))):
        for call in (device.empty, device.zeros, device.pagelocked_empty, device.managed_empty):
            assert call(three).shape == (3,)
            assert call((2, three)).shape == (2, 3)
        assert device.ones(6).reshape(2, three).shape == (2, 3)
        assert device.DeviceMemory(three).size == 3
        assert device.ones((2, 2, 2, 2)).transpose(three, 0, 1, 2).shape == (2, 2, 2, 2)
    assert device.empty(np.array([2, 3])).shape == (2, 3)
    assert device.pagelocked_empty(np.array([2, 3])).shape == (2, 3)
    assert device.ones((2, 3)).transpose(np.array([1, 0])).shape == (3, 2)


INTS = {
    "empty": lambda device, it: device.empty(it),
    "in a shape": lambda device, it: device.empty((2, it)),
    "strides": lambda device, it: device.GPUArray(1, "u1", strides=it),
    "reshape": lambda device, it: device.ones(1).reshape(1, it),
    "pagelocked_empty": lambda device, it: device.pagelocked_empty(it),
    "managed_empty": lambda device, it: device.managed_empty((it, 2)),
    "axis": lambda device, it: device.concatenate([device.ones((2, 2))], it),
    "stack": lambda device, it: device.stack([device.ones((2, 2))], it),
    "transpose": lambda device, it: device.ones((2, 2)).transpose(0, it),
    "squeeze": lambda device, it: device.ones((1, 1)).squeeze(it),
    "item": lambda device, it: device.ones((2, 2)).item(it),
    "device": lambda device, it: device.device(it),
    "DeviceMemory": lambda device, it: device.DeviceMemory(it),
    "HostMemory": lambda device, it: device.HostMemory(it),
    "trim_memory": lambda device, it: device.trim_memory(it),
    "set_pool_threshold": lambda device, it: device.set_pool_threshold(it),
    "memory_info": lambda device, it: device.memory_info(it),
    "register": lambda device, it: device.register(bytearray(8), it),
    "Stream": lambda device, it: device.Stream(False, it),
    "DeviceArray": lambda device, it: device.DeviceArray_int8([2, it]),
    "allocate": lambda device, it: device.DeviceAllocator_int8().allocate(it),
    "allocator": lambda device, it: device.DeviceAllocator_int8()(it),
    "pointer_wrapper": lambda device, it: device.pointer_wrapper_int8(it),
    "gpudata": lambda device, it: device.GPUArray(1, "u1", gpudata=it),
    "ptr": lambda device, it: device.GPUArray(1, "u1", gpudata=Has(ptr=it)),
    "an allocator's": lambda device, it: device.GPUArray(1, "u1", allocator=lambda size: it),
    "an allocator's ptr": lambda device, it: device.empty(1, allocator=lambda size: Has(ptr=it)),
}
MEMORY = [INTS[name] for name in ("gpudata", "ptr", "an allocator's", "an allocator's ptr")]
WRONG = [True, np.True_, 1.0, 1.5e14, np.float32(1e14), np.float64(1), "1", np.array(1.0)]


@pytest.mark.parametrize("call", INTS.values(), ids=INTS)
def test_an_int_is_no_bool_and_no_float(device, call):
    for wrong in (*WRONG, device.cudaError_t(1), device.ones(())):
        is_memory = isinstance(wrong, device.GPUArray)
        if is_memory and call in MEMORY:
            continue
        with pytest.raises(TypeError):
            call(device, wrong)


def test_sizes_are_not_cut(device):
    for call in (INTS["register"], INTS["Stream"]):
        for wrong in (2**32, 2**63, 2**70):
            with pytest.raises(OverflowError, match="out of range"):
                call(device, wrong)
    for call in (INTS["empty"], INTS["DeviceMemory"], INTS["HostMemory"], INTS["reshape"]):
        with pytest.raises(
            OverflowError, match=r"\(\): parameter '.*' = 1180591620717411303424 is"
        ):
            call(device, 2**70)


def test_addresses_in_any_form(device):
    a = device.arange(3)
    for pointer in (a.ptr, np.uint64(a.ptr), ctypes.c_void_p(a.ptr)):
        for given in (pointer, Has(ptr=pointer)):
            assert device.GPUArray(3, a.dtype, gpudata=given).get().tolist() == [0, 1, 2]
            made = device.empty(3, a.dtype, allocator=lambda size, given=given: given)
            assert made.ptr == a.ptr


def test_memory_that_could_not_be_had_is_not_taken_afresh(device):
    pointer, error = device.cudaMalloc(1 << 60)
    assert error
    for call in (
        lambda: device.GPUArray(3, "f4", gpudata=pointer),
        lambda: device.GPUArray(3, "f4", None, None, pointer),
        lambda: device.GPUArray(np.ones(3), gpudata=pointer),
    ):
        with pytest.raises(TypeError, match="'gpudata' is None"):
            call()
    with pytest.raises(TypeError, match="'base' owns the memory of 'gpudata', which is missing"):
        device.GPUArray(3, "f4", base=object())


class Interface(Has):
    def __init__(self, address: int, size: int) -> None:
        data = {"data": (address, False), "shape": (size,), "typestr": "|u1", "version": 3}
        super().__init__(ptr=address, __cuda_array_interface__=data)


def test_memory_that_is_too_short_is_told(device):
    a = device.zeros(16, "u1")
    short = {
        "DeviceMemory": device.DeviceMemory,
        "GPUArray": lambda size: device.empty(size, "u1"),
        "device_data": lambda size: device.empty(size, "u1").device_data(),
        "HostMemory": device.HostMemory,
        "another's": lambda size: Interface(a.ptr, size),
    }
    for name, allocator in short.items():
        with pytest.raises(ValueError, match="the allocator gave 8 bytes for 16"):
            device.empty(16, "u1", lambda size, allocator=allocator: allocator(size // 2))
        assert device.empty(16, "u1", allocator).nbytes == 16, name
        with pytest.raises(ValueError, match=r"'gpudata' has (0 bytes before .* and )?8"):
            device.GPUArray(16, "u1", gpudata=allocator(8))


def test_an_array_of_the_device_is_not_uploaded(device):
    a = device.ones(3)
    for call in (device.to_gpu, device.to_gpu_async, device.GPUArray):
        with pytest.raises(TypeError, match=r"a GPUArray already; a\.copy\(\) copies it"):
            call(a)


def test_text_is_no_array(device):
    for text in ("abc", b"abc", ["a", "b"], [["a"], ["b"]], (b"a", "b")):
        for call in (device.to_gpu, device.to_gpu_async):
            with pytest.raises(TypeError, match=r"to_gpu(_async)?\(\): .* not text"):
                call(text)
    for text in ("abc", ["a", "b"]):
        with pytest.raises(TypeError, match=r"GPUArray\(\)"):
            device.GPUArray(text)
    assert device.to_gpu(np.array(["a", "b"])).get().tolist() == ["a", "b"]
    assert device.to_gpu(bytearray(b"abc")).get().tolist() == [97, 98, 99]


def test_what_no_cast_gives_is_not_converted_unsaid(device):
    b = device.to_gpu(np.array([1e20, 2.0]))
    for dtype in ("M8[s]", "V8", [("a", "f8")]):
        a = device.zeros(2, dtype)
        for assign in (
            lambda a=a: a.__setitem__(..., b),
            lambda a=a: a[:1].__setitem__(0, b[0]),
            lambda a=a: a.fill(b[0]),
        ):
            with pytest.raises(TypeError, match=r"float64 can't be converted to .*a\.get\(\)"):
                assign()
        with pytest.raises(ValueError, match="float64"):
            a.set(b)
        assert a.get().tobytes() == bytes(16)
    with pytest.raises(ValueError, match="float64"):
        device.zeros(2, "f4").set(b)  # set() copies
    a = device.zeros(2, "i8")
    a.fill(device.to_gpu(np.array(5, "f4")))
    assert a.get().tolist() == [5, 5]


OVERLAPS = [
    (np.s_[1:], np.s_[:-1]),
    (np.s_[:-1], np.s_[1:]),
    (np.s_[::-1], np.s_[:]),
    (np.s_[::2], np.s_[:5]),
    (np.s_[5:], np.s_[::2]),
    (np.s_[2:8], np.s_[7:1:-1]),
]


@pytest.mark.parametrize(("to", "source"), OVERLAPS)
def test_arrays_at_one_address_overlap(device, to, source):
    theirs = np.arange(10)
    theirs[to] = theirs[source].copy()
    for share in (lambda a: a.ptr, lambda a: ctypes.c_void_p(a.ptr), lambda a: a.gpudata):
        a = device.arange(10)
        b = device.GPUArray(10, a.dtype, gpudata=share(a))
        a[to] = b[source]
        assert (a.get() == theirs).all()


@pytest.mark.parametrize(("to", "source"), OVERLAPS)
def test_an_array_on_page_locked_memory_overlaps_what_stands_there(device, to, source):
    theirs = np.arange(10)
    theirs[to] = theirs[source].copy()
    for assign in (
        lambda a, host: a[to].set(host[source]),
        lambda a, host: a.__setitem__(to, host[source]),
        lambda a, host: a[to].set_async(host[source]),
    ):
        pinned = device.pagelocked_empty(10, int)
        pinned[...] = np.arange(10)
        a = device.GPUArray(10, int, gpudata=pinned.ctypes.data)
        assign(a, pinned)
        assert (a.get() == theirs).all()
        with pytest.raises(ValueError, match="overlaps the array's own memory"):
            a[:9].get(pinned[1:])
        a.get(pinned)
        assert (pinned == theirs).all()


@pytest.mark.gpus(2)
def test_foreign_memory_belongs_to_the_device_that_has_it(on_devices):
    on_devices(pathlib.Path(__file__).with_name("other_device.py"))
