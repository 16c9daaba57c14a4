"""DeviceArray and pointer_wrapper: what they hold, check and copy, and what they report."""

from __future__ import annotations

import array
import builtins
import ctypes
import gc
import os
import threading
import weakref

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@own_interpreter("on_devices")
def test_round_trip_of_every_dtype():
    import numpy as np

    import PyGPU
    import PyGPU.host as host

    for dtype in DTYPES:
        kind = getattr(PyGPU, f"DeviceArray_{dtype}")
        for shape in ((6,), (2, 3), (), (0, 4), (2, 1, 3)):
            a = np.arange(6).astype(dtype)[: int(np.prod(shape))].reshape(shape)
            da, before = kind(a), a.copy()
            assert (da.size(), da.nbytes(), da.shape()) == (a.size, a.nbytes, a.shape)
            assert da.last_status() == 0 and not da.allocated()
            assert da.allocate() == 0 and da.allocated() and da.to_device() == 0
            a[...] = 0
            assert da.to_host() == 0 == da.last_status() and (a == before).all()
            interface = da.__cuda_array_interface__
            assert interface["typestr"] == a.dtype.str and interface["shape"] == shape
            assert interface["data"] == (int(da.device_data()), False)
            assert (interface["version"], interface["stream"]) == (3, 1)
            assert np.asarray(da.host_data()).dtype == a.dtype
        own = kind([2, 3])  # it owns memory filled with zeros
        assert own.strides() == np.zeros((2, 3), dtype).strides
        assert not np.asarray(own.host_data()).any()
        assert repr(kind(3)) == f"<DeviceArray_{dtype}, shape (3,), not allocated>"
    del da, own
    PyGPU.trim_memory()
    assert not host.leaks(), host.leaks()


@own_interpreter("on_devices")
def test_before_allocate_there_is_nothing():
    a = np.arange(3.0)
    da = PyGPU.DeviceArray_float64(a)
    assert repr(da.last_status()) == "<cudaError: code=0>"
    assert int(da.device_data()) == 0 and not da.device_data()
    assert da._as_parameter_.value is None
    assert not hasattr(da, "__cuda_array_interface__")
    for call in (da.to_device, da.to_host):
        assert call() == PyGPU.cudaErrorInvalidValue == da.last_status()
    assert a.tolist() == [0, 1, 2] and not da.allocated() and not PyGPU.cudaGetLastError()
    assert da.allocate() == 0 == da.last_status()
    address = int(da.device_data())
    assert address and da.allocate() == 0 and int(da.device_data()) == address


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ("np.arange(6.0)", TypeError, "DeviceArray_float64"),
        ("np.arange(6, dtype='u8')", TypeError, "DeviceArray_uint64"),
        ("b'abcdefgh'", TypeError, "DeviceArray_uint8"),
        ("np.arange(6).astype('>i8')", TypeError, "big-endian"),
        ("np.zeros(3, 'longdouble')", TypeError, "'g'"),
        ("np.zeros(3, 'i4,i4')", TypeError, "no DeviceArray class"),
        ("np.zeros(3, 'S8')", TypeError, "8s"),
        ("np.arange(6)[::2]", ValueError, "ascontiguousarray"),
        ("np.arange(6)[::-1]", ValueError, "ascontiguousarray"),
        ("np.arange(8).reshape(2, 2, 2).transpose(1, 0, 2)", ValueError, "ascontiguousarray"),
        ("'text'", TypeError, "'buffer'"),
        ("None", TypeError, "'buffer'"),
        ("3.0", TypeError, "'buffer'"),
        ("-1", ValueError, "negative"),
        ("[2, -1]", ValueError, "negative"),
        ("[2, 2.5]", TypeError, "float"),
        ("[1 << 40, 1 << 40]", ValueError, "memory"),
        ("1 << 80", OverflowError, ""),
        ("[1] * 65", ValueError, "axes"),
        ("np.arange(6), [6]", TypeError, "pointer_wrapper_int64"),
        ("PyGPU.pointer_wrapper_int64(4096), [6]", TypeError, "safe"),
        ("PyGPU.DeviceArray_int64(5).host_data(), [2, 3]", ValueError, "6 items"),
        ("PyGPU.DeviceArray_float64(6).host_data(), [6]", TypeError, "pointer_wrapper_int64"),
        ("", TypeError, ""),
        ("size=3", TypeError, "keywords"),
    ],
)
def test_wrong_arguments_are_told(given, error, says):
    with pytest.raises(error) as caught:
        eval(f"PyGPU.DeviceArray_int64({given})", {"np": np, "PyGPU": PyGPU})
    assert says in str(caught.value)
    if error is not OverflowError:
        assert "DeviceArray_int64" in str(caught.value)


def test_kind_and_size_count_not_the_letter():
    from PyGPU import DeviceArray_int8, DeviceArray_int64, DeviceArray_uint8, DeviceArray_uint64

    assert DeviceArray_int64(np.arange(3, dtype=np.longlong)).size() == 3
    assert DeviceArray_uint64(np.arange(3, dtype=np.ulonglong)).size() == 3
    assert DeviceArray_int64(array.array("q", [1, 2])).size() == 2
    assert DeviceArray_int64((ctypes.c_longlong * 4)()).size() == 4
    assert DeviceArray_uint8(bytearray(5)).size() == 5
    assert DeviceArray_uint8(memoryview(bytearray(8))).size() == 8
    assert DeviceArray_int8(np.zeros(2, ">i1")).size() == 2, "one byte has no order"
    assert DeviceArray_int64(np.int64(7)).size() == 7, "a number is a size"
    assert DeviceArray_int64((2, 3)).shape() == (2, 3)


@own_interpreter("on_devices")
def test_a_fortran_array_keeps_its_order_on_both_sides():
    a = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    da = PyGPU.DeviceArray_float64(a)
    assert da.allocate() == da.to_device() == 0
    assert da.strides() == a.strides == da.__cuda_array_interface__["strides"]
    raw = np.empty(6)
    assert not PyGPU.cudaMemcpy(raw, da, 48, PyGPU.cudaMemcpyDeviceToHost)
    assert raw.tolist() == a.ravel("F").tolist()


@own_interpreter("on_devices")
def test_the_buffer_is_held():
    a = np.arange(6)
    _da = PyGPU.DeviceArray_int64(a)
    with pytest.raises(ValueError):
        a.resize(99)
    growing = bytearray(8)
    held = PyGPU.DeviceArray_uint8(growing)
    with pytest.raises(BufferError):
        growing.append(1)
    del held
    growing.append(1)
    temporary = PyGPU.DeviceArray_float64(np.arange(4.0) * 2)
    pointer = temporary.host_data()
    gc.collect()
    assert temporary.allocate() == temporary.to_device() == temporary.to_host() == 0
    del temporary
    assert np.asarray(pointer).tolist() == [0, 2, 4, 6], "the pointer keeps the memory alive"


@own_interpreter("on_devices")
def test_a_read_only_buffer_goes_to_the_device_only():
    a = np.arange(3)
    a.flags.writeable = False
    for buffer, kind in ((a, PyGPU.DeviceArray_int64), (b"abc", PyGPU.DeviceArray_uint8)):
        da = kind(buffer)
        assert da.allocate() == 0 and da.to_device() == 0
        for refused in (da.to_host, lambda da=da: PyGPU.cudaMemset(da.host_data(), 0, 1)):
            with pytest.raises((ValueError, TypeError)) as raised:
                refused()
            assert "read-only" in str(raised.value) or "writable" in str(raised.value)
        assert da.last_status() == 0 and memoryview(da.host_data()).readonly


@own_interpreter("on_devices")
def test_pointers():
    a = np.arange(6, dtype=np.float32)
    da = PyGPU.DeviceArray_float32(a)
    da.allocate(), da.to_device()
    host, device = da.host_data(), da.device_data()
    assert type(host) is PyGPU.pointer_wrapper_float32
    assert host.is_safe() and host.get() == int(host) == a.ctypes.data
    assert not device.is_safe() and int(device) == device._as_parameter_.value != 0
    for unsafe in (device, PyGPU.pointer_wrapper_float32(a.ctypes.data)):
        with pytest.raises(ValueError, match=r"int\(\)"):
            unsafe.get()
        with pytest.raises(BufferError):
            memoryview(unsafe)
    assert host == da.host_data() == PyGPU.pointer_wrapper_float64(int(host)) != device
    assert hash(host) == hash(da.host_data())
    assert isinstance(device._as_parameter_, ctypes.c_void_p)
    assert device._as_parameter_.value == int(device)
    null = PyGPU.pointer_wrapper_int8()
    assert not null and int(null) == 0 and repr(null) == "<pointer_wrapper_int8 null>"
    for wrong, error in (
        ("x", TypeError),
        (1.5, TypeError),
        (-1, OverflowError),
        (1 << 64, OverflowError),
        (a, TypeError),
    ):
        with pytest.raises(error):
            PyGPU.pointer_wrapper_int8(wrong)
    del da
    back = np.zeros(6, np.float32)
    assert not PyGPU.cudaMemcpy(back, device, 24, PyGPU.cudaMemcpyDeviceToHost)
    assert back.tolist() == a.tolist(), "the pointer keeps the device's memory alive"


@own_interpreter("on_devices")
def test_raw_calls_take_arrays_and_pointers():
    a, b = np.arange(4), np.zeros(4, int)
    da, db = PyGPU.DeviceArray_int64(a), PyGPU.DeviceArray_int64(b)
    da.allocate(), da.to_device(), db.allocate()
    assert not PyGPU.cudaMemcpy(db, da, 32, PyGPU.cudaMemcpyDeviceToDevice)
    assert not PyGPU.cudaMemcpy(db.host_data(), db.device_data(), 32, PyGPU.cudaMemcpyDefault)
    assert b.tolist() == [0, 1, 2, 3]
    assert PyGPU.cudaPointerGetAttributes(da)[0].devicePointer == int(da.device_data())
    for short in (da, da.device_data(), da.host_data()):
        with pytest.raises(ValueError, match="33 needed, 32 given"):
            PyGPU.cudaMemcpy(short, a, 33, PyGPU.cudaMemcpyDefault)
    parameters = PyGPU.cudaMemcpy3DParms(srcPtr=PyGPU.cudaPitchedPtr(ptr=da, pitch=32))
    assert parameters.srcPtr.ptr == int(da.device_data())


def test_no_buffer_of_the_host_side():
    """Code that tries buffers first (MPI) must not send the host's memory instead."""
    with pytest.raises(TypeError):
        memoryview(PyGPU.DeviceArray_int64(3))
    with pytest.raises(TypeError, match="host_data"):
        np.asarray(PyGPU.DeviceArray_int64(3))


@own_interpreter("on_devices")
def test_page_locked_memory_as_the_host_side():
    pinned = PyGPU.pagelocked_empty((2, 3), np.float64)
    pinned[...] = 3
    da = PyGPU.DeviceArray_float64(pinned)
    assert da.allocate() == da.to_device() == da.to_host() == 0
    second = PyGPU.DeviceArray_float64(da.host_data(), [3, 2])
    assert second.allocate() == second.to_device() == 0 and second.shape() == (3, 2)
    assert int(second.host_data()) == pinned.ctypes.data


@own_interpreter("on_devices")
def test_copies_come_after_the_default_stream():
    """As with cudaMemcpy: work queued on the default stream is done before to_host() returns."""
    a = np.zeros(4, np.uint8)
    da = PyGPU.DeviceArray_uint8(a)
    da.allocate(), da.to_device()
    with host.pause(None) as paused:
        assert not PyGPU.cudaMemsetAsync(da, 7, 4, 0)
        thread = threading.Thread(target=da.to_host)
        thread.start()
        assert not a.any() and thread.is_alive(), "the call let go of the GIL and waits"
        paused.resume()
    thread.join()
    assert a.tolist() == [7] * 4


@own_interpreter("on_devices")
def test_freed_under_a_busy_non_blocking_stream():
    stream = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
    da = PyGPU.DeviceArray_uint8(4096)
    da.allocate(), da.to_device()
    with host.pause(stream):
        assert not PyGPU.cudaMemsetAsync(da, 1, 4096, stream)
        del da
        assert PyGPU.memory_info().deferred == 4096
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0
    da = PyGPU.DeviceArray_uint8(4096)
    da.allocate()
    with host.pause(stream):
        assert not PyGPU.cudaMemsetAsync(da.device_data(), 1, 4096, stream)
        da.record_stream(stream)
        del da
        assert PyGPU.memory_info().deferred == 0
        # A GPU's pool doesn't count memory whose free is queued.
        assert PyGPU.memory_info().used == 4096 or not hasattr(host, "fail")
    assert not PyGPU.cudaStreamSynchronize(stream) and not PyGPU.cudaStreamSynchronize(0)
    assert PyGPU.memory_info().used == 0


@pytest.mark.gpus(2)
@own_interpreter("on_devices")
def test_every_device_and_the_current_one_stays():
    devices = range(PyGPU.checked.cudaGetDeviceCount())
    arrays = []
    for device in reversed(devices):
        assert not PyGPU.cudaSetDevice(device)
        arrays.append(PyGPU.DeviceArray_int64(np.arange(5) * device))
        assert arrays[-1].allocate() == 0
    for current in devices:
        assert not PyGPU.cudaSetDevice(current)
        for device, da in zip(reversed(devices), arrays, strict=True):
            assert da.to_device() == 0
            np.asarray(da.host_data())[...] = -1
            assert da.to_host() == 0
            assert np.asarray(da.host_data()).tolist() == [device * i for i in range(5)]
            attributes, _ = PyGPU.cudaPointerGetAttributes(da)
            assert attributes.device == device and f"device {device}" in repr(da)
            assert PyGPU.cudaGetDevice()[0] == current


@own_interpreter("on_devices")
def test_a_reset_and_a_fork_end_what_is_on_the_device():
    da = PyGPU.DeviceArray_int64(8)
    da.allocate()
    pointer = da.device_data()
    assert not PyGPU.cudaDeviceReset()
    assert not da.allocated() and da.to_host() == 1
    assert int(da.device_data()) == int(pointer) == 0
    assert da.allocate() == 0 and da.to_device() == 0
    child = os.fork()
    if not child:
        fine = not da.allocated() and da.to_device() == 1 and da.allocate() == 3
        del da
        os._exit(not fine)
    assert os.waitpid(child, 0)[1] == 0
    assert da.to_host() == 0
    del da, pointer
    PyGPU.trim_memory()
    assert not host.leaks()


@own_interpreter("on_devices")
def test_cycles_threads_exit_and_callbacks():
    class Array(np.ndarray):
        pass

    cyclic = np.arange(3).view(Array)
    cyclic.da = PyGPU.DeviceArray_int64(cyclic)
    cyclic.pointers = [cyclic.da.host_data(), cyclic.da.device_data()]
    cyclic.da.allocate()
    gone = weakref.ref(cyclic)
    del cyclic
    gc.collect()
    assert gone() is None

    def work():
        for size in range(1, 60):
            da = PyGPU.DeviceArray_int64(np.full(size, size))
            assert da.allocate() == da.to_device() == 0
            np.asarray(da.host_data())[...] = 0
            assert da.to_host() == 0 and (np.asarray(da.host_data()) == size).all()

    shared = PyGPU.DeviceArray_int64(100)
    addresses = set()

    def share():
        for _ in range(50):
            assert shared.allocate() == 0 == shared.to_device() == shared.to_host()
            addresses.add(int(shared.device_data()))

    threads = [threading.Thread(target=one) for one in (work, share) * 4]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    assert len(addresses) == 1

    kept = [PyGPU.DeviceArray_int64(100)]
    kept[0].allocate()
    assert not PyGPU.cudaLaunchHostFunc(0, lambda data: kept.clear(), None)
    assert not PyGPU.cudaDeviceSynchronize() and not kept
    assert PyGPU.DeviceArray_int64(1).allocate() == 0
    assert not PyGPU.cudaDeviceSynchronize()
    shared = None
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0 and not host.leaks(), host.leaks()

    class Late:
        array = PyGPU.DeviceArray_int64(3)

    late = PyGPU.DeviceArray_int64(3)
    late.allocate(), Late.array.allocate()
    builtins.kept = late.device_data()


@own_interpreter("on_devices")
def test_the_allocator_of_the_user_serves():
    taken = []

    class Piece:
        def __init__(self, size):
            taken.append(size)
            self.address = PyGPU.checked.cudaMalloc(size)

        def __int__(self):
            return self.address

        def __del__(self):
            PyGPU.checked.cudaFree(self.address)

    PyGPU.set_allocator(Piece)
    da = PyGPU.DeviceArray_int64(8)
    assert da.allocate() == 0 == da.to_device() and taken == [64]
    del da
    assert not host.leaks()
