"""Launch arguments: each lies in memory as C expects. A value that can't is refused by name."""

from __future__ import annotations

import ctypes
import gc
import os
import pathlib
import re
import struct
import weakref

import numpy as np
import pytest

from PyGPU import cuda, hip
from tests.own_interpreter import IN_CHILD, own_interpreter

pytestmark = own_interpreter("run")

STAND_IN = pathlib.Path(__file__).with_name("launches.cpp")

KERNEL, OTHER = 0xABC000, 0xDEF000
ADDRESS = struct.pack("<Q", 0x7F00_0000_1000)
c_kernel = ctypes.c_size_t(KERNEL)

if IN_CHILD:
    c = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"])
    for name in ("seen_count", "seen_argument", "function_seen", "pointers_seen"):
        getattr(c, name).restype = ctypes.c_size_t


def expect(*sizes):
    c.read_none()
    for size in sizes:
        c.read_next(ctypes.c_size_t(size))


def seen():
    def argument(at):
        room = ctypes.create_string_buffer(256)
        size = c.seen_argument(ctypes.c_size_t(at), room)
        return room.raw[:size]

    return [argument(at) for at in range(c.seen_count())]


def launch(args, kernel=KERNEL):
    err = cuda.cudaLaunchKernel(kernel, 1, 32, args, 0, 0)
    assert int(err) == 0
    return seen()


def refused(kind, text, args, kernel=KERNEL):
    with pytest.raises(kind, match=re.escape(text)):
        cuda.cudaLaunchKernel(kernel, 1, 32, args, 0, 0)


class DeviceArray:
    def __init__(self, address=0x7F00_0000_1000):
        data = {"data": (address, False), "shape": (4,), "typestr": "<f4", "version": 3}
        self.__cuda_array_interface__ = data


class Pair(ctypes.Structure):
    _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_double))


def test_values_that_know_their_size():
    expect(4, 8, 1, 2, 4, 16, 8)
    assert launch(
        [
            ctypes.c_int(-3),
            np.float64(0.5),
            np.bool_(True),
            np.float16(1),
            np.uint32(7),
            Pair(1, 2.0),
            np.complex64(1 + 2j),
        ]
    ) == [
        struct.pack("<i", -3),
        struct.pack("<d", 0.5),
        b"\x01",
        struct.pack("<e", 1),
        struct.pack("<I", 7),
        bytes(Pair(1, 2.0)),
        struct.pack("<ff", 1, 2),
    ]


def test_pointers_and_handles():
    stream, array = cuda.cudaStream_t(0x5000), DeviceArray()
    expect(8, 8, 8, 8, 8)
    assert launch(
        (array, stream, None, ctypes.c_void_p(0x7F00_0000_1000), np.uint64(0x7F00_0000_1000))
    ) == [ADDRESS, struct.pack("<Q", 0x5000), bytes(8), ADDRESS, ADDRESS]


def test_structs_of_ours_and_bytes_are_values():
    expect(12, 5)
    assert launch([cuda.dim3(1, 2, 3), b"12345"]) == [struct.pack("<III", 1, 2, 3), b"12345"]
    record = np.array([(1, 2.5)], dtype=[("a", "<i4"), ("b", "<f4")])[0]
    expect(8, 4)
    assert launch([record, np.array(7, np.int32)]) == [
        struct.pack("<if", 1, 2.5),
        struct.pack("<i", 7),
    ]


def test_values_with_types():
    expect(4, 4, 8, 8, 8, 4, 4)
    values = (3, 1.5, DeviceArray(), 0x7F00_0000_1000, DeviceArray(), 9, np.int32(4))
    types = (
        ctypes.c_int,
        np.float32,
        ctypes.c_void_p,
        ctypes.POINTER(ctypes.c_float),
        None,
        np.dtype("uint32"),
        np.int32,
    )
    wanted = [
        struct.pack("<i", 3),
        struct.pack("<f", 1.5),
        ADDRESS,
        ADDRESS,
        ADDRESS,
        struct.pack("<I", 9),
        struct.pack("<i", 4),
    ]
    assert launch((values, types)) == wanted
    assert launch((list(values), list(types))) == wanted
    assert launch(((), ())) == []


def test_addresses_go_to_c_as_they_are():
    value = ctypes.c_int(5)
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    expect(4)
    for args in (pointers, ctypes.addressof(pointers), ctypes.cast(pointers, ctypes.c_void_p)):
        assert launch(args) == [struct.pack("<i", 5)]
        assert c.pointers_seen() == ctypes.addressof(pointers)
    for args in (None, 0):
        launch(args)
        assert c.pointers_seen() == 0


@pytest.mark.parametrize("dtype", [np.uint64, np.int64, np.uintp, np.ulonglong])
def test_buffers_of_addresses_go_to_c_as_they_are(dtype):
    """As cuda-python's users write it: an array of the arguments' addresses."""
    one, two = np.int32(7), ctypes.c_double(2.5)
    one = np.array(one)
    addresses = np.array([one.ctypes.data, ctypes.addressof(two)], dtype)
    expect(4, 8)
    for given in (addresses, memoryview(addresses), (ctypes.c_uint64 * 2)(*map(int, addresses))):
        cuda.cudaLaunchKernel(KERNEL, 1, 32, given, 0, 0)
        assert c.pointers_seen() not in (0, None)
        assert seen() == [struct.pack("<i", 7), struct.pack("<d", 2.5)]
    parameters = cuda.cudaKernelNodeParams(kernelParams=addresses)
    weak = weakref.ref(addresses)
    del addresses, given
    gc.collect()
    assert weak() is not None
    del parameters
    gc.collect()
    assert weak() is None


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (np.zeros(2, np.float64), "must be a sequence of values"),
        (np.zeros(4, np.int32), "must be a sequence of values"),
        (np.zeros(16, np.uint8), "must be a sequence of values"),
        (b"12345678", "must be a sequence of values"),
        (np.array([1, 2], np.uint64), "'args[0]' = 1 is no address"),
        (np.zeros(2, np.uint64), "'args[0]' is null"),
    ],
)
def test_buffers_of_no_addresses(given, text):
    with pytest.raises((TypeError, ValueError), match=re.escape(text)):
        cuda.cudaLaunchKernel(KERNEL, 1, 32, given, 0, 0)


def test_bare_numbers_have_no_size():
    for at, value in enumerate((1, 1.5, True, 2j)):
        args = [np.int32(0)] * at + [value]
        refused(
            TypeError,
            f"cudaLaunchKernel(): parameter 'args[{at}]' is a bare " + type(value).__name__,
            args,
        )
        refused(TypeError, "numpy.int32", args)
        refused(TypeError, "(values, types)", args)
    refused(TypeError, "'args[1]' is a bare int", ((1, 2), (ctypes.c_int, None)))


def test_what_is_no_argument():
    for host in (np.zeros(3), np.zeros(3, np.uint8), [1]):
        refused(TypeError, "'args[0]' is a ", [host])
        refused(TypeError, "in host memory, and kernels take arrays on a device", [host])
    for wrong in ("text", {}, object()):
        refused(TypeError, "'args[0]' must be a ctypes or numpy scalar", [wrong])
    for wrong in ("text", {}, np.zeros(2), b"12345678", object(), 1.5):
        refused(TypeError, "'args' must be a sequence of values", wrong)


def test_types_that_do_not_suit():
    refused(ValueError, "'args' holds 2 values, but 1 types", ((1, 2), (ctypes.c_int,)))
    refused(OverflowError, "'args[0]' = 4294967296 is out of", ((2**32,), (ctypes.c_int,)))
    refused(OverflowError, "'args[0]'", ((-1,), (ctypes.c_uint8,)))
    refused(TypeError, "'args[0]' must be a value for c_int", (("x",), (ctypes.c_int,)))
    refused(TypeError, "'args[0]' must be given with a ctypes or numpy type", ((1,), ("i4",)))
    refused(TypeError, "'args[0]' is a bare int", ((1,), (int,)))


def test_sizes_are_checked_where_the_library_can_tell():
    c.add_parameter(c_kernel, ctypes.c_size_t(4))
    c.add_parameter(c_kernel, ctypes.c_size_t(8))
    expect(4, 8)
    good = [np.int32(1), np.float64(2)]
    launch(good)
    times = c.times_asked()
    launch(good)
    assert c.times_asked() == times
    refused(
        ValueError, "'args[1]' has 4 bytes, the kernel's parameter 8", [np.int32(1), np.float32(2)]
    )
    refused(ValueError, "'args' holds 1 values, the kernel takes 2", good[:1])
    refused(ValueError, "'args' holds 3 values, the kernel takes 2", good + good[:1])
    refused(ValueError, "'args[0]' has 8 bytes", ((1, 2), (ctypes.c_void_p, ctypes.c_double)))
    assert int(cuda.cudaGetLastError()) == 0


def test_an_address_may_be_another_kernel_by_now():
    """Known parameter sizes of an address are not trusted once another kernel may lie there."""
    c.add_parameter(c_kernel, ctypes.c_size_t(4))
    expect()
    launch([np.int32(1)])
    c.remove_kernel(c_kernel)
    c.add_parameter(c_kernel, ctypes.c_size_t(8))
    launch([np.int64(1)])
    refused(ValueError, "'args[0]' has 4 bytes", [np.int32(1)])


def test_what_is_known_of_kernels_ends_with_their_library():
    c.add_parameter(c_kernel, ctypes.c_size_t(4))
    expect()
    launch([np.int32(1)])
    cuda.cudaLibraryUnload(0xF000)
    c.remove_kernel(c_kernel)
    c.add_parameter(c_kernel, ctypes.c_size_t(8))
    refused(ValueError, "'args[0]' has 4 bytes", [np.int32(1)])


def test_a_kernel_without_parameters_is_asked_for_once():
    expect()
    launch([], OTHER)
    times = c.times_asked()
    launch([], OTHER)
    launch((), OTHER)
    assert c.times_asked() == times


def test_scalars_are_read_the_same_the_second_time():
    """Where a type's bytes lie is learnt from the type's first value."""
    for kind in sorted({*np.sctypeDict.values(), np.bool_}, key=str):
        if np.dtype(kind).kind not in "biufc":
            continue
        size = np.dtype(kind).itemsize
        for value in (kind(1), kind(3), kind(0)):
            expect(size)
            assert launch([value]) == [value.tobytes()], kind


def test_scalars_of_ctypes_are_read_the_same_the_second_time():
    class Own(ctypes.c_int16):
        pass

    places = bytearray(range(1, 65))
    kinds = {getattr(ctypes, name) for name in dir(ctypes) if name.startswith("c_")}
    kinds = {kind for kind in kinds if isinstance(kind, type) and "char" not in kind.__name__}
    for kind in sorted({*kinds, Own}, key=str):
        size = ctypes.sizeof(kind)
        moved = kind(5)
        ctypes.resize(moved, 4096)
        for value in (kind(1), kind(3), kind.from_buffer(places, 16), kind(0), moved):
            expect(size)
            if value is moved and kind is Own:
                continue  # was resized: a value of a subclass may have any number of bytes
            assert launch([value]) == [bytes(value)[:size]], kind


def test_scalars_are_read_the_same_beside_other_values():
    """A few scalars alone are copied at once. A large scalar or any other value prevents that."""
    small, large = np.int16(3), np.complex128(1 + 2j)
    for other, size, wanted in ((DeviceArray(), 8, ADDRESS), (large, 16, large.tobytes())):
        scalars = [np.int32(1), ctypes.c_double(2), small]
        for _ in range(2):  # in the second turn all types are known
            for at in range(4):
                pieces = [struct.pack("<i", 1), struct.pack("<d", 2), struct.pack("<h", 3)]
                expect(*[4, 8, 2][:at], size, *[4, 8, 2][at:])
                given = [*scalars[:at], other, *scalars[at:]]
                assert launch(given) == [*pieces[:at], wanted, *pieces[at:]]


def test_many_values():
    """From 17 values on, they lie in memory of their own."""
    for count in (16, 17, 40):
        values = [np.int64(at) if at % 3 else ctypes.c_int64(at) for at in range(count)]
        expect(*[8] * count)
        for _ in range(2):
            assert launch(values) == [struct.pack("<q", at) for at in range(count)]


def test_a_list_may_change_while_it_is_read():
    class Changes(DeviceArray):
        @property
        def __cuda_array_interface__(self):
            values.clear()
            return {"data": (4096, False), "shape": (4,), "typestr": "<f4", "version": 3}

        @__cuda_array_interface__.setter
        def __cuda_array_interface__(self, value):
            pass

    values = [Changes(), np.int32(7)]
    expect(8, 4)
    assert launch(values) == [struct.pack("<Q", 4096), struct.pack("<i", 7)]


def test_no_check_where_nothing_is_known():
    expect()
    launch([np.int32(1)], OTHER)
    assert int(cuda.cudaGetLastError()) == 0


def test_asking_for_sizes_leaves_the_last_error():
    c.add_parameter(c_kernel, ctypes.c_size_t(4))
    c.set_last_error(700)
    refused(ValueError, "'args[0]' has 8 bytes", [np.int64(1)])
    assert int(cuda.cudaGetLastError()) == 700


def test_kernels_are_handles_addresses_or_ctypes_functions():
    expect()
    launch([], cuda.cudaKernel_t(0xABC000))
    assert c.function_seen() == 0xABC000
    launch([], cuda.cudaFunction_t(0xABC100))
    assert c.function_seen() == 0xABC100
    launch([], c.cudaGetLastError)
    assert c.function_seen() == ctypes.cast(c.cudaGetLastError, ctypes.c_void_p).value
    refused(
        TypeError,
        "'func' must be a kernel, a function or an address",
        [],
        cuda.cudaStream_t(0x5000),
    )
    refused(TypeError, "'func'", [], "name")


def test_everything_lives_until_the_call_returns_and_no_longer():
    class Scalar(ctypes.c_int):
        pass

    expect(4)
    args = [Scalar(6)]
    gone = weakref.ref(args[0])
    assert launch(args) == [struct.pack("<i", 6)]
    del args
    gc.collect()
    assert gone() is None

    class Shrinks:  # empties the list while it is read
        @property
        def __cuda_array_interface__(self):
            args.clear()
            gc.collect()
            return DeviceArray().__cuda_array_interface__

    args = [Shrinks(), np.int32(3)]
    expect(8, 4)
    assert launch(args) == [ADDRESS, struct.pack("<i", 3)]


def test_the_extended_launch():
    expect(4)
    config = cuda.cudaLaunchConfig_t(gridDim=1, blockDim=32)
    assert int(cuda.cudaLaunchKernelExC(config, KERNEL, [np.int32(2)])) == 0
    assert seen() == [struct.pack("<i", 2)]


def test_hip_takes_arguments_packed_into_one_buffer():
    def launch(params, extra):
        return int(
            hip.hipModuleLaunchKernel(
                0x1000, 1, 1, 1, 32, 1, 1, 0, 0, kernelParams=params, extra=extra
            )
        )

    packed = struct.pack("<if", 1, 2.5)
    for extra in (packed, bytearray(packed), np.frombuffer(packed, np.uint8), Pair(1, 2.5)):
        assert launch(None, extra) == 0
        assert seen() == [bytes(extra)]
    expect(4)
    assert launch([np.int32(8)], None) == 0
    assert seen() == [struct.pack("<i", 8)]
    size = ctypes.c_size_t(len(packed))
    held = ctypes.create_string_buffer(packed, len(packed))
    words = (ctypes.c_void_p * 5)(1, ctypes.addressof(held), 2, ctypes.addressof(size), 3)
    assert launch(None, ctypes.addressof(words)) == 0
    assert c.pointers_seen() == ctypes.addressof(words)
    for wrong in ("text", 1.5, [packed], DeviceArray()):
        with pytest.raises(TypeError, match="'extra' must be a buffer of packed arguments"):
            launch(None, wrong)
