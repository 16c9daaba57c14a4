"""What arrays lend through DLPack: the capsule's bytes, lifetimes, and refusals."""

from __future__ import annotations

import gc
import itertools
import threading

import numpy as np
import pytest

import PyGPU
from tests.conftest import required
from tests.exchange import tensors
from tests.own_interpreter import own_interpreter

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
CODES = {"b": 6, "i": 0, "u": 1, "f": 2, "c": 5}


@pytest.fixture
def cpu(device):
    if device.backend != "host":
        pytest.skip("the CPU's capsules; a card's are read as_card and with peers")
    return device


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 3), (2, 0)])
@pytest.mark.parametrize("dtype", TYPES)
def test_the_bytes_of_a_capsule(cpu, dtype, version):
    host = np.arange(24).reshape(2, 3, 4).astype(dtype)
    a = cpu.to_gpu(host)
    for view, expected in ((a, host), (a[1:, ::2], host[1:, ::2]), (a.T, host.T)):
        capsule = view.__dlpack__(max_version=version)
        managed = tensors.inside(capsule)
        if version and version[0] >= 1:
            assert isinstance(managed, tensors.Versioned)
            assert (managed.version.major, managed.version.minor) == (1, 3)
            assert managed.flags == 0
        else:
            assert isinstance(managed, tensors.Managed)
        tensor = managed.tensor
        assert (tensor.device.type, tensor.device.id) == (tensors.CPU, 0) == a.__dlpack_device__()
        kind = np.dtype(dtype)
        assert tensor.dtype.code == CODES[kind.kind]
        assert (tensor.dtype.bits, tensor.dtype.lanes) == (kind.itemsize * 8, 1)
        assert tensor.ndim == expected.ndim
        assert tuple(tensor.shape[:3]) == expected.shape
        assert [s * kind.itemsize for s in tensor.strides[:3]] == list(expected.strides)
        assert (tensor.data, tensor.byte_offset) == (view.ptr, 0)
        assert (tensors.values(tensor, dtype) == expected).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_numpy_shares_the_memory(cpu, dtype):
    a = cpu.zeros((2, 3), dtype)
    n = np.from_dlpack(a)
    assert (n.dtype, n.shape, n.ctypes.data) == (a.dtype, (2, 3), a.ptr)
    n[...] = 1
    assert (a.get() == 1).all()
    a.fill(0)
    cpu.wait(a)
    assert not n.any()


def test_without_axes_and_without_elements(cpu):
    a = cpu.to_gpu(np.arange(6.0).reshape(2, 3))
    assert np.from_dlpack(a[1, 2]) == 5
    assert np.from_dlpack(a[1, 2]).shape == ()
    empty = tensors.inside(a[:0].__dlpack__()).tensor
    assert empty.data is None and tuple(empty.shape[:2]) == (0, 3)
    assert np.from_dlpack(a[:, :0]).shape == (2, 0)
    repeated = a._view((4, 3), (0, 8), 0, a.dtype)
    assert np.from_dlpack(repeated).tolist() == [[0, 1, 2]] * 4


def test_bfloat16_and_float8_where_numpy_has_them(cpu):
    ml_dtypes = required("ml_dtypes")
    codes = {"bfloat16": (4, 16), "float8_e4m3fn": (10, 8), "float8_e5m2": (12, 8)}
    for name, (code, bits) in codes.items():
        host = np.arange(4).astype(getattr(ml_dtypes, name))
        a = cpu.to_gpu(host)
        dtype = tensors.inside(a.__dlpack__()).tensor.dtype
        assert (dtype.code, dtype.bits, dtype.lanes) == (code, bits, 1)
        again = cpu.from_dlpack(Renamed(a))
        assert again.dtype == host.dtype and (again.get() == host).all()


class Renamed:
    """Lends another array's memory; its own class has no exchange API."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)


def test_what_has_no_code_is_a_buffer_error(cpu):
    for dtype in (">f4", "M8[s]", "S3", [("a", "i4")], np.longdouble, np.clongdouble):
        with pytest.raises(BufferError, match="DLPack has no code for"):
            cpu.empty(3, dtype).__dlpack__()


def test_metadata_of_a_dtype_is_no_hindrance(cpu):
    """Metadata as in h5py's enums and bools."""
    array = PyGPU.to_gpu(np.arange(3).astype(np.dtype("i1", metadata={"enum": {"A": 0}})))
    assert np.from_dlpack(array).tolist() == [0, 1, 2]


def test_strides_that_consumers_cannot_take(cpu):
    a = cpu.to_gpu(np.arange(6.0).reshape(2, 3))
    record = cpu.zeros(3, [("a", "f8"), ("b", "i4")])
    for array, why in ((a[::-1], "negative"), (record["a"], "no multiple")):
        for copy in (None, False):
            with pytest.raises(BufferError, match=f"{why}.*copy"):
                array.__dlpack__(copy=copy)
        made = tensors.inside(array.__dlpack__(copy=True, max_version=(1, 0)))
        assert made.flags == tensors.COPIED
        assert (tensors.values(made.tensor, "f8") == array.get()).all()
    # With one row the direction doesn't matter.
    assert np.from_dlpack(a[1:][::-1]).tolist() == [[3, 4, 5]]


MIXES = [
    dict(one for one in mix if one)
    for mix in itertools.product(
        [None, ("copy", None), ("copy", True), ("copy", False)],
        [None, *(("max_version", (major, 0)) for major in range(3))],
        [None, ("dl_device", (tensors.CPU, 0))],
        [None, ("stream", None), ("stream", -1)],
    )
]


@pytest.mark.parametrize("dtype", TYPES)
def test_every_mix_of_keywords_is_answered(cpu, dtype):
    """These are the array API test suite's questions about DLPack.

    The suite can't run on PyGPU: it makes and compares its arrays with functions that need kernels.
    """
    for shape in ((1,), (2,), (2, 1), (2, 2), (0,), ()):
        host = np.ones(shape, dtype)
        a = cpu.to_gpu(host)
        for mix in MIXES:
            managed = tensors.inside(a.__dlpack__(**mix))
            versioned = mix.get("max_version", (0, 0)) >= (1, 0)
            assert isinstance(managed, tensors.Versioned if versioned else tensors.Managed)
            assert (tensors.values(managed.tensor, dtype) == host).all()
            assert bool(host.size and managed.tensor.data == a.ptr) == (
                bool(host.size) and not mix.get("copy")
            )
        for copy, device in itertools.product((None, True, False), (None, a.device)):
            b = cpu.from_dlpack(a, copy=copy, device=device)
            assert b.device == a.device and (b.get() == host).all()
            assert not host.size or (b.ptr == a.ptr) == (not copy)


def test_copies_are_the_consumers_own(cpu):
    a = cpu.to_gpu(np.arange(3.0))
    n = np.from_dlpack(a, copy=True)
    n[...] = 9
    assert a.get().tolist() == [0, 1, 2]
    assert np.from_dlpack(a, copy=False).ctypes.data == a.ptr


def test_wrong_arguments_are_refused(cpu):
    with pytest.raises(TypeError, match="dl_device"):
        PyGPU.zeros(3).__dlpack__(dl_device=(2**33 + 1, 0))
    a = cpu.zeros(3)
    with pytest.raises(TypeError, match="keywords only"):
        a.__dlpack__(None)
    with pytest.raises(TypeError, match="max_version"):
        a.__dlpack__(max_version=1)
    with pytest.raises(TypeError, match="dl_device"):
        a.__dlpack__(dl_device=1)
    with pytest.raises(BufferError, match=r"not \(2, 0\)"):
        a.__dlpack__(dl_device=(2, 0))
    with pytest.raises(ValueError, match="must be None for memory of the host"):
        a.__dlpack__(stream=1)
    a.__dlpack__(stream=-1)
    a.free()
    with pytest.raises(ValueError, match="freed by free"):
        a.__dlpack__()


def test_a_consumer_keeps_the_memory(cpu):
    n = np.from_dlpack(cpu.to_gpu(np.arange(1000.0)))
    others = [cpu.full(1000, 7.0) for _ in range(10)]
    assert n.tolist() == list(range(1000)) and len(others) == 10


def test_free_waits_for_the_consumer(cpu):
    a = cpu.to_gpu(np.arange(1000.0))
    n = np.from_dlpack(a)
    a.free()
    assert a.freed
    others = [cpu.full(1000, 7.0) for _ in range(10)]
    assert n.tolist() == list(range(1000)) and len(others) == 10


def test_a_device_array_lends_its_devices_side(cpu):
    host = np.arange(6.0).reshape(2, 3)
    a = cpu.DeviceArray_float64(host)
    with pytest.raises(ValueError, match=r"call allocate\(\)"):
        a.__dlpack__()
    assert a.allocate() == a.to_device() == 0
    assert a.__dlpack_device__() == (tensors.CPU, 0)
    n = np.from_dlpack(a)
    assert n.tolist() == host.tolist() and n.ctypes.data == int(a.device_data())


@own_interpreter("on_host")
def test_a_capsule_nobody_took_and_one_that_was_give_back():
    from PyGPU import host

    def lend():
        return PyGPU.zeros(1 << 20).__dlpack__(max_version=(1, 0))

    lend()
    managed = tensors.take(lend())
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 8 << 20
    thread = threading.Thread(target=tensors.end, args=(managed,))
    thread.start()
    thread.join()
    gc.collect()
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0
    assert not host.leaks()


@own_interpreter("on_host")
def test_a_deleter_on_a_thread_without_the_interpreters_lock(tmp_path):
    import ctypes

    threads = ctypes.CDLL(None)
    managed = tensors.take(PyGPU.zeros(1 << 20).__dlpack__(max_version=(1, 0)))
    deleter = ctypes.cast(managed.deleter, ctypes.c_void_p).value
    thread = ctypes.c_ulong()
    # pthread_create() calls the deleter itself, on a thread that Python never saw.
    start = threads.pthread_create
    start.argtypes = (ctypes.c_void_p,) * 4
    assert not start(ctypes.byref(thread), None, deleter, ctypes.addressof(managed))
    join = threads.pthread_join
    join.argtypes = (ctypes.c_ulong, ctypes.c_void_p)
    assert not join(thread, None)
    PyGPU.zeros(1)  # runs what waited for an ordinary call
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used < 1 << 20


def lend_to_the_end():
    import atexit
    import ctypes

    managed = tensors.take(PyGPU.zeros(3).__dlpack__(max_version=(1, 0)))
    deleter, address = managed.deleter, ctypes.addressof(managed)
    atexit.register(deleter, address)
    kept = tensors.take(PyGPU.zeros(3).__dlpack__(max_version=(1, 0)))
    own_interpreter.kept = [np.from_dlpack(PyGPU.zeros(3)), kept, PyGPU.zeros(3).__dlpack__()]


def test_what_is_lent_at_exit_does_no_harm(on_host):
    assert on_host(lend_to_the_end).returncode == 0


@own_interpreter("as_card")
def test_a_card_says_cuda_and_copies_to_the_host():
    a = PyGPU.to_gpu(np.arange(6.0).reshape(2, 3))
    assert a.__dlpack_device__() == (tensors.CUDA, 0)
    with PyGPU.device(1):
        assert PyGPU.zeros(3).__dlpack_device__() == (tensors.CUDA, 1)
    other = PyGPU.Stream(True)
    for stream in (None, 1, 2, -1, PyGPU.Stream(), int(other)):
        tensor = tensors.inside(a.__dlpack__(stream=stream)).tensor
        assert (tensor.device.type, tensor.device.id, tensor.data) == (tensors.CUDA, 0, a.ptr)
    for stream in (0, 3):
        with pytest.raises(ValueError, match="stream"):
            a.__dlpack__(stream=stream)
    made = tensors.inside(a[:, ::-1].__dlpack__(dl_device=(1, 0), max_version=(1, 0)))
    assert made.flags == tensors.COPIED and made.tensor.device.type == tensors.CPU
    assert tensors.values(made.tensor, "f8").tolist() == a.get()[:, ::-1].tolist()
    with pytest.raises(BufferError, match="only a copy"):
        a.__dlpack__(dl_device=(1, 0), copy=False)
    n = np.from_dlpack(a, device="cpu")
    assert n.tolist() == a.get().tolist() and n.ctypes.data != a.ptr
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(a)


@own_interpreter("as_card")
def test_page_locked_and_managed_memory_say_so():
    for managed, device in ((False, tensors.CUDA_HOST), (True, tensors.MANAGED)):
        memory = PyGPU.HostMemory(24, managed)
        a = PyGPU.GPUArray(3, "f8", gpudata=memory)
        assert a.__dlpack_device__() == (device, 0)


@own_interpreter("as_card")
def test_a_pointer_says_where_its_memory_is():
    """C++ reads the same device from a pointer as from its array, also for borrowed memory."""
    values = np.arange(3.0)
    own = [PyGPU.HostMemory(24), PyGPU.HostMemory(24, True), PyGPU.DeviceMemory(24)]
    arrays = [PyGPU.GPUArray(3, "f8", gpudata=memory) for memory in own]
    for device in ((tensors.CUDA_HOST, 0), (tensors.MANAGED, 0), (tensors.CUDA, 1)):
        lent = tensors.Foreign(values, device=device, flags=tensors.READ_ONLY)
        arrays.append(PyGPU.from_dlpack(lent))
    for at, a in enumerate(arrays):
        pointer = a.device_data()
        *_, readonly, kind, number = pointer.__pygpu_pointer__()
        assert (kind, number) == a.__dlpack_device__()
        assert readonly == (at >= len(own))
        assert pointer.is_safe() == (kind == tensors.CUDA_HOST)
    assert memoryview(arrays[3].device_data()).readonly
    assert PyGPU.pointer_wrapper_float64(4096).__pygpu_pointer__()[4:] == (tensors.CUDA, -1)


@own_interpreter("as_rocm")
def test_rocm_has_numbers_of_its_own():
    a = PyGPU.zeros(3)
    assert a.__dlpack_device__() == (tensors.ROCM, 0)
    memory = PyGPU.HostMemory(24)
    assert PyGPU.GPUArray(3, gpudata=memory).__dlpack_device__() == (tensors.ROCM_HOST, 0)
    other = PyGPU.Stream()
    for stream in (None, 0, -1, int(other)):
        a.__dlpack__(stream=stream)
    for stream in (1, 2):
        with pytest.raises(ValueError, match="no stream of HIP"):
            a.__dlpack__(stream=stream)


@own_interpreter("as_card")
def test_a_consumers_stream_comes_after_all_that_was_queued():
    from PyGPU import checked, host

    pinned = PyGPU.pagelocked_empty(1000)
    pinned[...] = 7
    for named in ("stream", "default", "none"):
        a, writer, reader = PyGPU.zeros(1000), PyGPU.Stream(True), PyGPU.Stream(True)
        into = PyGPU.pagelocked_zeros(1)
        with host.pause(writer):
            a.set_async(pinned, writer)
            number = {"stream": int(reader), "default": 1, "none": None}[named]
            capsule = a.__dlpack__(stream=number)
            on = reader if named == "stream" else 0
            address = tensors.inside(capsule).tensor.data
            checked.cudaMemcpyAsync(into, address, 8, PyGPU.cudaMemcpyDeviceToHost, on)
        checked.cudaStreamSynchronize(on)
        assert into[0] == 7, named
