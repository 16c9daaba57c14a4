"""The ways of copying between host and device: which one is taken, and that each copies every byte.

The calls also promise this: queued copies return at once and keep memory alive, waiting copies can
be stopped, and the page-locked memory and the threads in use are bounded.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import signal
import sys
import threading
import weakref

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from PyGPU._core import arrays
from PyGPU._host import library
from tests.own_interpreter import IN_CHILD, own_interpreter

KIB, MIB = 1 << 10, 1 << 20

if IN_CHILD and "PYGPU_CUDA_LIBRARY" in os.environ:
    front = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"])

# size, up, pageable, strided, waits, captured, unseen, threads
TABLE = {
    "a small upload": ((256 * KIB, 1, 1, 0, 1, 0, 1, 8), "upload_ring"),
    "one byte more": ((256 * KIB + 1, 1, 1, 0, 1, 0, 1, 8), "direct"),
    "a small page-locked upload": ((64 * KIB, 1, 0, 0, 1, 0, 1, 8), "upload_ring"),
    "one byte more, page-locked": ((64 * KIB + 1, 1, 0, 0, 1, 0, 1, 8), "direct"),
    "one that has to be done": ((64 * KIB, 1, 1, 0, 1, 0, 0, 8), "direct"),
    "a small download": ((256 * KIB, 0, 1, 0, 1, 0, 0, 8), "bounce"),
    "a small download, page-locked": ((256 * KIB, 0, 0, 0, 1, 0, 0, 8), "direct"),
    "so small that nobody asks": ((16 * KIB, 0, 0, 0, 1, 0, 0, 8), "bounce"),
    "a larger download": ((256 * KIB + 1, 0, 1, 0, 1, 0, 0, 8), "pieces"),
    "by the caller alone": ((MIB, 0, 1, 0, 1, 0, 0, 1), "pieces"),
    "more than one thread may": ((MIB + 1, 0, 1, 0, 1, 0, 0, 1), "direct"),
    "on the host runtime": ((MIB, 0, 1, 0, 1, 0, 0, 0), "direct"),
    "up, below the threads'": ((512 * KIB - 1, 1, 1, 0, 1, 0, 0, 8), "direct"),
    "up, by threads": ((512 * KIB, 1, 1, 0, 1, 0, 0, 2), "pieces"),
    "down, by threads": ((2 * MIB, 0, 1, 0, 1, 0, 0, 2), "pieces"),
    "no threads to be had": ((1024 * MIB, 1, 1, 0, 1, 0, 0, 1), "direct"),
    "page-locked up": ((1024 * MIB, 1, 0, 0, 1, 0, 0, 8), "direct"),
    "page-locked down": ((1024 * MIB, 0, 0, 0, 1, 0, 0, 8), "direct"),
    "strided up": ((256 * KIB, 1, 1, 1, 1, 0, 0, 8), "bounce"),
    "strided up, larger": ((256 * KIB + 1, 1, 1, 1, 1, 0, 0, 8), "pieces"),
    "strided down": ((MIB, 0, 1, 1, 1, 0, 0, 8), "bounce"),
    "strided down, larger": ((MIB + 1, 0, 0, 1, 1, 0, 0, 1), "pieces"),
    "queued, page-locked": ((1024 * MIB, 0, 0, 0, 0, 0, 0, 8), "direct"),
    "queued up, small": ((256 * KIB, 1, 1, 0, 0, 0, 0, 8), "bounce"),
    "queued up": ((256 * KIB + 1, 1, 1, 0, 0, 0, 0, 8), "host_functions"),
    "queued down, a byte": ((1, 0, 1, 0, 0, 0, 0, 8), "host_functions"),
    "queued down, strided": ((MIB, 0, 0, 1, 0, 0, 0, 8), "host_functions"),
    "into a graph": ((1024 * MIB, 1, 1, 0, 0, 1, 0, 8), "direct"),
    "into a graph, strided": ((1024 * MIB, 1, 1, 1, 0, 1, 0, 8), "bounce"),
}

# size, width, calls, reach, up, waits, kernels, by pieces
ROWS = {
    "one run": ((MIB, MIB, 1, MIB, 0, 1, 0, 0), "rectangles"),
    "wide rows": ((MIB, 64, 1, 2 * MIB, 0, 1, 0, 0), "rectangles"),
    "narrow rows": ((MIB, 63, 1, 2 * MIB, 1, 1, 0, 0), "packed"),
    "few of them": ((32 * 8, 8, 1, 32 * MIB, 1, 1, 0, 0), "rectangles"),
    "narrow and little": ((128 * KIB, 8, 1, 256 * KIB, 0, 1, 0, 0), "whole_range"),
    "a byte more": ((128 * KIB, 8, 1, 256 * KIB + 1, 0, 1, 0, 0), "packed"),
    "many calls down": ((MIB, 64, 257, 16 * MIB, 0, 1, 0, 0), "whole_range"),
    "too far apart": ((MIB, 64, 257, 17 * MIB, 0, 1, 0, 0), "packed"),
    "many calls up": ((MIB, 64, 257, 2 * MIB, 1, 1, 0, 0), "packed"),
    "large and pageable": ((64 * MIB, 4096, 1, 128 * MIB, 0, 1, 0, 1), "packed"),
    "many calls, packed by a kernel": ((MIB, 64, 257, 16 * MIB, 0, 1, 1, 0), "packed"),
    "many narrow rows, packed by a kernel": ((MIB, 4, 1, 2 * MIB, 0, 1, 1, 0), "packed"),
}


@pytest.mark.parametrize("row", TABLE)
@own_interpreter("on_host")
def test_the_table(row):
    asked, way = TABLE[row]
    assert arrays._way(*asked) == way


@pytest.mark.parametrize("row", ROWS)
@own_interpreter("on_host")
def test_the_table_of_rows(row):
    asked, way = ROWS[row]
    assert arrays._rows_way(*asked) == way


@own_interpreter("on_host")
def test_threads_are_at_most_half_of_those_that_the_process_may_use():
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[:1])
    assert arrays._pieces(1 << 30)[:2] == (1, 1)
    arrays._set_copies(threads=3)
    assert arrays._pieces(1 << 30)[:2] == (1, 3)
    PyGPU.set_pinned_limit(4 * MIB)  # room for two blocks of 1 MiB per thread
    assert arrays._pieces(1 << 30)[:2] == (1, 2)


# size, up, strided: bytes per piece, bytes per transfer, whether stores bypass the caches
BY_PIECES = {
    "up, small": ((512 * KIB, 1, 0), (128 * KIB, MIB, True)),
    "up, before the next row": ((4 * MIB - 1, 1, 0), (128 * KIB, MIB, True)),
    "up": ((4 * MIB, 1, 0), (256 * KIB, MIB, True)),
    "up, the last that is streamed": ((128 * MIB - 1, 1, 0), (MIB, MIB, True)),
    "up, large": ((128 * MIB, 1, 0), (MIB, MIB, False)),
    "down, small": ((256 * KIB + 1, 0, 0), (64 * KIB, 256 * KIB, False)),
    "down": ((8 * MIB, 0, 0), (64 * KIB, MIB, False)),
    "down, large": ((32 * MIB, 0, 0), (256 * KIB, MIB, True)),
    "strided up": ((64 * MIB, 1, 1), (256 * KIB, MIB, False)),
    "strided down": ((64 * MIB, 0, 1), (256 * KIB, MIB, False)),
}


@pytest.mark.parametrize("row", BY_PIECES)
@own_interpreter("on_host")
def test_the_table_of_pieces(row):
    asked, found = BY_PIECES[row]
    assert arrays._pieces(*asked)[2:] == found


@own_interpreter("on_host", PYGPU_COPY_THREADS="5")
def test_the_environment_sets_the_threads():
    assert arrays._pieces(1)[1] == 5


SIZES = [1, 7, 64 * KIB, 64 * KIB + 1, 256 * KIB, 256 * KIB + 1, MIB - 1, MIB + 13, 3 * MIB + 1]


def views(size):
    """Pairs of the same shape: the layout on the host, and the layout on the device."""
    rng = np.random.default_rng(size)
    half = max(size // 2, 1)
    flat = rng.integers(0, 255, size + 3, "u1")
    yield flat[3:], lambda made: made(size)  # an odd address
    yield flat[: 2 * half : 2], lambda made: made(half)
    yield flat[half - 1 :: -1], lambda made: made(2 * half)[::2]
    side = max(int(half**0.5) & ~1, 2)
    square = rng.integers(0, 255, (side, side), "u1")
    yield square.T, lambda made: made(side * side).reshape(side, side)
    yield square[:, 1::2], lambda made: made(side * side).reshape(side, side)[:, : side // 2]
    yield square[::2, ::-1], lambda made: made(side * side).reshape(side, side).T[: side // 2]
    cube = rng.integers(0, 9, (5, side, 4), "u2")
    yield cube.transpose(2, 0, 1), lambda made: made(40 * side).view("u2").reshape(4, 5, side)
    yield (
        cube[:, :, ::3],
        lambda made: made(40 * side).view("u2").reshape(side, 5, 4).transpose(1, 0, 2)[:, :, :2],
    )


@pytest.mark.parametrize("way", ["direct", "bounce", "pieces", "host_functions", None])
@own_interpreter("on_host")
def test_every_way_brings_every_byte(way):
    """A way that doesn't suit a copy is not taken, not even when it is forced."""
    arrays._set_copies(forced=way, threads=2)
    stream = PyGPU.Stream(non_blocking=True)
    for size in SIZES:
        for values, make in views(size):
            there = make(lambda n: PyGPU.zeros(n, "u1"))
            there.set(values)
            assert (there.get() == values).all(), (size, values.strides)
            back = np.zeros_like(np.repeat(values, 2, -1))[..., ::2]
            assert there.get(back) is back and (back == values).all()
            there.fill(0)
            there.set(values, stream=stream)
            back[...] = 0
            assert (there.get(back, stream=stream) == values).all()
            there.fill(0)
            there.set_async(values, stream)
            back[...] = 0
            assert (PyGPU.wait(there.get_async(stream, back)) == values).all()
            assert (PyGPU.wait(there.get_async(stream)) == values).all()


def guarded(size, offset):
    """Memory at an odd address, and the whole buffer around it."""
    whole = np.full(size + 128, 0xA5, "u1")
    return whole[offset : offset + size], whole


def is_untouched(whole, size, offset):
    return (whole[:offset] == 0xA5).all() and (whole[offset + size :] == 0xA5).all()


@own_interpreter("on_host")
def test_pieces_bring_every_byte_at_any_address():
    """Stores past the caches write whole lines.

    The bytes before and after them are stored normally.
    """
    values = np.random.default_rng(0).integers(0, 255, 5000, "u1")
    for piece in (*range(1, 131), 191, 192, 193, 4999, 5000):
        arrays._set_copies(forced="pieces", threads=1, piece=piece)
        for size, offset in ((300, 0), (257, piece % 64 + 1), (4 * piece + 1, 63), (5000, 3)):
            if size > 5000 or size // piece > 1000:
                continue
            source, _ = guarded(size, offset)
            source[...] = values[:size]
            out, whole = guarded(size, (offset + piece) % 64)
            there = PyGPU.to_gpu(source)
            assert there.get(out) is out and (out == values[:size]).all(), (piece, size, offset)
            assert is_untouched(whole, size, (offset + piece) % 64), (piece, size, offset)


@pytest.mark.parametrize("threads", [1, 2, 6])
@own_interpreter("on_host")
def test_every_row_of_the_table_of_pieces_brings_every_byte(threads):
    """Sizes around each threshold, with as many threads as help and with more."""
    arrays._set_copies(forced="pieces", threads=threads)
    pattern = np.random.default_rng(0).integers(0, 255, 40_000_003, "u1")
    for mib in (0.25, 0.5, 1, 4, 8, 16, 32, 64, 128):
        for more in (-1, 0, 13):
            size = int(mib * MIB) + more
            source, _ = guarded(size, 5)
            source[...] = np.resize(pattern, size)
            out, whole = guarded(size, 17)
            there = PyGPU.to_gpu(source)
            there.get(out)
            assert (out == source).all(), size
            assert is_untouched(whole, size, 17), size
            if mib > 16:
                break


@pytest.mark.parametrize("way", ["bounce", "pieces"])
@own_interpreter("on_host")
def test_rows_of_any_width_arrive_at_any_address(way):
    """The most usual widths have copy loops of their own, which prefetch later rows."""
    arrays._set_copies(forced=way, threads=2, piece=1000)
    values = np.random.default_rng(0).integers(0, 255, 45 * 400, "u1")
    for width in (*range(1, 34), 47, 48, 49, 63, 64, 65, 95, 96, 97, 127, 128, 129, 200):
        for stride, offset in ((width + 1, 0), (2 * width, 1), (256, 16)):
            source, _ = guarded(45 * stride, offset)
            source[...] = values[: 45 * stride]
            rows = source.reshape(45, stride)[:, :width]
            out, whole = guarded(45 * stride, offset)
            got = out.reshape(45, stride)[:, :width]
            there = PyGPU.zeros((45, width), "u1")
            there.set(rows)
            assert (there.get() == rows).all(), (width, stride)
            there.get(got)
            assert (got == rows).all(), (width, stride)
            assert (out.reshape(45, stride)[:, width:] == 0xA5).all(), (width, stride)
            assert is_untouched(whole, out.size, offset), (width, stride)
            there.set(rows[::-1, ::-1])
            assert (there.get() == rows[::-1, ::-1]).all(), (width, stride)


@own_interpreter("on_host")
def test_requests_of_several_threads_at_once():
    arrays._set_copies(threads=2)
    failed = []

    def work(seed):
        values = np.random.default_rng(seed).integers(0, 255, (2 * MIB + seed, 2), "u1")
        mine, shared_out = PyGPU.to_gpu(values), np.empty_like(values)
        for _ in range(4):
            mine.get(shared_out)
            column = mine[:, 1].get()
            both = shared[:, ::2].get()
            if (shared_out != values).any() or (column != values[:, 1]).any() or both.any():
                failed.append(seed)

    shared = PyGPU.zeros((MIB, 4), "u1")
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


@pytest.mark.parametrize("strided", [False, True])
@own_interpreter("on_host")
def test_queued_copies_of_ordinary_memory_return_at_once(strided):
    """A queued copy to ordinary memory once waited for the stream.

    Now the stream itself fills it.
    """
    stream = PyGPU.Stream(non_blocking=True)
    step = 2 if strided else 1
    values = np.arange(float(5 << 19))
    source, out = np.zeros(values.size * step)[::step], np.zeros(values.size * step)[::step]
    a = PyGPU.zeros(values.size)
    PyGPU.wait(a)
    with host.pause(stream):
        a.set_async(source, stream)  # the copy has several parts
        assert a.get_async(stream, out) is out
        assert not PyGPU.ready(out) and not PyGPU.ready(source)
        source[...] = values  # the copy has not read it yet
    assert (PyGPU.wait(out) == values).all() and PyGPU.ready(source)


@own_interpreter("on_host")
def test_queued_copies_of_torn_views_arrive():
    """Page-locked memory once stayed unchanged, since nobody did the CPU's part of the copy."""
    stream = PyGPU.Stream(non_blocking=True)
    values = np.random.default_rng(0).integers(0, 255, (40,) * 4, "u1")
    torn = PyGPU.to_gpu(values)[::2, ::2, ::2, ::2]
    assert (
        arrays._rows_way(torn.size, 1, 400, values.size, False, False, False, False)
        == "whole_range"
    )
    for out in (PyGPU.pagelocked_empty(torn.shape, "u1"), np.zeros(torn.shape, "u1")):
        out[...] = 0
        PyGPU.wait(torn)
        with host.pause(stream):
            torn.get_async(stream, out)
            assert not PyGPU.ready(out) and not out.any()
        assert (PyGPU.wait(out) == values[::2, ::2, ::2, ::2]).all()


@pytest.mark.parametrize("limit", [0, 3 * MIB, None])
@pytest.mark.parametrize("step", [1, 2])
@own_interpreter("on_host")
def test_queued_copies_beyond_the_page_locked_memory_are_right(limit, step):
    """Then ordinary memory is used. It must not be read before the stream has filled it."""
    if limit is not None:
        PyGPU.set_pinned_limit(limit)
    stream = PyGPU.Stream(non_blocking=True)
    sources = [np.full(20 * MIB * step, number, "u1")[::step] for number in range(1, 10)]
    with host.pause(stream):
        made = [PyGPU.gpuarray.to_gpu_async(one, stream=stream) for one in sources]
        turned = PyGPU.empty((4096, 1024), "u1")
        turned.set(np.full((4096, 1024), 77, "u1").T.copy().T, True, stream)
    outs = [np.zeros(20 * MIB * step, "u1")[::step] for _ in made]
    for one, out in zip(made, outs, strict=True):
        one.get_async(stream, out)
    stream.synchronize()
    for number, out in enumerate(outs, 1):
        assert (PyGPU.wait(out) == number).all(), number
    assert (turned.get() == 77).all()


@pytest.mark.parametrize("code", [302, 801])  # 302: absent, as in HIP 5.2.3; 801: not supported
@own_interpreter("on_host")
def test_without_host_functions_queued_copies_wait(code):
    stream = PyGPU.Stream(non_blocking=True)
    values = np.arange(float(5 << 20))[::2]
    a, out = PyGPU.zeros(values.size), np.zeros(values.size)
    with host.fail("cudaLaunchHostFunc", error=code, times=None) as fault:
        a.set_async(values, stream)
        a.get_async(stream, out)
    assert fault.struck
    assert (PyGPU.wait(out) == values).all()


@own_interpreter("on_host")
def test_queued_copies_keep_what_they_need():
    class Memory(bytearray):
        pass

    stream = PyGPU.Stream(non_blocking=True)
    a = PyGPU.zeros(MIB, "u1")
    PyGPU.wait(a)
    memory, out = Memory(b"\7" * MIB), Memory(MIB)
    gone = weakref.ref(memory), weakref.ref(out)
    with host.pause(stream):
        a.set_async(np.frombuffer(memory, "u1"), stream)
        a.get_async(stream, np.frombuffer(out, "u1"))
        del memory, out
        gc.collect()
        assert gone[0]() is not None and gone[1]() is not None
    out = gone[1]()
    stream.synchronize()
    assert out[:] == b"\7" * MIB
    del out
    gc.collect()
    assert gone[0]() is None and gone[1]() is None


WAITS = {
    "stream": lambda stream, a: stream.synchronize(),
    "event": lambda stream, a: PyGPU.Event().record(stream).synchronize(),
    "array": lambda stream, a: PyGPU.wait(a),
    "copy": lambda stream, a: a.get(stream=stream),
}


@pytest.mark.parametrize("wait", WAITS)
@own_interpreter("on_host")
def test_a_wait_releases_what_finished_copies_kept(wait):
    """Once only the next operation released it."""

    class Memory(bytearray):
        pass

    stream = PyGPU.Stream(non_blocking=True)
    a = PyGPU.zeros(MIB, "u1")
    memory = Memory(MIB)
    gone = weakref.ref(memory)
    a.set_async(np.frombuffer(memory, "u1"), stream)
    del memory
    WAITS[wait](stream, a)
    gc.collect()
    assert gone() is None


def tasks():
    return set(os.listdir("/proc/self/task"))


def nothing_more_runs(before):
    """The system removes a thread from its list some time after the join."""
    for _ in range(100_000):
        if tasks() <= before:
            return
        os.sched_yield()
    raise AssertionError(tasks() - before)


def interrupt(call, function):
    """Sends the signal of Ctrl-C while the call is held in a runtime function."""

    def send():
        assert front.wait_for_held()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        assert front.let_go()

    front.hold(function)
    sender = threading.Thread(target=send)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    sender.join()


@pytest.fixture
def held(behind):
    return behind("held_calls.cpp")


INTERRUPTED = {
    "by pieces": ("pieces", b"cudaMemcpyAsync", 4 * MIB, 2),
    "by threads": ("pieces", b"cudaMemcpyAsync", 64 * MIB, 1),
    "by the runtime": ("direct", b"cudaMemcpy", 130 * MIB, 1),
}


@pytest.mark.parametrize("case", INTERRUPTED)
@own_interpreter("held")
def test_ctrl_c_ends_a_copy_and_leaves_nothing_running(case):
    way, function, size, step = INTERRUPTED[case]
    arrays._set_copies(forced=way, interval=0, threads=3 if "threads" in case else 1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Otherwise it asks Python where memory is made, and loses the exception.
    library.set_locator(None)
    a, values = PyGPU.zeros(size // step, "u1"), np.ones(size, "u1")[::step]
    a.set(values), a.fill(0), PyGPU.wait(a)  # now the streams have their threads
    before, kept = tasks(), host.leaks().count("\n")
    interrupt(lambda: a.set(values), function)
    nothing_more_runs(before)
    part = a.get()
    assert "threads" in case or not part.all(), "it went on"
    interrupt(lambda: a.get(part), function)
    nothing_more_runs(before)
    PyGPU.trim_memory()
    assert host.leaks().count("\n") <= kept
    a.set(values)
    assert a.get().all()


@own_interpreter("on_host")
def test_progress_is_told_and_may_stop_the_copy():
    arrays._set_copies(interval=0, forced="pieces", threads=1)
    values = np.ones(5 * MIB + 1, "u1")
    up, down = [], []
    a = PyGPU.to_gpu(values, progress=lambda *args: up.append(args))
    a.get(progress=lambda *args: down.append(args))
    for told in (up, down):
        assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
        assert told[-1][:2] == (values.size, values.size) and told[-1][2] > 0
        assert {total for _, total, _ in told} == {values.size} and len(told) > 2

    arrays._set_copies(interval=0, forced="pieces", threads=2)
    values = np.ones(64 * MIB, "u1")
    a = PyGPU.to_gpu(values)

    def stop(done, total, rate):
        if done:
            raise RuntimeError("enough")

    out = np.zeros_like(values)
    with pytest.raises(RuntimeError, match="enough"):
        a.get(out, progress=stop)
    assert not out.all()
    assert a.get(out).all()
    before = sys.getrefcount(stop)
    with pytest.raises(ValueError, match="only queues"):
        a.get(out, async_=True, progress=stop)
    with pytest.raises(TypeError, match="progress"):
        a.set(values, progress=5)
    assert sys.getrefcount(stop) == before
    arrays._set_copies()
    small = []
    PyGPU.to_gpu(np.zeros(3), progress=lambda *args: small.append(args[:2]))
    assert small == [(24, 24)]


@own_interpreter("on_host", PYGPU_HOST_STRICT="1")
def test_a_stopped_copy_writes_nothing_that_was_not_sent():
    """A copy to an array with gaps goes through device memory, part of which is never written."""

    def stop(done, total, rate):
        if done:
            raise KeyError

    arrays._set_copies(interval=0, threads=2)
    whole = PyGPU.to_gpu(np.full(48 * MIB, 7, "u1"))
    with pytest.raises(KeyError):
        whole[::2].set(np.ones(24 * MIB, "u1"), progress=stop)
    assert set(np.unique(whole.get())) <= {1, 7}


@own_interpreter("on_host", PYGPU_HOST_DEVICES="3")
def test_a_callback_runs_on_the_device_that_was_current():
    """It does not run on the array's device.

    If it makes a device current, that one stays current.
    """
    with PyGPU.device(1):
        a = PyGPU.empty(5 * MIB, "u1")
    seen = []

    def look(done, total, rate):
        seen.append((PyGPU.checked.cudaGetDevice(), PyGPU.zeros(3).device))
        if done < total:
            PyGPU.checked.cudaSetDevice(2)

    arrays._set_copies(interval=0, forced="pieces", threads=1)
    a.set(np.ones(a.size, "u1"), progress=look)
    assert seen[0] == (0, 0) and len(seen) > 2
    assert set(seen[1:-1]) <= {(2, 2)}
    assert PyGPU.checked.cudaGetDevice() == 2 and a.get().all()


@pytest.mark.parametrize("way", ["direct", "pieces"])
@own_interpreter("on_host")
def test_a_callback_may_use_arrays_and_devices(way):
    def use(done, total, rate):
        PyGPU.checked.cudaSetDevice(1)
        other.append(PyGPU.to_gpu(np.arange(3)))
        assert (a.device, other[-1].device) == (0, 1) and (small.get() == 5).all()
        assert PyGPU.cudaGetLastError() == 0 and PyGPU.cudaMalloc(0)[1] == 0

    other, small = [], PyGPU.zeros(5).fill(5)
    values = np.random.default_rng(0).integers(0, 255, 130 * MIB, "u1")
    a = PyGPU.empty(values.size, "u1")
    arrays._set_copies(interval=0, forced=way)
    a.set(values, progress=use)
    PyGPU.checked.cudaSetDevice(0)
    out = np.empty_like(values)
    with host.pause(0):  # the following calls are ordered by this stream
        a.fill(0)
        first = threading.Thread(target=a.get, args=(out,), kwargs={"progress": use})
        first.start()
    first.join()
    assert not out.any() and len(other) > 3


@own_interpreter("on_host")
def test_page_locked_memory_of_its_own_is_bounded():
    def held():
        text = ctypes.create_string_buffer(1 << 20)
        library.leaks(text, len(text))  # leaks() would free the memory first
        return sum(map(int, re.findall(rb"(\d+) bytes of pinned host", text.value)))

    for mib in (20, 30, 31, 7):
        PyGPU.pagelocked_empty(mib * MIB, "u1")
    assert 40 * MIB <= held() <= 65 * MIB
    PyGPU.set_pinned_limit(0)
    assert held() <= MIB
    big = np.arange(float(5 * MIB))[::2]
    a = PyGPU.to_gpu(big)  # ordinary memory serves instead
    assert (a.get() == big).all()
    out = np.zeros_like(big)
    a.get_async(PyGPU.Stream(True), out)
    assert (PyGPU.wait(out) == big).all()
    assert held() <= MIB


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@own_interpreter("on_host")
def test_memory_of_freed_results_is_used_again_and_given_back():
    def address(array):
        return array.__array_interface__["data"][0]

    values = np.random.default_rng(0).random((1 << 11, 1 << 11))  # 32 MiB
    a = PyGPU.to_gpu(values)
    first, second = a.get(), a.get()
    places = {address(first), address(second)}
    assert len(places) == 2 and (first == values).all() and first.flags.c_contiguous
    view = second[::2]
    del first, second  # a view keeps the memory
    a.fill(1)
    turned = a.T.get()
    assert address(turned) in places and address(turned) != address(view.base)
    assert turned.flags.f_contiguous and (turned == 1).all() and (view == values[::2]).all()
    del turned, view
    before = resident()
    PyGPU.trim_memory()
    assert resident() < before - 50 * MIB
    with pytest.raises(TypeError):
        arrays.ResultMemory()


class Exporter:
    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__
        self.array = array


@own_interpreter("as_card")
def test_copy_between_any_two():
    stream = PyGPU.Stream()
    values = np.arange(12.0).reshape(3, 4)
    a, b = PyGPU.zeros((3, 4)), PyGPU.zeros((3, 4))
    PyGPU.copy(a, values[::-1])
    assert (a.get() == values[::-1]).all()
    PyGPU.copy(b.T, a.T, stream=stream)
    out = np.zeros((3, 4))
    PyGPU.copy(out[::-1], b, stream=stream)
    assert (PyGPU.wait(out) == values).all()
    raw = bytearray(96)
    PyGPU.copy(raw, b)
    assert np.frombuffer(raw).tolist() == values[::-1].ravel().tolist()
    PyGPU.copy(b, bytes(96))
    assert not b.get().any()
    PyGPU.copy(b, Exporter(a))
    PyGPU.copy(Exporter(a), values)
    assert (b.get() == values[::-1]).all() and (a.get() == values).all()
    for dst, src, error in (
        (out, values, TypeError),
        (a, [1.0], TypeError),
        (bytes(96), a, ValueError),
        (bytearray(95), a, (TypeError, ValueError)),
        (a, np.zeros(12, "f4"), ValueError),
        (a, np.zeros(11), ValueError),
        (bytearray(), PyGPU.empty(3, "S0"), (TypeError, ValueError)),
    ):
        with pytest.raises(error):
            PyGPU.copy(dst, src)
    with pytest.raises(TypeError, match="scalar"):
        PyGPU.copy(np.float64(3), PyGPU.to_gpu(np.float64(9)))
    cell = PyGPU.DeviceArray_float64(12)
    assert not cell.allocate()
    PyGPU.copy(cell, values.ravel())
    PyGPU.copy(a, cell)
    told = []
    PyGPU.copy(a, values, progress=lambda *args: told.append(args[0]))
    assert told == [96]


class Counted:
    """Host memory that counts how often a copy asks for it."""

    def __init__(self, values):
        self.values, self.asked = values, 0

    @property
    def __array_interface__(self):
        self.asked += 1
        return self.values.__array_interface__


@pytest.mark.gpus(2)
@own_interpreter("on_devices")
def test_copy_to_several_devices():
    """The host's array is read once, and each target gets every byte."""
    source = Counted(np.arange(900_000.0).reshape(3, -1))
    arrays = []
    for device in (*range(PyGPU.checked.cudaGetDeviceCount()), 0):
        with PyGPU.device(device):
            arrays.append(PyGPU.zeros(source.values.shape, "f8"))
    PyGPU.copy([array[:, ::3] for array in arrays], source.values[:, ::3])
    assert all((array.get()[:, ::3] == source.values[:, ::3]).all() for array in arrays)
    PyGPU.copy(arrays[0], source)
    for_one, source.asked = source.asked, 0
    PyGPU.copy(arrays, source)
    assert source.asked == for_one
    assert all((array.get() == source.values).all() for array in arrays)
    stream = PyGPU.Stream()
    PyGPU.copy(tuple(arrays[::-1]), -source.values, stream=stream)
    stream.synchronize()
    assert all((array.get() == -source.values).all() for array in arrays)
    PyGPU.copy(arrays[1:], arrays[0][::-1])
    assert all((array.get() == -source.values[::-1]).all() for array in arrays[1:3])
    PyGPU.copy([], source)
    with pytest.raises(TypeError, match="list of arrays on devices"):
        PyGPU.copy([arrays[0], source.values], source)
    with pytest.raises(ValueError, match="elements"):
        PyGPU.copy([arrays[0], PyGPU.zeros(3)], source)
