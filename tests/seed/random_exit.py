"""One interpreter that ends at random: `python random_exit.py SEED`, on the host runtime.

When the program ends, host functions in Python are running, daemon threads are inside calls, and
finalisers free and wait. The program must end without a hang or crash, with exit code 0 or 3.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import random
import sys
import threading
from collections.abc import Callable

import numpy as np

import PyGPU

SIZE = 4096
NEVER = threading.Event()
BEGUN: list[threading.Event] = []
KEPT: list[object] = []
VIEWS: list[object] = []
dice = random.Random(int(sys.argv[1]))


# Bodies of host functions. The first ones end by themselves, the others never end.
def computes() -> None:
    sum(range(dice.randrange(20_000)))


def calls_the_runtime() -> None:
    PyGPU.cudaStreamSynchronize(0)
    PyGPU.cudaMalloc(8)


def raises() -> None:
    raise RuntimeError("on purpose")


def drops_an_owner() -> None:
    VIEWS.clear()
    gc.collect()


def blocks() -> None:
    NEVER.wait()


def spins() -> None:
    while not NEVER.is_set():
        pass


ENDING = [computes, calls_the_runtime, raises, drops_an_owner]
ENDLESS = [blocks, spins]


def new_stream() -> object:
    kind = dice.randrange(4)
    if kind == 0:
        return PyGPU.cudaStream_t()
    if kind == 1:
        return PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
    if kind == 2:
        return PyGPU.Stream(non_blocking=dice.random() < 0.5)
    return PyGPU.checked.cudaStreamCreate()  # has no owner


class World:
    """The program's objects: streams with work, memory, events."""

    def __init__(self) -> None:
        self.streams = [0, *(new_stream() for _ in range(dice.randrange(1, 4)))]
        self.host = np.zeros(SIZE, np.uint8)
        self.pinned = PyGPU.pagelocked_empty(SIZE, np.uint8)
        self.arrays = [PyGPU.to_gpu(self.host) for _ in range(3)]
        self.owned, self.all_arrays = self.streams[1:], [*self.arrays]
        self.typed = PyGPU.DeviceArray_uint8([SIZE])
        self.typed.allocate()
        self.pointers = [PyGPU.checked.cudaMalloc(SIZE) for _ in range(8)]
        self.events = [PyGPU.cudaEvent_t(), PyGPU.Event()]

    def stream(self) -> object:
        return dice.choice(self.streams)

    def queue(self) -> None:
        """Queues work that waits for nothing."""
        stream, array = self.stream(), dice.choice(self.all_arrays)
        what = dice.randrange(6)
        if what == 0:
            PyGPU.cudaMemsetAsync(self.pointers[0], 1, SIZE, stream)
        elif what == 1:
            PyGPU.cudaMemcpyAsync(
                self.pinned, self.pointers[1], SIZE, PyGPU.cudaMemcpyDeviceToHost, stream
            )
        elif what == 2:
            array.set_async(self.host, stream)
        elif what == 3:
            KEPT.append(array.get_async(stream))
        elif what == 4:
            PyGPU.cudaEventRecord(self.events[0], stream)
        else:
            VIEWS.append(array[: SIZE // 2])

    def host_function(self, body: Callable[[], None]) -> None:
        begun = threading.Event()

        def run(*_arguments: object) -> None:
            begun.set()
            body()

        stream = self.stream()
        if dice.random() < 0.5:
            err = PyGPU.cudaLaunchHostFunc(stream, run, begun)
        else:
            err = PyGPU.cudaStreamAddCallback(stream, run, begun, 0)
        if not err and dice.random() < 0.5:
            BEGUN.append(begun)

    def waits(self) -> list[Callable[[], object]]:
        """All actions that may wait for queued work."""
        stream = dice.choice(self.owned)
        array = dice.choice(self.all_arrays)
        pointer = self.pointers[-1]
        return [
            lambda: PyGPU.cudaFree(pointer),
            lambda: PyGPU.cudaStreamSynchronize(stream),
            PyGPU.cudaDeviceSynchronize,
            PyGPU.checked.cudaDeviceSynchronize,
            lambda: PyGPU.cudaStreamDestroy(stream),
            lambda: PyGPU.cudaEventSynchronize(self.events[0]),
            lambda: PyGPU.cudaMemcpy(self.host, pointer, SIZE, PyGPU.cudaMemcpyDeviceToHost),
            lambda: PyGPU.cudaFreeHost(0),
            lambda: PyGPU.cudaMallocManaged(SIZE, PyGPU.cudaMemAttachGlobal),
            lambda: PyGPU.cudaLaunchHostFunc(stream, lambda _: None, None),
            PyGPU.cudaDeviceReset,
            array.get,
            lambda: array.set(self.host),
            lambda: array.get_async(stream),
            lambda: array.fill(1),
            array.copy,
            lambda: PyGPU.to_gpu(self.host),
            lambda: PyGPU.empty(SIZE, np.uint8),
            lambda: PyGPU.to_gpu_async(self.host, stream=stream),
            self.typed.to_host,
            self.typed.to_device,
            lambda: [one.clear() for one in (self.arrays, self.all_arrays)],
            lambda: [one.clear() for one in (self.streams, self.owned)],
            lambda: PyGPU.Stream.of(stream).synchronize(),
            lambda: PyGPU.Event().record(stream),
            lambda: self.events[1].synchronize(),
            lambda: PyGPU.pagelocked_empty(SIZE, np.uint8),
            lambda: array.record_stream(stream),
            gc.collect,
        ]


class Last:
    """Frees and waits when it is freed."""

    def __init__(self, world: World) -> None:
        self.actions = dice.sample(world.waits(), dice.randrange(1, 5))

    def __del__(self, suppress: type = contextlib.suppress) -> None:
        for action in self.actions:
            with suppress(Exception):
                action()


def loop(actions: list[Callable[[], object]]) -> None:
    while True:
        for action in actions:
            with contextlib.suppress(Exception):
                action()


def fork_and_end(world: World) -> None:
    """A child ends at once, with the interpreter's complete shutdown."""
    child = os.fork()
    if not child:
        KEPT.append(Last(world))
        sys.exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == 0, f"the child ended with {code}"


def main() -> int:
    sys.setswitchinterval(dice.choice([1e-6, 1e-4, 5e-3]))
    world = World()
    KEPT.append(world)
    endless = dice.random() < 0.6
    if endless:
        gc.disable()  # a free would wait until the exit for a host function that never ends
    bodies = ENDING + ENDLESS if endless else ENDING
    for _ in range(dice.randrange(8)):
        world.queue()
    if dice.random() < 0.15:
        fork_and_end(world)
    for _ in range(dice.randrange(1, 4)):
        world.host_function(dice.choice(bodies))
        world.queue() if dice.random() < 0.3 and not endless else None
    for _ in range(dice.randrange(2)):
        threading.Thread(target=computes).start()
    for begun in BEGUN if not endless else BEGUN[:1]:
        begun.wait(0.2)
    # Places that are cleared at different times: a global, a cycle, another module, a thread's own.
    holders: list[object] = [Last(world) for _ in range(dice.randrange(1, 4))]
    for number, one in enumerate(holders):
        place = dice.randrange(5)
        if place == 0:
            globals()[f"last_{number}"] = one
        elif place == 1:
            cycle: list[object] = [one]
            cycle.append(cycle)
        elif place == 2:
            sys.modules[f"random_exit_{number}"] = one  # type: ignore[assignment]
        elif place == 3:
            local = threading.local()
            local.one = one
            KEPT.append(local)
        else:
            setattr(PyGPU, f"left_{number}", one)
    daemons = [dice.sample(world.waits(), 3) for _ in range(dice.randrange(3))]
    if not endless and dice.random() < 0.3:
        atexit.register(dice.choice(world.waits()))
    for actions in daemons:
        threading.Thread(target=loop, args=(actions,), daemon=True).start()
    return dice.choice([0, 0, 0, 3])


if __name__ == "__main__":
    sys.unraisablehook = lambda _: None
    sys.exit(main())
