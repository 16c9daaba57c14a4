"""GPUArray: what PyCUDA's users expect, PyCUDA's bugs fixed, and refusals; on a GPU, too."""

from __future__ import annotations

import copy
import ctypes
import gc
import operator
import pickle
import weakref

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter


@pytest.mark.parametrize("shape", [5, np.int32(5), (5,), [5], (), (2, 0, 3), (1, 2, 3, 4, 5)])
def test_any_spelling_of_a_shape(device, shape):
    wanted = np.empty(shape, "f4")
    for array in (
        device.GPUArray(shape, "f4"),
        device.empty(shape, "f4"),
        device.zeros(shape, "f4"),
    ):
        assert array.shape == wanted.shape
        assert array.strides == wanted.strides or not wanted.size
        assert array.size == wanted.size == array.mem_size
        assert array.nbytes == wanted.nbytes
        assert array.ndim == wanted.ndim


def test_pycudas_faults(device):
    base = np.arange(24.0).reshape(2, 3, 4)
    a = device.to_gpu(base)
    assert device.arange(10)[5:2].shape == (0,)  # PyCUDA gave a wrong shape
    empty = device.GPUArray((0, 3), "f4")  # PyCUDA failed on ptr, reshape, squeeze
    assert empty.ptr == 0
    assert empty.reshape(3, 0).shape == (3, 0)
    assert empty.squeeze().shape == (0, 3)
    assert empty.get().shape == (0, 3)
    assert device.GPUArray((1, 0, 1), "f4").squeeze().shape == (0,)
    empty.fill(3)
    empty.set(np.empty((0, 3), "f4"))
    many = np.arange(2 * 3 * 4 * 5 * 6).reshape(2, 3, 4, 5, 6)  # more than two non-contiguous axes
    assert (device.to_gpu(many)[:, ::2, 1:3, ::3, ::2].get() == many[:, ::2, 1:3, ::3, ::2]).all()
    assert (a[::-1, ::-2].get() == base[::-1, ::-2]).all()  # negative strides
    f = np.asfortranarray(base)
    assert device.to_gpu(f).strides == f.strides
    assert device.to_gpu(f).get().flags.f_contiguous
    with pytest.raises(IndexError):
        a[5]
    with pytest.raises(IndexError, match="too many indices"):
        a[0, 0, 0, 0]
    with pytest.raises(IndexError, match="ellipsis"):
        a[..., ...]


def test_the_members(device):
    base = np.arange(6, dtype="c8").reshape(2, 3)
    a = device.to_gpu(base)
    assert a.itemsize == 8
    assert a.flags.c_contiguous
    assert a.flags.forc
    assert not a.flags.f_contiguous
    assert a.T.flags.f_contiguous
    assert a.base is None
    assert a[0].base is a
    assert a[0][1:].base is a
    assert int(a.gpudata) == a.ptr == int(a.device_data())
    assert a[1].ptr == a.ptr + 24
    assert isinstance(a._as_parameter_, ctypes.c_void_p)
    assert a._as_parameter_.value == a.ptr
    assert a.device_array.size() == 6
    assert a.device == 0
    a.real = 5
    a.imag[1] = [1, 2, 3]
    base.real = 5
    base.imag[1] = [1, 2, 3]
    assert (a.get() == base).all()
    assert len(a) == 2
    assert [row.get().tolist() for row in a] == base.tolist()
    assert a.tolist() == base.tolist()
    assert a[1, 2].item() == base[1, 2] == a.item(1, 2)
    assert repr(a) == repr(base).replace("array(", "GPUArray(")
    assert str(a) == str(base)
    assert bool(device.ones(1)) is True
    assert bool(device.zeros(())) is False
    with pytest.raises(ValueError, match="ambiguous"):
        bool(a)
    with pytest.raises(TypeError):
        hash(a)
    with pytest.raises(TypeError):
        len(a[0, 0])
    with pytest.raises(TypeError):
        iter(a[0, 0])
    with pytest.raises(ValueError, match="delete"):
        del a[0]


def test_the_interface_for_others(device):
    if device.backend == "host":
        with pytest.raises(AttributeError, match=r"from_dlpack\(a\).*a\.get\(\)"):
            device.zeros(3).__cuda_array_interface__  # noqa: B018
        return
    a = device.to_gpu(np.arange(12, dtype="i2").reshape(3, 4))
    interface = a.__cuda_array_interface__
    assert interface["shape"] == (3, 4)
    assert interface["typestr"] == "<i2"
    assert interface["data"] == (a.ptr, False)
    assert interface["strides"] is None
    assert interface["version"] == 3
    assert interface["stream"] in (1, 2, None)
    assert a[:, ::2].__cuda_array_interface__["strides"] == (8, 4)
    assert device.GPUArray(0, "i2").__cuda_array_interface__["data"] == (0, False)
    record = device.GPUArray(3, [("a", "i2"), ("b", "f8")])
    assert record.__cuda_array_interface__["descr"] == [("a", "<i2"), ("b", "<f8")]


def test_pickle_and_copy(device):
    a = device.to_gpu(np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    for other in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a), a.copy()):
        assert other.ptr != a.ptr
        assert other.flags.f_contiguous
        assert (other.get() == a.get()).all()
    assert a.copy("C").flags.c_contiguous


def test_set_and_get_check(device):
    a = device.zeros((2, 3), "f4")
    a.set(np.ones((2, 3), "f4"))
    a.set(np.ones(6, "f4"))
    a.set(device.full((2, 3), 7, "f4"))
    assert (a.get() == 7).all()
    with pytest.raises(ValueError, match="5 elements"):
        a.set(np.ones(5, "f4"))
    with pytest.raises(ValueError, match="float64"):
        a.set(np.ones((2, 3)))
    with pytest.raises(TypeError, match="float64"):
        a.get(np.empty((2, 3)))
    with pytest.raises(TypeError, match="numpy array"):
        a.get([1])
    with pytest.raises(ValueError, match="elements"):
        a.get(np.empty(5, "f4"))
    readonly = np.empty((2, 3), "f4")
    readonly.flags.writeable = False
    with pytest.raises(ValueError, match=r"read-?only"):
        a.get(readonly)
    mine = np.empty((2, 3), "f4")
    assert a.get(mine) is mine
    flat = np.empty(6, "f4")
    assert a.get(flat) is flat
    assert (flat == 7).all()


def test_assignment_refuses_as_numpy_does(device, way_out):
    a = device.zeros((2, 3), "i1")
    for value, error in (
        (np.zeros((3, 2)), ValueError),
        (device.zeros((3, 2), "i1"), ValueError),
        (device.zeros((2, 3), [("a", "i4"), ("b", "i4")]), TypeError),
        ("text", ValueError),
        (object(), TypeError),
    ):
        with pytest.raises(error):
            a[...] = value
    with pytest.raises(IndexError, match=way_out):
        a[[0, 1]] = 1
    with pytest.raises(IndexError, match=way_out):
        a[np.array([True, False])]
    with pytest.raises(IndexError):
        a[True]


def test_numpys_arrays_are_not_copied_implicitly(device):
    a, b = device.ones(3), np.ones(3)
    for one in (operator.add, operator.mul, operator.eq, operator.lt, operator.pow):
        for left, right in ((a, b), (b, a)):
            with pytest.raises(TypeError, match=r"PyGPU\.to_gpu\(x\) copies x|unsupported operand"):
                one(left, right)
    with pytest.raises(TypeError, match=r"PyGPU\.to_gpu\(x\) copies x"):
        b += a
    with pytest.raises(TypeError, match="get"):
        np.asarray(a)


def test_refused_arguments(device):
    for call, error in (
        (lambda: device.GPUArray(3, object), TypeError),
        (lambda: device.to_gpu(np.array([None])), TypeError),
        (lambda: device.GPUArray(-1, "f4"), ValueError),
        (lambda: device.GPUArray("abc", "f4"), TypeError),
        (lambda: device.GPUArray((1.5,), "f4"), TypeError),
        (lambda: device.GPUArray(3, "nonsense"), TypeError),
        (lambda: device.GPUArray(3, "f4", order="X"), ValueError),
        (lambda: device.GPUArray(3, "f4", allocator=3), TypeError),
        (lambda: device.to_gpu(np.ones(3), 5), TypeError),
        (lambda: device.GPUArray(3, "f4", stream="s"), TypeError),
        (lambda: device.GPUArray(3, "f4", stream=5), ValueError),
        (lambda: device.GPUArray(3, "f4", strides=(8,)), ValueError),
        (lambda: device.GPUArray((1 << 40, 1 << 40), "f4"), ValueError),
        (lambda: device.empty(1 << 50, "i1"), MemoryError),
        (lambda: device.ones(6).reshape(4), ValueError),
        (lambda: device.ones(6).reshape(-1, -1), ValueError),
        (lambda: device.ones(6).reshape(), TypeError),
        (lambda: device.ones(6).transpose(1), ValueError),
        (lambda: device.ones((2, 3)).transpose(0, 0), ValueError),
        (lambda: device.ones((2, 3)).squeeze(0), ValueError),
        (lambda: device.ones(3, "f4").view("f8"), ValueError),
        (lambda: device.concatenate([]), ValueError),
        (lambda: device.stack([device.ones(2), device.ones(3)]), ValueError),
        (lambda: device.empty_like(device.ones(2), order="Z"), ValueError),
    ):
        with pytest.raises(error):
            call()


def test_views_of_other_dtypes_and_fields(device):
    base = np.arange(24, dtype="i4").reshape(4, 6)
    a = device.to_gpu(base)
    assert (a.view("i2").get() == base.view("i2")).all()
    assert (a.view("i8").get() == base.view("i8")).all()
    assert a.T.view("i2").shape == (12, 4)  # PyCUDA takes the axis of the smallest stride
    record = np.zeros(3, [("a", "i2"), ("b", "f8", (2,))])
    record["b"] = np.arange(6).reshape(3, 2)
    mine = device.to_gpu(record)
    assert (mine["b"].get() == record["b"]).all()
    mine["a"] = [1, 2, 3]
    mine[2] = (9, (1, 1))
    record["a"] = [1, 2, 3]
    record[2] = (9, (1, 1))
    assert mine.get().tobytes() == record.tobytes()


def test_the_order_of_those_like_others(device):
    base = np.empty((2, 3, 4), "i2").transpose(1, 0, 2)
    for other in (base, np.asfortranarray(base), np.ascontiguousarray(base)):
        for order in "CFAK":
            wanted = np.empty_like(other, order=order).strides
            assert device.empty_like(other, order=order).strides == wanted
            assert device.zeros_like(device.to_gpu(other), order=order).strides == wanted
            assert device.pagelocked_empty_like(other, order=order).strides == wanted
            assert not device.pagelocked_zeros_like(other, order=order).any()
    assert device.ones_like(base, "f8").get().sum() == 24
    assert device.full_like(base, 3).get().sum() == 72


@pytest.mark.parametrize("dtype", ["O", [("a", "f4"), ("b", "O")]])
def test_memory_holds_no_python_objects(device, dtype):
    """numpy would take the memory's bytes for objects' addresses."""
    for make in ("pagelocked_empty", "pagelocked_zeros", "managed_empty", "managed_zeros"):
        with pytest.raises(TypeError, match="Python objects"):
            getattr(device, make)(3, dtype)
    for like in ("pagelocked_empty_like", "pagelocked_zeros_like"):
        with pytest.raises(TypeError, match="Python objects"):
            getattr(device, like)(np.empty(3, dtype))
        with pytest.raises(TypeError, match="Python objects"):
            getattr(device, like)(device.zeros(3), dtype)


def test_a_view_keeps_the_memory(device):
    view = device.to_gpu(np.arange(1000))[::-3][5:].reshape(-1, 1).T
    gc.collect()
    wanted = np.arange(1000)[::-3][5:].reshape(-1, 1).T
    assert (view.get() == wanted).all()
    reference = weakref.ref(view)
    del view
    assert reference() is None


def test_memory_of_others(device):
    class Piece:
        def __init__(self, size):
            self.address = device.checked.cudaMalloc(size)

        def __int__(self):
            return self.address

        def __del__(self):
            device.checked.cudaFree(self.address)

    a = device.GPUArray((2, 3), "f4", allocator=Piece)
    assert isinstance(a.gpudata.keeper, Piece)
    assert a.allocator is Piece
    a.set(np.arange(6, dtype="f4"))
    piece = Piece(24)
    owner = object()
    b = device.GPUArray((3, 2), "f4", gpudata=piece, base=owner, order="F")
    assert b.base is owner
    assert b.ptr == piece.address
    del piece
    b[...] = a.T
    assert (b.get() == a.get().T).all()
    copied = device.to_gpu(np.ones(3), allocator=Piece)
    assert isinstance(copied.gpudata.keeper, Piece)


def test_every_buffer_is_data(device):
    import array

    for data in (b"abc", bytearray(b"abc"), array.array("d", [1, 2]), memoryview(b"abcd")[::2]):
        assert device.GPUArray(data).get().tolist() == list(np.asarray(data).tolist())
    assert device.GPUArray(np.arange(3), "f4").get().dtype == np.float32
    assert device.to_gpu([[1, 2], [3, 4]]).shape == (2, 2)
    assert device.to_gpu(3.5).item() == 3.5


def test_asynchronous_copies(device):
    stream = device.cudaStream_t(flags=device.cudaStreamNonBlocking)
    host = device.pagelocked_empty((200, 300), "f4")
    host[...] = np.arange(60000).reshape(200, 300)
    a = device.to_gpu_async(host, stream=stream)
    assert a.stream == int(stream)
    back = a.get_async(stream)
    assert type(back) is np.ndarray
    device.wait(back)
    assert device.ready(back)
    assert (back == host).all()
    a[::2].set_async(np.zeros((100, 300), "f4"), stream)
    result = a.get_async(stream=stream, ary=np.empty((200, 300), "f4"))
    device.wait(a)
    host[::2] = 0
    assert (device.wait(result) == host).all()
    assert (a.get() == host).all()  # a synchronous call comes after all streams
    a.fill(4, stream)
    assert (a.get() == 4).all()
    with pytest.raises(TypeError, match="stream"):
        a.get_async("stream")


def test_star_import_and_the_module(device):
    import PyGPU.gpuarray as gpuarray

    names: dict[str, object] = {}
    exec("from PyGPU import *", names)
    for name in gpuarray.__all__:
        assert names[name] is getattr(gpuarray, name) is getattr(device, name)
    assert device.reshape(device.arange(6), 2, 3).shape == (2, 3)
    assert device.transpose(device.ones((2, 3))).shape == (3, 2)


@own_interpreter("on_devices")
def test_raw_functions_take_arrays_without_asking_for_their_attributes():
    class Mine(PyGPU.GPUArray):
        @property
        def __cuda_array_interface__(self):
            raise AssertionError("it was asked")

    for kind in (PyGPU.GPUArray, Mine):
        a = kind(6, "i4")
        a.fill(7)
        assert not PyGPU.cudaMemset(a[2:], 0, 8) and a.get().tolist() == [7, 7, 0, 0, 7, 7]
        back = np.zeros(2, "i4")
        assert not PyGPU.cudaMemcpy(back, a[1:], 8, PyGPU.cudaMemcpyDeviceToHost)
        assert back.tolist() == [7, 0]
        for short in (a, a[3:]):
            with pytest.raises(ValueError):
                PyGPU.cudaMemset(short, 0, short.nbytes + 1)
        assert not PyGPU.cudaMemset(a[::2], 1, 24)  # the caller has to know how far it reaches
        assert a.get().tolist() == [0x01010101] * 6
        assert not PyGPU.cudaMemset(a[:0], 0, 0)
    assert a.ptr
    a = kind(6, "i4")
    PyGPU.cudaMemset(a, 0, 4)
    info = PyGPU.memory_info()
    del a
    # The address is known, so the free is deferred.
    assert PyGPU.memory_info().deferred == info.deferred + 24
