"""PyGPU.host: injected faults, pauses, reports, leaks; each test in an interpreter of its own."""

from __future__ import annotations

import ctypes
import itertools
import mmap
import os
import signal
import sys
import threading
from functools import partial
from operator import methodcaller

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.host.device_code import program
from tests.own_interpreter import AT_EXIT, own_interpreter


def next_line() -> str:
    """The place of the line after the caller's, as reports show it."""
    return f"{__file__}:{sys._getframe(1).f_lineno + 1}"


@own_interpreter("on_host")
def test_the_kth_call_fails_once():
    with host.fail("cudaMalloc", call=2, error=PyGPU.cudaErrorMemoryAllocation) as fault:
        codes = [int(PyGPU.cudaMalloc(64)[1]) for _ in range(4)]
    assert codes == [0, 2, 0, 0], codes
    assert fault.struck == 1
    assert int(PyGPU.cudaGetLastError()) == 2
    assert int(PyGPU.cudaMalloc(64)[1]) == 0


@own_interpreter("on_host")
def test_a_function_fails_for_as_long_as_wanted():
    with host.fail("cudaMemcpy", error=1, times=None) as fault:
        for _ in range(3):
            assert int(PyGPU.cudaMemcpy(0, 0, 0, 1)) == 1
    assert fault.struck == 3
    assert int(PyGPU.cudaMemcpy(0, 0, 0, 1)) == 0
    with host.fail("*", call=3, error=46, times=2):
        codes = [int(PyGPU.cudaFree(0)) for _ in range(5)]
    assert codes == [0, 0, 46, 46, 0], codes


@own_interpreter("on_host", PYGPU_HOST_FAIL="cudaMalloc:3:2,cudaStreamCreate:2:46")
def test_a_fault_by_environment():
    assert [int(PyGPU.cudaMalloc(64)[1]) for _ in range(3)] == [0, 0, 2]
    assert int(PyGPU.cudaStreamCreate()[1]) == 0
    assert int(PyGPU.cudaStreamCreate()[1]) == 46


@own_interpreter("on_host", PYGPU_HOST_FAIL="cudaMalloc:2:2:0")
def test_a_fault_by_environment_may_strike_for_ever():
    assert [int(PyGPU.cudaMalloc(64)[1]) for _ in range(4)] == [0, 2, 2, 2]


def memory_of_the_default_device():
    assert PyGPU.checked.cudaGetDeviceCount() == 1
    assert int(PyGPU.cudaMalloc(64)[1]) == 0


def test_a_variable_that_is_not_understood_is_told(on_host):
    done = on_host(
        memory_of_the_default_device,
        PYGPU_HOST_FAIL="cudaMallok:1:2,cudaMalloc:0:2,cudaMalloc:1,cudaMalloc:1:x",
        PYGPU_HOST_DEVICES="many",
        PYGPU_HOST_MEMORY="much",
    )
    lines = done.stderr.splitlines()
    assert len(lines) == 6, lines
    assert all("is ignored" in line for line in lines), lines
    assert any("PYGPU_HOST_FAIL" in line and "cudaMallok:1:2" in line for line in lines)


NONSENSE = {
    "PYGPU_HOST_MEMORY": (
        "nan", "inf", "-1", "0", "1e30", "1GiBs", "5 5", "0x10", "G", "1.5.2M", "9E", "infG", " ",
        "1.5", "1.5B", "4096.25", "1e6", "1E6", " 1G", "1G ", "1  G", "-1G", "+1G", "1,5G", "1iB",
    ),
    "PYGPU_HOST_DEVICES": (
        "-1", "65", "1.5", "2x", "99999999999999999999", "0x1", " 1", "nan", "-0", "+1", "1 ",
    ),
    "PYGPU_HOST_TIMEOUT": ("-1", "1.5", "x", "99999999999", " ", "-0", "10s"),
    "PYGPU_HOST_CAPABILITY": (
        "9", "9.10", "0.5", "8.-1", "100.0", "a.b", "8.0.0", ".", "sm_80", "8.-0", "+8.0", "8. 0",
    ),
    "PYGPU_HOST_PROFILE": ("H200", "h200 ", "b200", "0"),
    "PYGPU_HOST_STRICT": ("maybe", "2", "-1"),
    "PYGPU_HOST_LEAKS": ("maybe", "01", "1 "),
    "PYGPU_HOST_CHECK": ("yes", "on", "true", " 1"),
    "PYGPU_HOST_FAIL": (
        "cudaMalloc:-1:2", "cudaMalloc:1:-2", "cudaMalloc:1:99999999999", "cudaMalloc:1:2:-3",
        "cudaMalloc:1:0", "cudaMalloc:1:2:3:4", "cudaMalloc", ":", "cudaMalloc:1 :2",
        "cudaMalloc:1:2:", "cudaMalloc:1:2:3:", "cudaMalloc:1.5:2", "cudaMalloc:1:2 ",
    ),
}  # fmt: skip


# Forks a process for each value. The process asks for device memory.
def for_each_value(path, variable, *values):
    library, free, total = ctypes.CDLL(path), ctypes.c_size_t(), ctypes.c_size_t()
    for value in values:
        child = os.fork()
        if not child:
            os.environ[variable] = value
            code = library.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total))
            print(total.value, flush=True)
            os._exit(code)
        assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("variable", NONSENSE)
def test_nonsense_is_refused_with_what_was_expected(python, host_library, variable):
    done = python(for_each_value, str(host_library), variable, *NONSENSE[variable])
    lines = done.stderr.splitlines()
    expected = [f'{variable}: "{one}" is ignored, for it is not ' for one in NONSENSE[variable]]
    assert len(lines) == len(expected)
    assert [text for text, line in zip(expected, lines, strict=True) if text not in line] == []
    assert len(set(done.stdout.split())) == 1, "as if nothing had been set"


def test_a_size_may_have_a_unit(python, host_library):
    sizes = {
        "1048576": 1 << 20,
        "1MiB": 1 << 20,
        "0.5G": 1 << 29,
        "64 kB": 1 << 16,
        "4096.0": 4096,
        "1048576 B": 1 << 20,
        "1Gi": 1 << 30,
        "0.25T": 1 << 38,
        "1.5m": 3 << 19,
    }
    done = python(for_each_value, str(host_library), "PYGPU_HOST_MEMORY", *sizes)
    assert ([int(line) for line in done.stdout.split()], done.stderr) == ([*sizes.values()], "")


@own_interpreter("on_host")
def test_a_fatal_error_stays_until_the_reset():
    with host.fail("cudaDeviceSynchronize", error=700):
        assert int(PyGPU.cudaDeviceSynchronize()) == 700
    assert int(PyGPU.cudaMalloc(64)[1]) == 700
    assert int(PyGPU.cudaGetLastError()) == 700
    assert int(PyGPU.cudaGetLastError()) == 700
    assert int(PyGPU.cudaDeviceReset()) == 0
    assert int(PyGPU.cudaMalloc(64)[1]) == 0


@own_interpreter("on_host")
def test_an_unknown_function_is_a_mistake():
    with pytest.raises(ValueError, match="cudaMallok"), host.fail("cudaMallok"):
        pass


def add(x):
    return x


MISTAKES = {
    "call": (lambda: host.fail("cudaMalloc", call=2**64), OverflowError, "'call' = 18446"),
    "error": (lambda: host.fail("cudaMalloc", error=2**32), OverflowError, "'error' = 4294967296"),
    "times": (lambda: host.fail("cudaMalloc", times=1.0), TypeError, "'times' must be an int"),
    "no name": (lambda: host.fail(5), TypeError, "'function' must be a str, not int"),
    "stream": (lambda: host.pause(2**64), OverflowError, "'stream' = 18446744073709551616"),
    "stream below 0": (lambda: host.pause(-1), OverflowError, "'stream' = -1"),
    "NUL": (lambda: host.kernel("k\0other", add), ValueError, "'name' has a NUL"),
    "address": (lambda: host.kernel("k", 1 << 70), OverflowError, "'function' = 11805"),
    "types": (lambda: host.kernel("k", add, 5), TypeError, "'parameters' must be a sequence"),
    "no size": (lambda: host.kernel("k", add, [ctypes.Structure]), TypeError, "ctypes or numpy"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@own_interpreter("on_host")
def test_nothing_is_cut_to_what_c_takes(mistake):
    """ctypes would: a number modulo 2^64, a name at its NUL."""
    call, error, said = MISTAKES[mistake]
    with pytest.raises(error, match=said), call():
        pass


@own_interpreter("on_host")
def test_a_paused_stream_is_not_ready():
    stream, other = PyGPU.cudaStream_t(flags=1), PyGPU.cudaStream_t(flags=1)
    p = PyGPU.check(PyGPU.cudaMalloc(64))
    event = PyGPU.cudaEvent_t()
    with host.pause(stream):
        PyGPU.check(PyGPU.cudaMemsetAsync(p, 7, 64, stream))
        PyGPU.check(PyGPU.cudaEventRecord(event, stream))
        assert int(PyGPU.cudaStreamQuery(stream)) == 600
        assert int(PyGPU.cudaEventQuery(event)) == 600
        assert int(PyGPU.cudaStreamQuery(other)) == 0
        PyGPU.check(PyGPU.cudaStreamWaitEvent(other, event, 0))
        assert int(PyGPU.cudaStreamQuery(other)) == 600
    PyGPU.check(PyGPU.cudaStreamSynchronize(other))
    back = np.zeros(64, np.uint8)
    PyGPU.check(PyGPU.cudaMemcpy(back, p, 64, 2))
    assert (back == 7).all()


@own_interpreter("on_host")
def test_the_default_stream_waits_for_a_paused_blocking_stream():
    blocking, free = PyGPU.cudaStream_t(), PyGPU.cudaStream_t(flags=1)
    p = PyGPU.check(PyGPU.cudaMalloc(64))
    paused = host.pause(blocking)
    PyGPU.check(PyGPU.cudaMemsetAsync(p, 1, 64, blocking))
    PyGPU.check(PyGPU.cudaMemsetAsync(p, 2, 64, 0))
    PyGPU.check(PyGPU.cudaMemsetAsync(p, 3, 64, free))
    assert int(PyGPU.cudaStreamQuery(0)) == 600
    PyGPU.check(PyGPU.cudaStreamSynchronize(free))
    paused.resume()
    PyGPU.check(PyGPU.cudaDeviceSynchronize())
    assert int(PyGPU.cudaStreamQuery(0)) == 0


@own_interpreter("on_host")
def test_misuse_is_reported_with_its_place():
    with host.reports() as reports:
        origin = f"made by cudaMalloc at {next_line()}"
        p = PyGPU.check(PyGPU.cudaMalloc(64))
        assert int(PyGPU.cudaMemset(p, 0, 65)) == 1
        freed = f"freed by cudaFree at {next_line()}"
        PyGPU.check(PyGPU.cudaFree(p))
        assert int(PyGPU.cudaFree(p)) == 1
        assert int(PyGPU.cudaFree(12345)) == 1
        s = int(PyGPU.check(PyGPU.cudaStreamCreate()))
        PyGPU.check(PyGPU.cudaStreamDestroy(s))
        assert int(PyGPU.cudaStreamSynchronize(s)) != 0
    assert len(reports) == 4, reports
    assert "cudaMemset" in reports[0] and "beyond the end" in reports[0]
    assert "64 bytes of device memory" in reports[0]
    assert origin in reports[0]
    assert "cudaFree" in reports[1] and "freed before" in reports[1] and hex(p) in reports[1]
    assert origin in reports[1] and freed in reports[1]
    assert "unknown pointer" in reports[2]
    assert "not a stream" in reports[3]
    assert PyGPU.cudaFree(12345) == 1
    assert len(reports) == 4


@own_interpreter("on_host")
def test_a_report_leaves_the_interrupt_to_the_program():
    """The signal comes in C; the report after it is whole, and then KeyboardInterrupt is raised."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    c_raise = getattr(ctypes.CDLL(None), "raise")
    p = PyGPU.check(PyGPU.cudaMalloc(64))
    PyGPU.check(PyGPU.cudaFree(p))
    calls = partial(c_raise, signal.SIGINT), partial(PyGPU.cudaFree, p)
    with host.reports() as reports, pytest.raises(KeyboardInterrupt):
        list(map(methodcaller("__call__"), calls))  # no Python code runs between the two
    assert len(reports) == 1, reports
    assert "freed before" in reports[0] and f"called at {__file__}" in reports[0]


@own_interpreter("on_host")
def test_freeing_what_queued_work_uses_is_reported():
    with host.reports() as reports:
        p, s = PyGPU.check(PyGPU.cudaMalloc(64)), PyGPU.cudaStream_t()
        paused = host.pause(s)
        PyGPU.check(PyGPU.cudaMemsetAsync(p, 0, 64, s))
        # Freeing waits for the stream, as on a card. So another thread frees.
        thread = threading.Thread(target=PyGPU.cudaFree, args=(p,))
        thread.start()
        while not reports:
            pass
        paused.resume()
        thread.join()
    assert "queued work still uses" in reports[0], reports


@own_interpreter("on_host")
def test_a_free_in_stream_order_that_another_stream_does_not_know_of_is_reported():
    gpu = PyGPU.checked
    with host.reports() as reports:
        ours, side = PyGPU.cudaStream_t(flags=1), PyGPU.cudaStream_t(flags=1)
        event = PyGPU.cudaEvent_t()
        origin = f"made by cudaMallocAsync at {next_line()}"
        p, q = gpu.cudaMallocAsync(64, ours), gpu.cudaMallocAsync(64, ours)
        with host.pause(side):
            gpu.cudaMemsetAsync(q, 1, 64, side)
            gpu.cudaEventRecord(event, side)
            gpu.cudaMemsetAsync(p, 1, 64, side)
            gpu.cudaFreeAsync(p, ours)
            gpu.cudaStreamSynchronize(ours)
            # This stream waits, as it should.
            gpu.cudaStreamWaitEvent(ours, event)
            gpu.cudaFreeAsync(q, ours)
        gpu.cudaDeviceSynchronize()
    assert len(reports) == 1, reports
    assert "cudaFreeAsync" in reports[0] and hex(p) in reports[0] and "another stream" in reports[0]
    assert origin in reports[0]


@own_interpreter("on_host")
def test_fresh_and_freed_memory_have_patterns():
    p = PyGPU.check(PyGPU.cudaMalloc(256))
    assert ctypes.string_at(p, 256) == b"\xcb" * 256
    PyGPU.check(PyGPU.cudaFree(p))
    assert ctypes.string_at(p, 256) == b"\xdd" * 256


@own_interpreter("on_host")
def test_large_memory_has_patterns_at_both_ends_and_everywhere_in_strict_mode():
    for size in (9000, 3 << 20, 65 << 20):
        for _ in range(8):  # new memory, and memory that is used again
            p = PyGPU.check(PyGPU.cudaMalloc(size))
            ends = ctypes.string_at(p, 4096), ctypes.string_at(p + size - 4096, 4096)
            assert ends == (b"\xcb" * 4096,) * 2
            PyGPU.check(PyGPU.cudaMemset(p, 7, size))
            PyGPU.check(PyGPU.cudaFree(p))
    host.strict()
    p = PyGPU.check(PyGPU.cudaMalloc(3 << 20))
    assert ctypes.string_at(p, 3 << 20) == b"\xcb" * (3 << 20)


@own_interpreter("on_host")
def test_writes_to_freed_memory_are_found():
    with host.reports() as reports:
        p = PyGPU.check(PyGPU.cudaMalloc(4096))
        PyGPU.check(PyGPU.cudaFree(p))
        ctypes.memset(p + 100, 1, 1)
        for _ in range(32):
            PyGPU.check(PyGPU.cudaFree(PyGPU.check(PyGPU.cudaMalloc(1 << 20))))
    assert len(reports) == 1 and "byte 100 of 4096" in reports[0], reports


@own_interpreter("on_host")
def test_ordinary_memory_where_device_memory_was_is_ordinary():
    gpu, size, back = PyGPU.checked, 40 << 20, np.zeros(64, np.uint8)
    held = [gpu.cudaMalloc(size) for _ in range(12)]
    for p in held:
        gpu.cudaFree(p)
    # More than is kept: some addresses went back to the system, and ordinary arrays may get them.
    arrays = [np.empty(size, np.uint8) for _ in range(12)]
    inside = [a for a in arrays if any(p <= a.ctypes.data < p + size for p in held)]
    assert inside
    for array in inside:
        gpu.cudaMemcpy(back, array, 64, PyGPU.cudaMemcpyHostToHost)


def leaks_are_listed():
    assert host.leaks() == ""
    place = next_line()
    PyGPU.check(PyGPU.cudaMalloc(100))
    q = PyGPU.check(PyGPU.cudaMallocHost(200))
    assert "2 pieces of memory, 300 bytes" in host.leaks()
    assert "100 bytes of device memory" in host.leaks() and place in host.leaks()
    PyGPU.check(PyGPU.cudaFreeHost(q))


def test_leaks_are_listed(on_host):
    done = on_host(
        leaks_are_listed,
        PYGPU_HOST_LEAKS="1",
    )
    assert "1 piece of memory, 100 bytes, was not freed" in done.stderr


@own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
def test_what_arrays_leave_behind_for_later_ones_is_no_leak():
    """It keeps pools, staging buffers, pinned memory, known addresses, and what waiting needs."""

    def use(device):
        with PyGPU.device(device):
            a = PyGPU.to_gpu(np.arange(10_000.0))
            b = a.copy()
            int(b.ptr)
            stream, _pinned = PyGPU.Stream(), PyGPU.pagelocked_empty(100)
            PyGPU.Event().record(stream).synchronize()
            loop = [a]
            loop.append(loop)
            assert (b.get() == a.get()).all()

    for _ in range(2):
        for device in range(2):
            use(device)
        assert not host.leaks()
    kept = PyGPU.zeros(10, np.float32)
    assert host.leaks().count("\n") == 1 and "40 bytes of device memory" in host.leaks()
    del kept
    PyGPU.check(PyGPU.cudaMalloc(77))
    assert host.leaks().count("\n") == 1 and "77 bytes of device memory" in host.leaks()


@own_interpreter("on_host")
def test_leaks_waits_for_no_paused_stream():
    a = PyGPU.to_gpu(np.arange(100.0))
    del a
    for stream in (None, PyGPU.cudaStream_t(flags=1)):
        with host.pause(stream):
            PyGPU.check(PyGPU.cudaLaunchHostFunc(stream, print, None))
            host.leaks()
    assert not host.leaks()


def leave_memory(alive):
    a = PyGPU.to_gpu(np.arange(10_000.0))
    b, pinned = a.copy(), PyGPU.pagelocked_empty(100)
    int(b.ptr)
    if alive:
        AT_EXIT.extend([a, b, pinned])
    PyGPU.check(PyGPU.cudaMalloc(77))


@pytest.mark.parametrize("alive", [True, False])
def test_the_report_at_exit_comes_after_arrays(on_host, alive):
    done = on_host(leave_memory, alive, PYGPU_HOST_LEAKS="1")
    assert "1 piece of memory, 77 bytes, was not freed" in done.stderr


@own_interpreter("on_host", PYGPU_HOST_LEAKS="1")
def test_an_exit_with_unfinished_work_waits_for_nothing():
    AT_EXIT.append(PyGPU.to_gpu(np.arange(10.0)))
    PyGPU.check(PyGPU.cudaLaunchHostFunc(None, lambda _: threading.Event().wait(), None))


ALLOCATING = {
    "cudaMalloc": (64,),
    "cudaMallocPitch": (64, 4),
    "cudaMalloc3D": ((64, 4, 3),),
    "cudaMallocManaged": (64, 1),
    "cudaHostAlloc": (64, 0),
    "cudaMallocHost": (64,),
    "cudaMallocAsync": (64, None),
    "cudaMallocArray": ((32, 0, 0, 0, 0), 16, 8, 0),
    "cudaMalloc3DArray": ((32, 0, 0, 0, 0), (16, 8, 4), 0),
    "hipMalloc": (64,),
    "hipExtMallocWithFlags": (64, 0),
}


@own_interpreter("on_host")
def test_any_allocation_fails():
    calls = [
        partial(getattr(PyGPU.hip if name.startswith("hip") else PyGPU, name), *arguments)
        for name, arguments in ALLOCATING.items()
    ]
    pool = PyGPU.checked.cudaDeviceGetDefaultMemPool(0)
    for call in [*calls, partial(PyGPU.cudaMallocFromPoolAsync, 64, pool, None)]:
        before = host.leaks()
        with host.fail("allocate") as fault:
            codes = [int(call()[-1]) for _ in range(2)]
        assert (codes, fault.struck) == ([2, 2], 2), call
        assert host.leaks() == before
    with host.fail("allocate", call=2, error=46, times=1):
        assert [int(PyGPU.cudaMallocAsync(64, None)[1]) for _ in range(3)] == [0, 46, 0]


@own_interpreter("on_host", PYGPU_HOST_FAIL="allocate:3:2")
def test_an_allocation_fails_by_environment():
    codes = [int(f(64)[1]) for f in (PyGPU.cudaMalloc, PyGPU.cudaMallocHost) * 2]
    assert codes == [0, 0, 2, 0], codes


@own_interpreter("on_host")
def test_new_memory_takes_the_place_of_host_memory_that_stayed_registered():
    """Host memory that is freed while registered is forgotten once its addresses are given anew."""
    gpu, size = PyGPU.checked, 32 << 20
    freed = mmap.mmap(-1, 8 * size)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(freed))
    registered = [begin + size // 2 + number * size for number in range(8)]
    for one in registered:
        gpu.cudaHostRegister(one, 4096, 0)
    freed.close()
    created = [int(gpu.cudaMalloc(size)) for _ in range(16)]
    there = [one for one in registered if any(base <= one < base + size for base in created)]
    assert {int(gpu.cudaPointerGetAttributes(one).type) for one in there} <= {2}, "device memory"
    assert there, "the system gave other addresses"
    for base in created:
        gpu.cudaFree(base)


WITH_A_VARIABLE = b"""
.version 7.0
.target sm_80
.address_size 64
.global .align 4 .u32 total = 3;
.visible .entry empty() { ret; }
"""


@own_interpreter("on_host")
def test_a_program_whose_variables_had_no_room_launches_later():
    """CUDA loads a kernel's code on its first launch; a launch that fails may be tried again."""
    with program(WITH_A_VARIABLE, "empty") as loaded:
        with host.fail("allocate"):
            assert loaded.launch("empty", (1, 1, 1), (1, 1, 1)) == PyGPU.cudaErrorMemoryAllocation
        assert loaded.launch("empty", (1, 1, 1), (1, 1, 1)) == 0
        assert int(PyGPU.cudaDeviceSynchronize()) == 0


@own_interpreter("on_host", PYGPU_HOST_LEAKS="1")
def test_python_runs_while_another_thread_loads_the_code_of_a_program():
    """The list of leaks needs the Python line of each allocation, so loading waits for Python."""
    launched = []

    def launch():
        launched.append(loaded.launch("empty", (1, 1, 1), (1, 1, 1)))

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)
    def locate(_text, _size):
        if not others:
            others.append(threading.Thread(target=launch, daemon=True))
            others[0].start()
            others[0].join(30)
            launched_meanwhile.extend(launched)

    launched_meanwhile: list[int] = []
    others: list[threading.Thread] = []
    with program(WITH_A_VARIABLE, "empty") as loaded:
        loaded.call("pygpu_host_set_locator", locate, result=None)
        launch()
        loaded.call("pygpu_host_set_locator", None, result=None)
        assert launched_meanwhile == [0]
        assert launched == [0, 0]
        assert int(PyGPU.cudaDeviceSynchronize()) == 0


@own_interpreter("on_host")
def test_arrays_meet_a_failing_allocation():
    make = (
        lambda: PyGPU.to_gpu(np.arange(10.0)),
        lambda: PyGPU.zeros(1 << 20, np.float32),
        lambda: PyGPU.pagelocked_empty(100),
        lambda: PyGPU.managed_empty(100),
    )
    for one in make * 2:  # in the second turn PyGPU has memory from the first
        one()
        with host.fail("allocate") as fault:
            with pytest.raises(PyGPU.GPUMemoryError) as raised:
                one()
            assert raised.value.error == PyGPU.cudaErrorMemoryAllocation
        assert fault.struck
        one()
    assert not host.leaks()


@own_interpreter("on_host")
def test_what_only_the_host_runtime_lacks_says_so():
    error = PyGPU.cudaDeviceGetNvSciSyncAttributes(0, 0, 0)
    assert int(error) == 801 and "host runtime" in error.message, error.message
    assert int(PyGPU.cudaGetLastError()) == 801
    with pytest.raises(PyGPU.GPUError, match="host runtime"):
        PyGPU.checked.cudaDeviceGetNvSciSyncAttributes(0, 0, 0)


@own_interpreter("on_host", PYGPU_HOST_MEMORY="1MiB")
def test_a_capacity_is_kept():
    free, total = PyGPU.check(PyGPU.cudaMemGetInfo())
    assert total == 1 << 20 and free == total
    p = PyGPU.check(PyGPU.cudaMalloc(1 << 19))
    assert PyGPU.check(PyGPU.cudaMemGetInfo())[0] == 1 << 19
    assert int(PyGPU.cudaMalloc((1 << 19) + 1)[1]) == 2
    PyGPU.check(PyGPU.cudaFree(p))
    PyGPU.check(PyGPU.cudaMalloc(1 << 20))


@own_interpreter("on_host", PYGPU_HOST_DEVICES="0")
def test_no_devices_by_environment():
    assert int(PyGPU.cudaGetDeviceCount()[1]) == 100
    assert int(PyGPU.cudaMalloc(64)[1]) == 100
    assert int(PyGPU.cudaStreamCreate()[1]) == 100
    assert int(PyGPU.cudaDeviceSynchronize()) == 100


@own_interpreter("on_host", PYGPU_HOST_DEVICES="3")
def test_devices_by_environment():
    assert PyGPU.checked.cudaGetDeviceCount() == 3
    assert PyGPU.checked.cudaGetDeviceProperties(2).name == "PyGPU host device 2"


def test_functions_are_listed(python):
    import subprocess
    import sys

    command = [sys.executable, "-m", "PyGPU", "host", "--functions"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = dict(line.split(maxsplit=1) for line in listed.splitlines())
    assert lines["cudaMalloc"] == lines["hipMalloc"] == "implemented"
    assert lines["cudaMemcpyAsync_ptsz"] == lines["hipMemcpyAsync_spt"] == "implemented"
    assert lines["cudaDeviceGetNvSciSyncAttributes"] == "not supported"


@own_interpreter("on_host")
def test_what_is_not_implemented_says_so():
    assert int(PyGPU.cuda.cudaDeviceGetNvSciSyncAttributes(0, 0, 0)) == 801
    assert int(PyGPU.hip.hipProfilerStart()) == 801
    assert int(PyGPU.cudaGetLastError()) == 801


def test_the_doctor_says_that_this_is_the_cpu(on_host):
    done = on_host("import runpy; runpy.run_module('PyGPU', run_name='__main__')")
    assert "this is the CPU, no GPU is in use" in done.stdout


@own_interpreter("on_host")
def test_lengths_and_places_do_not_wrap_around():
    """A driver would call them invalid, or hang. No end may wrap around into the memory."""
    a, b = (int(PyGPU.cudaMalloc(4096)[0]) for _ in range(2))
    array, _ = PyGPU.cudaMallocArray((8, 0, 0, 0, 0), 64, 8)
    large = (1 << 61, 1 << 62, 1 << 63, (1 << 64) - 1, (1 << 64) - 8)
    for much, times in itertools.product(large, (3, 9)):
        assert PyGPU.cudaMemcpy2D(a, much, b, much, 8, times, 3) == 1, (much, times)
        assert PyGPU.cudaMemset2D(a, much, 5, 8, times) == 1, (much, times)
    for much in large:
        assert PyGPU.cudaMemset(a, 5, much) == PyGPU.cudaMemcpy(a, b, much, 3) == 1, much
        assert PyGPU.cudaMemcpy2DFromArray(a, 64, array, much, 0, 16, 2, 3) == 1, much
        assert PyGPU.cudaMemcpy2DToArray(array, 0, much, a, 64, 16, 2, 3) == 1, much
        for at in ((much, 0, 0), (0, much, 0), (0, 0, much)):
            copy = {"srcArray": array, "srcPos": at, "dstPtr": (a, 64, 64, 8), "kind": 3}
            assert PyGPU.cudaMemcpy3D({**copy, "extent": (16, 2, 1)}) == 1, at
            for kind in (3, 4):  # by address: memory that no device knows is the host's
                copy = {"srcPtr": (a, 64, 64, 8), "dstPtr": (b, 64, 64, 8), "kind": kind}
                for end in ("srcPos", "dstPos"):
                    arguments = {**copy, end: at, "extent": (16, 1, 1)}
                    assert PyGPU.cudaMemcpy3D(arguments) == 1, arguments
