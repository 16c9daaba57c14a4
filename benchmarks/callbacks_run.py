"""One run of benchmarks/callbacks.py, in a process of its own: so many calls by one package.

Each stream counts its calls in a file that the benchmark reads, also when this process hangs.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable

import numpy as np

THREADS, BATCH = 16, 100
# Streams take 1000 calls between waits. Calls that wait for Python are this many at most.
AHEAD = 100_000
BEGIN, END = THREADS, THREADS + 1  # in the file behind the counts: seconds of time.monotonic()

Queue = Callable[[Callable[[], None]], None]  # queues a call on a stream
Wait = Callable[[], None]  # waits for the stream


class Stream:
    """A stream: how to queue a call on it, its address, and how to wait for it."""

    def __init__(self, queue: Queue, handle: int, wait: Wait) -> None:
        self.queue, self.handle, self.wait = queue, handle, wait


def pygpu(wait: bool) -> Callable[[], Stream]:
    """PyGPU's streams, whose calls they wait for or not."""
    import PyGPU

    def made() -> Stream:
        stream = PyGPU.Stream()
        call = stream.call
        return Stream(lambda f: call(f, wait=wait), stream.handle, stream.synchronize)

    return made


def cupy() -> Callable[[], Stream]:
    """CuPy's, which call with an argument."""
    import cupy

    def made() -> Stream:
        stream = cupy.cuda.Stream(non_blocking=True)
        launch = stream.launch_host_func
        return Stream(lambda f: launch(lambda _: f(), None), stream.ptr, stream.synchronize)

    return made


def numba() -> Callable[[], Stream]:
    """Numba's, which call with the stream, a status and an argument."""
    from numba import cuda

    cuda.stream().add_callback(lambda *_: None, None)  # fails with some releases of cuda-bindings

    def made() -> Stream:
        stream = cuda.stream()
        add = stream.add_callback
        handle = int(getattr(stream.handle, "value", stream.handle))
        return Stream(lambda f: add(lambda *_: f(), None), handle, stream.synchronize)

    return made


CANDIDATES: dict[str, Callable[[], Callable[[], Stream]]] = {
    "PyGPU": lambda: pygpu(wait=False),
    "PyGPU, wait=True": lambda: pygpu(wait=True),
    "CuPy": cupy,
    "Numba": numba,
}


def holding_the_gil(package: str) -> Callable[[int], int]:
    """A wait for a stream during which no other thread runs Python, as in some bindings."""
    if package.startswith("PyGPU"):
        import PyGPU

        api = PyGPU.cuda if PyGPU.backend in ("cuda", "host") else PyGPU.hip
        wait = api.address("cudaStreamSynchronize" if api is PyGPU.cuda else "hipStreamSynchronize")
        return ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(wait)
    function = ctypes.PyDLL("libcuda.so.1").cuStreamSynchronize
    function.argtypes = [ctypes.c_void_p]
    return function  # type: ignore[no-any-return]


class Run:
    """Calls that are counted."""

    def __init__(self, package: str, path: str, calls: int) -> None:
        self.package, self.calls = package, calls
        self.make = CANDIDATES[package]()
        self.counts = np.memmap(path, np.float64, "r+")
        self.streams = [self.make() for _ in range(THREADS)]

    def one(self, number: int) -> Callable[[], None]:
        """What a stream calls."""
        counts = self.counts

        def called() -> None:
            counts[number] += 1

        return called

    def made(self) -> float:
        """The calls until now."""
        return float(self.counts[:THREADS].sum())

    def one_thread(self) -> None:
        """A thread queues all on one stream."""
        stream, called = self.streams[0], self.one(0)
        queue = stream.queue
        for number in range(self.calls):
            queue(called)
            if number % 1000 == 999:
                stream.wait()
                while number - self.made() > AHEAD:
                    time.sleep(0.001)
        stream.wait()

    def threads(self) -> None:
        """Threads queue some calls each, then wait for them with the GIL, and so on."""
        wait = holding_the_gil(self.package)
        several = [
            threading.Thread(target=self._thread, args=(number, wait)) for number in range(THREADS)
        ]
        for one in several:
            one.start()
        for one in several:
            one.join()

    def _thread(self, number: int, wait: Callable[[int], int]) -> None:
        stream, called = self.streams[number], self.one(number)
        queue, handle = stream.queue, stream.handle
        mine = self.calls // THREADS
        for begin in range(0, mine, BATCH):
            for _ in range(min(BATCH, mine - begin)):
                queue(called)
            if wait(handle):
                raise RuntimeError("waiting for the stream failed")

    def exit(self) -> None:
        """The program ends while threads queue calls."""
        for number in range(THREADS):
            threading.Thread(target=self._for_ever, args=(number,), daemon=True).start()
        while self.made() < self.calls:
            time.sleep(0.001)

    def _for_ever(self, number: int) -> None:
        stream, called = self.streams[number], self.one(number)
        while True:
            for _ in range(BATCH):
                stream.queue(called)
            stream.wait()


def main(scenario: str, package: str, path: str, calls: int) -> None:
    """Run it, and write when it began and ended."""
    run = Run(package, path, calls)
    expected = calls // THREADS * THREADS if scenario == "threads" else calls
    run.counts[BEGIN] = time.monotonic()
    getattr(run, scenario)()
    while run.made() < expected:
        time.sleep(0.001)
    run.counts[END] = time.monotonic()


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]))
