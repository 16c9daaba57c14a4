"""Kernels that run as functions, registered by PyGPU.host.kernel()."""

from __future__ import annotations

import ctypes
import gc
import mmap
import sys
import threading
import weakref

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.host.device_code import (
    CUBIN,
    LZ4,
    PTX,
    Dim,
    compiled,
    fat_binary,
    program,
)
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host")

SOURCE = """
struct Pair { double first; char second; };
extern "C" __global__ void saxpy(float a, const float *x, float *y, unsigned long long n) {}
extern "C" __global__ void none() {}
extern "C" __global__ void kinds(char a, short b, int c, long long d, float e, double f, Pair g,
                                 bool h) {}
template <class T> __global__ void scale(T *values, int count) {}
template __global__ void scale<float>(float *, int);
"""
SCALE = "_Z5scaleIfEvPT_i"
NO_FUNCTION = "PyGPU.host.kernel() has registered no function for it; PTX can be run"


def floats(pointer: int, count: int) -> np.ndarray:
    """Device memory as a kernel sees it."""
    return np.ctypeslib.as_array((ctypes.c_float * count).from_address(pointer))


def saxpy(grid, block, a, x, y, n):
    floats(y, n)[:] += a * floats(x, n)


def test_a_launch_runs_the_function_once_with_the_types_of_ptx():
    x = np.arange(100, dtype=np.float32)
    device_x, device_y = PyGPU.to_gpu(x), PyGPU.to_gpu(x + 1)
    launches = []

    def counted(grid, block, *arguments):
        launches.append((grid, block, threading.get_ident(), [*map(type, arguments)]))
        saxpy(grid, block, *arguments)

    with (
        program(fat_binary((PTX, compiled(SOURCE))), "saxpy") as one,
        host.kernel("saxpy", counted),
    ):
        values = (
            ctypes.c_float(2),
            ctypes.c_void_p(int(device_x.gpudata)),
            ctypes.c_void_p(int(device_y.gpudata)),
            ctypes.c_uint64(100),
        )
        assert one.launch("saxpy", (2, 3, 1), (32, 1, 1), *values) == 0
        values[0].value = 7  # the value was copied before
        assert np.array_equal(device_y.get(), 2 * x + x + 1)
    ((grid, block, thread, types),) = launches
    assert (grid, block, types) == ((2, 3, 1), (32, 1, 1), [float, int, int, int])
    assert thread != threading.get_ident()


@pytest.mark.parametrize("name", [SCALE, "scale<float>", "void scale<float>(float*, int)"])
def test_a_kernel_is_known_by_each_of_its_names(name):
    calls = []
    with program(fat_binary((CUBIN, compiled(SOURCE, "sm_90"))), SCALE, "none") as one:
        parameters = [ctypes.c_void_p, ctypes.c_int]
        with host.kernel(name, lambda *arguments: calls.append(arguments), parameters):
            assert (
                one.launch(SCALE, (1, 1, 1), (4, 1, 1), ctypes.c_void_p(64), ctypes.c_int(5)) == 0
            )
            assert one.launch("none", (1, 1, 1), (4, 1, 1)) == 209
        assert one.launch(SCALE, (1, 1, 1), (4, 1, 1), ctypes.c_void_p(), ctypes.c_int()) == 209
    PyGPU.checked.cudaDeviceSynchronize()
    assert calls == [((1, 1, 1), (4, 1, 1), 64, 5)]


class Pair(ctypes.Structure):
    _fields_ = [("first", ctypes.c_double), ("second", ctypes.c_char)]


KINDS = [
    ctypes.c_char, np.int16, ctypes.c_int, np.dtype("i8"),
    ctypes.c_float, np.float64, Pair, ctypes.c_bool,
]  # fmt: skip


@pytest.mark.parametrize("kind", [PTX, CUBIN], ids=["ptx", "cubin"])
def test_arguments_come_as_the_parameters_say(kind):
    image = compiled(SOURCE, "compute_90" if kind == PTX else "sm_90")
    calls = []
    pair = Pair(2.5, b"p")
    values = (
        ctypes.c_char(b"c"), ctypes.c_short(-2), ctypes.c_int(-3), ctypes.c_longlong(-4),
        ctypes.c_float(0.5), ctypes.c_double(0.25), pair, ctypes.c_bool(True),
    )  # fmt: skip
    with program(fat_binary((kind, image)), "kinds") as one, host.reports() as reports:

        def launch(*parameters):
            with host.kernel(
                "kinds", lambda grid, block, *arguments: calls.extend(arguments), *parameters
            ):
                code = one.launch("kinds", (1, 1, 1), (1, 1, 1), *values)
                PyGPU.checked.cudaDeviceSynchronize()
                return code

        assert launch(KINDS) == 0
        said = calls[6]
        assert (said.first, said.second) == (2.5, b"p")
        assert [*calls[:6], calls[7]] == [b"c", -2, -3, -4, 0.5, 0.25, True]
        assert type(calls[1]) is np.int16
        calls.clear()
        if kind == PTX:
            assert launch() == 0
            assert calls[:6] == [99, 65534, 4294967293, (1 << 64) - 4, 0.5, 0.25]
            assert (calls[6], calls[7]) == (bytes(pair), 1)
        else:  # a cubin has only sizes
            assert launch() == 801
            assert "the types of its parameters" in reports[-1]
        assert launch(KINDS[:-1]) == 1, "the device code has one more"
        assert "other parameters" in reports[-1]
    with pytest.raises(TypeError, match="types of ctypes or numpy"):
        host.kernel("kinds", print, [None])
    with pytest.raises(TypeError, match="not float"):
        host.kernel("kinds", 1.5)
    with pytest.raises(TypeError, match="not int"):
        host.kernel(3, print)


def test_a_function_of_c_gets_pointers_to_copies():
    """It is given as a ctypes function and as an address. Here ctypes makes the C function."""
    calls = []
    dimensions = ctypes.POINTER(ctypes.c_uint)
    form = ctypes.CFUNCTYPE(None, dimensions, dimensions, ctypes.POINTER(ctypes.c_void_p))

    @form
    def scale(grid, block, arguments):
        count = ctypes.c_int.from_address(arguments[1]).value
        calls.append((grid[:3], block[:3], ctypes.c_void_p.from_address(arguments[0]).value, count))

    for kind, architecture in ((PTX, "compute_90"), (CUBIN, "sm_90")):
        image = compiled(SOURCE, architecture)
        for function in (scale, ctypes.cast(scale, ctypes.c_void_p).value):
            with program(fat_binary((kind, image)), SCALE) as one, host.kernel(SCALE, function):
                code = one.launch(
                    SCALE, (3, 2, 1), (4, 5, 6), ctypes.c_void_p(64), ctypes.c_int(-5)
                )
                assert code == 0
    PyGPU.checked.cudaDeviceSynchronize()
    assert calls == [([3, 2, 1], [4, 5, 6], 64, -5)] * 4


def test_launches_run_in_the_order_of_streams_and_events():
    gpu, done = PyGPU.checked, []
    first, second = (gpu.cudaStreamCreateWithFlags(1) for _ in range(2))
    event = gpu.cudaEventCreate()
    with program(fat_binary((PTX, compiled(SOURCE))), SCALE) as one:
        kernel = host.kernel(SCALE, lambda grid, block, values, count: done.append(count))
        with host.pause(first):
            for count, stream in ((1, first), (2, first), (3, second)):
                if count == 3:
                    gpu.cudaEventRecord(event, first)
                    gpu.cudaStreamWaitEvent(second, event)
                arguments = (ctypes.c_void_p(), ctypes.c_int(count))
                assert one.launch(SCALE, (1, 1, 1), (1, 1, 1), *arguments, stream=stream) == 0
            kernel.remove()
            assert not done
            assert not gpu.cudaStreamQuery(second)
            # Queued launches still run the function. A new launch doesn't find it, and runs the
            # kernel's PTX.
            assert one.launch(SCALE, (1, 1, 1), (1, 1, 1), *arguments, stream=first) == 0
        gpu.cudaStreamSynchronize(second)
    assert done == [1, 2, 3]


def test_a_removed_function_is_let_go_after_its_last_launch():
    class Function:
        def __call__(self, grid, block):
            pass

    function = Function()
    gone = weakref.ref(function)
    stream = PyGPU.checked.cudaStreamCreate()
    with program(fat_binary((PTX, compiled(SOURCE))), "none") as one:
        kernel = host.kernel("none", function)
        with host.pause(stream):
            assert one.launch("none", (1, 1, 1), (1, 1, 1), stream=stream) == 0
            kernel.remove()
            kernel.remove()
            del function, kernel
            gc.collect()
            assert gone() is not None
        PyGPU.checked.cudaStreamSynchronize(stream)
    PyGPU.checked.cudaStreamDestroy(stream)
    gc.collect()
    assert gone() is None


def test_the_latest_function_counts_and_a_decorator_registers():
    calls = []

    @host.kernel("none")
    def none(grid, block):
        calls.append("decorated")

    with program(fat_binary((PTX, compiled(SOURCE))), "none") as one:
        with host.kernel("none", lambda grid, block: calls.append("later")):
            one.launch("none", (1, 1, 1), (1, 1, 1))
        one.launch("none", (1, 1, 1), (1, 1, 1))
    PyGPU.checked.cudaDeviceSynchronize()
    none((1, 1, 1), (1, 1, 1))
    assert calls == ["later", "decorated", "decorated"]


def test_an_exception_goes_to_the_hook_and_the_stream_goes_on():
    seen, calls = [], []
    sys.unraisablehook = lambda what: seen.append(what.exc_value)

    def fails(grid, block):
        calls.append(int(PyGPU.cudaDeviceSynchronize()))
        raise LookupError("of the user's")

    with program(fat_binary((PTX, compiled(SOURCE))), "none") as one, host.kernel("none", fails):
        assert one.launch("none", (1, 1, 1), (1, 1, 1)) == 0
        assert one.launch("none", (1, 1, 1), (1, 1, 1)) == 0
        PyGPU.checked.cudaDeviceSynchronize()
    assert [*map(str, seen)] == ["of the user's"] * 2
    assert calls == [800, 800], "no kernel may call the runtime"


def test_what_can_not_be_launched_says_why():
    ptx = compiled(SOURCE)
    with host.reports() as reports, host.kernel("none", print), host.kernel(SCALE, print):
        with program(fat_binary((PTX, ptx), flags=LZ4, size=0), "none") as one:
            assert one.launch("none", (1, 1, 1), (1, 1, 1)) == 801
            assert "doesn't tell its parameters" in reports[-1]
        with program(fat_binary((PTX, ptx)), "none", SCALE, "saxpy") as one:
            for grid, block in (
                ((0, 1, 1), (1, 1, 1)),
                ((1, 65536, 1), (1, 1, 1)),
                ((1, 1, 1), (1025, 1, 1)),
                ((1, 1, 1), (32, 32, 2)),
                ((1, 1, 1), (1, 1, 65)),
            ):
                assert one.launch("none", grid, block) == 9
            assert one.launch("none", (1, 1, 1), (1, 1, 1), shared=1 << 20) == 1
            assert one.launch("none", (1, 1, 1), (1, 1, 1), stream=12345) == 201
        with program(fat_binary((CUBIN, compiled(SOURCE, "sm_90"))), "saxpy", "f") as one:
            assert one.launch("saxpy", (1, 1, 1), (1, 1, 1)) == 209
            assert reports[-1].startswith("PyGPU host runtime: saxpy: ")
            assert NO_FUNCTION in reports[-1]
            assert one.launch("f", (1, 1, 1), (1, 1, 1)) == 801, "not in the binary"
            assert reports[-1].startswith("PyGPU host runtime: f: "), "as mangled it means float"
        with program(fat_binary((PTX, ptx)), SCALE) as one:
            missing = one.call(
                "cudaLaunchKernel", one.function(SCALE), *[Dim(1, 1, 1)] * 2, *[None] * 3
            )
            assert missing == 1, "no arguments"


@pytest.mark.parametrize("paused", [True, False])
def test_the_interpreter_ends_with_launches_queued(paused):
    """No Python function runs once the interpreter is ending."""
    started = threading.Event()

    def waits(grid, block):
        started.set()

    stream = PyGPU.checked.cudaStreamCreate()
    with program(fat_binary((PTX, compiled(SOURCE))), "none") as one:
        host.kernel("none", waits)
        pause = host.pause(stream) if paused else None
        for _ in range(100):
            assert one.launch("none", (1, 1, 1), (1, 1, 1), stream=stream) == 0
    if not paused:
        assert started.wait(20)
    one.pause = pause


def at_the_end_of_pages(data: bytes) -> ctypes.Array:
    """A copy of the data that ends at the end of a mapped page, before unmapped memory."""
    size = -(-len(data) // mmap.PAGESIZE) * mmap.PAGESIZE
    pages = mmap.mmap(-1, size + mmap.PAGESIZE)
    last = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(pages, size)))
    assert ctypes.CDLL(None).mprotect(last, ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    copy = (ctypes.c_char * len(data)).from_buffer(pages, size - len(data))
    copy.raw = bytes(data)
    return copy


@pytest.mark.parametrize("kind", [PTX, CUBIN], ids=["ptx", "cubin"])
def test_no_damaged_image_is_read_beyond_its_end(kind):
    whole = fat_binary((kind, compiled(SOURCE, "compute_90" if kind == PTX else "sm_90")))
    random = np.random.default_rng(5)
    codes = set()
    with host.reports(), host.kernel("none", print):
        for turn in range(400):
            damaged = bytearray(whole)
            if turn:  # a few bytes anywhere, most often where headers are
                for at in random.integers(0, (100, len(whole))[turn % 2], turn % 7 + 1):
                    damaged[at] = random.integers(0, 256)
            with program(at_the_end_of_pages(damaged), "none") as one:
                codes.add(one.launch("none", (1, 1, 1), (1, 1, 1)))
    assert 801 in codes
    assert codes <= {0, 1, 801}
