"""Every runtime call of the array layer fails once. The failure raises or is harmless.

Afterwards nothing is left behind, and all objects stay usable. Together the pieces of work reach
every function in the layer's table. The few functions whose failure may stay silent are listed with
the reason.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.arrays.sweep import api, sweep
from tests.own_interpreter import own_interpreter

HERE = Path(__file__).resolve().parent
LAYER = HERE.parents[1] / "generated" / "cuda_runtime" / "arrays.cpp"


def memory():
    def work():
        stream = PyGPU.Stream(True)
        for device in (1, 0):
            with PyGPU.device(device):
                memory = PyGPU.DeviceMemory(256)
                int(memory)
                other = PyGPU.DeviceMemory(256)
                if device == 0:
                    other.record_stream(stream)
                PyGPU.pagelocked_empty(4), PyGPU.managed_empty(4)
                with PyGPU.register(np.zeros(100)):
                    pass
                PyGPU.memory_info()
                PyGPU.set_pool_threshold(1 << 20)
                del memory, other
                # The only byte to wait for the device by is the one that was put aside.
                with host.fail("cudaMalloc", error=2, times=None):
                    PyGPU.trim_memory()

    def fresh():  # also makes the pools anew
        for device in (2, 1, 0):
            PyGPU.checked.cudaSetDevice(device)
            PyGPU.checked.cudaDeviceReset()

    def settle(name):
        for device in range(3):
            PyGPU.trim_memory(device=device)

    sweep(work, settle, ("memory", "bytes"), fresh, others=(2,))  # nor may that byte be missing


def plain():
    def work():
        with host.fail(api() + "MemPoolCreate", error=801, times=None):
            _memory = PyGPU.DeviceMemory(256)
            a = PyGPU.ones(5)
            assert (a.get() == 1).all()

    def fresh():
        PyGPU.checked.cudaDeviceReset()

    def settle(name):
        PyGPU.trim_memory()

    sweep(work, settle, ("memory", "bytes"), fresh)


def arrays():
    base = np.arange(60.0).reshape(3, 4, 5)

    def work():
        stream = PyGPU.Stream(True)
        a = PyGPU.to_gpu(base)
        assert (a.get() == base).all()
        b = a[::-1, ::2].copy()
        assert (b.get() == base[::-1, ::2]).all()
        wide = PyGPU.to_gpu(np.arange(4000.0).reshape(2000, 2))
        assert (wide[:, 1].get() == np.arange(1, 4000, 2)).all()
        wide[:, 1] = np.zeros(2000)
        wide[...] = wide[:1]
        wide.T.fill(5.5)
        wide[1:] = wide[:-1]
        wide.fill(0)
        wide[:, 1].fill(0)
        PyGPU.zeros((8, 9, 64))[::2, 1:5, 8:40].copy()
        c = PyGPU.to_gpu_async(base, stream=stream)
        c[1].set_async(PyGPU.pagelocked_zeros((4, 5)), stream)
        out = c.get_async(stream)
        PyGPU.ready(out)
        PyGPU.wait(out)
        PyGPU.wait(c)
        assert (out[0] == base[0]).all() and not out[1].any()
        with PyGPU.device(1):
            there = PyGPU.empty((3, 4, 5))
        there[...] = a
        there[::2] = a[::2]
        assert (there.get() == base).all()
        assert (c.get()[0] == base[0]).all()
        used[...] = a
        used[::2] = base[::2]
        used[:, 1].fill(3)
        used.reshape(-1).set(base.reshape(-1))
        assert (used.get() == kept.get()).all()

    def settle(name):
        assert (kept.get() == base).all()
        used.set(base)  # works whatever failed before
        assert (used.get() == base).all()
        for device in range(3):
            PyGPU.trim_memory(device=device)
        PyGPU.wait(PyGPU.to_gpu(np.zeros(1)).get_async())
        PyGPU.to_gpu(np.zeros(1))
        PyGPU.trim_memory()

    kept, used = PyGPU.to_gpu(base), PyGPU.empty(base.shape)
    sweep(work, settle, ("memory", "bytes", "stream"))


def peers():
    base, plain = np.arange(100 * 64.0).reshape(100, 64), None

    def before():  # so that each device has to be given access to the other's memory again
        nonlocal plain
        with PyGPU.device(1):
            PyGPU.checked.cudaDeviceReset()
            plain = PyGPU.GPUArray((64,), gpudata=PyGPU.checked.cudaMalloc(512))

    def work():
        a = PyGPU.to_gpu(base)
        with PyGPU.device(1):
            there = PyGPU.zeros((100, 64))
        there[...] = a
        there[:, 8:40] = a[:, 16:48]  # a rectangle
        plain[...] = a[3]
        assert (there.get()[:, 8:40] == base[:, 16:48]).all() and (plain.get() == base[3]).all()

    def settle(name):
        for device in range(3):
            PyGPU.trim_memory(device=device)

    sweep(work, settle, ("memory", "bytes"), before=before)


def typed():
    def work():
        a = np.arange(8)
        da = PyGPU.DeviceArray_int64(a)
        statuses = [da.allocate(), da.to_device(), da.to_host(), da.allocate()]
        assert statuses[-1] == da.last_status() and da.size() == 8
        if da.allocated():
            assert da.__dlpack__()
            da.record_stream(second)
        statuses += [used.to_device(), used.to_host()]
        again = PyGPU.PagelockedAllocator_int8(), PyGPU.DeviceAllocator_int8()
        statuses += [one.allocate(5) for one in again] + [one.deallocate() for one in again]
        assert {int(status) for status in statuses} <= {0, 1, 999}, statuses
        if not any(statuses):
            assert (a == np.arange(8)).all()
        return any(statuses)

    def settle(name):
        mine[:] = 7
        assert not used.to_device() and not mine.fill(0) and not used.to_host()
        assert (mine == 7).all()
        for device in range(3):
            PyGPU.trim_memory(device=device)

    second = PyGPU.cudaStream_t(flags=1)
    mine = np.arange(5)
    used = PyGPU.DeviceArray_int64(mine)
    used.allocate()
    sweep(work, settle, ("memory", "bytes"))


def streams():
    def work():
        with PyGPU.Stream(True) as stream:
            other = PyGPU.Stream()
            event = PyGPU.Event()
            stream.record(event)
            other.wait(event)
            other.wait(stream)
            stream.query(), event.query()
            end = other.record()
            other.synchronize(), end.synchronize()
            event.elapsed_time(end)
        with device_one:
            used.wait(device_one)

    def settle(name):
        assert int(PyGPU.Stream.of(None)) == 0, "a stream stayed current"
        used.wait(mark.record())
        used.synchronize()
        assert used.query() and mark.query()

    PyGPU.checked.cudaSetDevice(1)
    device_one = PyGPU.Stream()
    PyGPU.checked.cudaSetDevice(0)
    used, mark = PyGPU.Stream(), PyGPU.Event()
    sweep(work, settle)


def large():
    """Copies that two threads share."""

    def work():
        out = np.zeros(1 << 19)
        used.set(values)
        used.get(out)
        assert (out == values).all()

    def settle(name):
        used.set(values[::-1].copy())
        assert (used.get() == values[::-1]).all()
        PyGPU.trim_memory()

    PyGPU._core.arrays._set_copies(threads=2)
    values = np.arange(float(1 << 19))
    used = PyGPU.empty(1 << 19)
    sweep(work, settle, ("memory", "bytes"))


def rows():
    """Strided copies in several parts, both ways; some are queued through host functions."""

    def work():
        used[:, ::2].set(values[::-1, ::-2])
        assert (used[:, ::2].get() == values[::-1, ::-2]).all()
        used[:, ::2].set_async(values[:, 1::2], stream)
        used.get_async(stream, out)
        PyGPU.wait(out)
        assert (out[:, ::2] == values[:, 1::2]).all()

    def settle(name):
        used.set(values)
        assert (used.get() == values).all()
        PyGPU.trim_memory()

    stream = PyGPU.Stream(True)
    values, out = np.arange(float(18 << 17)).reshape(-1, 18), np.zeros((1 << 17, 18))
    used = PyGPU.empty(values.shape)
    sweep(work, settle, ("memory", "bytes"))


def locked():
    """Large page-locked memory, none of which is kept for later."""

    def work():
        assert (used.get(pagelocked=True) == 7).all()

    def settle(name):
        PyGPU.trim_memory()

    PyGPU.set_pinned_limit(0)
    used = PyGPU.empty(32 << 20, "u1").fill(7)
    sweep(work, settle, ("memory", "bytes"))


PIECES = {
    "memory": memory,
    "plain": plain,
    "kept": arrays,  # served from small pieces that are kept
    "arrays": arrays,
    "peers": peers,
    "typed": typed,
    "streams": streams,
    "large": large,
    "rows": rows,
    "locked": locked,
}


def sweep_piece(name):
    if name in ("arrays", "peers", "typed"):
        for device in range(3):
            PyGPU.set_pool_threshold(0, device)  # so each array asks the runtime for its memory
    PIECES[name]()


FREED_LATER = "while memory is freed: that is put off until the device was waited for"
SLOW_WAY = "a copy between devices goes around, not over their link"
QUIET = {
    "cudaDeviceCanAccessPeer": SLOW_WAY,
    "cudaDeviceEnablePeerAccess": SLOW_WAY,
    "cudaEventCreateWithFlags": "a small upload that can't be staged is an ordinary copy",
    "cudaEventDestroy": "in a finaliser: the event stays",
    "cudaEventQuery": "what is kept for a copy under way is looked at again by the next call",
    "cudaEventRecord": FREED_LATER,
    "cudaFree": FREED_LATER,
    "cudaFreeAsync": FREED_LATER,
    "cudaGetDevice": FREED_LATER,
    "cudaHostAlloc": "a small upload that can't be staged is an ordinary copy",
    "cudaHostGetDevicePointer": "large page-locked memory: it is cudaHostAlloc's then",
    "cudaHostRegister": "large page-locked memory: it is cudaHostAlloc's then",
    "cudaHostUnregister": FREED_LATER,
    "cudaMalloc": "a byte put aside to wait for the device by: the next allocation tries again",
    "cudaMemPoolCreate": "plain memory, as where pools are missing",
    "cudaMemPoolSetAccess": SLOW_WAY,
    "cudaMemPoolSetAttribute": "of a new pool: its threshold is the runtime's own then",
    "cudaPointerGetAttributes": "memory that the runtime does not know is ordinary memory",
    "cudaSetDevice": "the way back, and while memory is freed",
    "cudaStreamGetDevice": "the stream's device is found by trial",
    "cudaStreamDestroy": "in a finaliser: the stream stays",
    "cudaStreamQuery": "whether another device's stream is idle: an event is waited for instead",
    "cudaStreamIsCapturing": FREED_LATER,
    "cudaStreamWaitEvent": FREED_LATER,
    "cudaThreadExchangeStreamCaptureMode": "a capture alone would notice, and refuse",
}
# The first is called once per process (below). The second is called where two threads make a pool
# (test_locks.py).
OUT_OF_REACH = {"cudaGetDeviceCount", "cudaMemPoolDestroy"}


@pytest.fixture
def swept(on_host, once, host_library):
    """For each function that a piece calls: the number of calls, and of silent failures."""

    def of(piece: str, hip: bool = False) -> dict[str, tuple[int, int]]:
        by_hip = {"PYGPU_BACKEND": "hip", "PYGPU_HIP_LIBRARY": str(host_library)}

        def run(folder: Path) -> None:
            done = on_host(sweep_piece, piece, **by_hip if hip else {})
            (folder / "sites").write_text(done.stdout)

        lines = (once(f"sweep-{piece}-{hip}", run) / "sites").read_text().splitlines()
        return {name: (int(sites), int(silent)) for name, sites, silent in map(str.split, lines)}

    return of


@pytest.mark.parametrize("piece", PIECES)
def test_each_call_fails_once(swept, piece):
    sites = swept(piece)
    unheard = {name for name, (_, silent) in sites.items() if silent}
    assert unheard <= set(QUIET)
    assert sum(count for count, _ in sites.values()) > 10


def test_every_function_of_the_layer_fails_somewhere(swept):
    """This test notices a call that no piece makes any more, and a new function in the table."""
    all_sites = [swept(piece) for piece in PIECES]
    used = set(re.findall(r"entries\.(cuda\w+)", LAYER.read_text()))
    assert used - set().union(*all_sites) == OUT_OF_REACH
    unheard = {name for sites in all_sites for name, (_, silent) in sites.items() if silent}
    assert unheard == set(QUIET), "what is never unheard any more has no reason to stand there"
    assert sum(count for sites in all_sites for count, _ in sites.values()) > 550


@pytest.mark.parametrize("piece", ["memory", "kept", "typed"])
def test_each_call_of_hips_fails_once(swept, piece):
    sites = swept(piece, hip=True)
    assert all(name.startswith("hip") for name in sites)
    unheard = {"cuda" + name[3:] for name, (_, silent) in sites.items() if silent}
    assert unheard <= {*QUIET, "cudaHostMalloc"}
    assert sum(count for count, _ in sites.values()) > 10


@own_interpreter("on_host")
def test_the_count_of_devices_fails():
    """Then the stream is taken as belonging to the array's own device."""
    stream = PyGPU.cudaStream_t(flags=1)
    with host.fail("cudaGetDeviceCount") as fault:
        a = PyGPU.ones(5, stream=stream)
    assert fault.struck == 1 and not PyGPU.cudaGetLastError()
    assert (a.copy(stream).get() == 1).all()
