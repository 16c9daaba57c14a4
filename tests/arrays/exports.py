"""A consumer of an array interface comes after all queued work if it uses the named stream.

Run on the host runtime, a GPU, or HIP's functions.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import PyGPU
from PyGPU import checked

# Code that doesn't wait keeps the interpreter's lock, so nothing else finishes meanwhile.
sys.setswitchinterval(100)

COUNT = 1000
NEW = np.arange(7, 7 + COUNT, dtype="f8")


class Held:
    """A stream that stands still from now on, until go_on()."""

    def __init__(self) -> None:
        self.gate, self.over = threading.Event(), threading.Event()
        self.stream = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
        checked.cudaLaunchHostFunc(self.stream, lambda data: self.gate.wait(), None)

    def go_on(self) -> None:
        checked.cudaLaunchHostFunc(self.stream, lambda data: self.over.set(), None)
        self.gate.set()


def page_locked(values: Any) -> Any:
    array = PyGPU.pagelocked_empty(values.shape, values.dtype)
    array[...] = values
    return array


def in_block(array: Any, stream: Any) -> None:
    with PyGPU.Stream.of(stream):
        array.fill(7)


WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "set_async": lambda a, s: a.set_async(page_locked(NEW.astype(a.dtype)), s),
    "fill": lambda a, s: a.fill(7, s),
    "with": in_block,
    "real": lambda a, s: a.real.set_async(page_locked(NEW), s),
    "view": lambda a, s: a[:5].fill(7, s),
}

EXPORTS: dict[str, Callable[[Any], Any]] = {
    "array": lambda a: a,
    "view": lambda a: a[: COUNT // 2 : 2],
    "real": lambda a: a.real,
    "gpudata": lambda a: PyGPU.GPUArray(COUNT, "f8", gpudata=a.gpudata),
    "DeviceArray": lambda a: a.device_array,
}


def first_of(interface: dict[str, Any]) -> float:
    """The first element as a consumer sees it: in the named stream, or at once if there is none."""
    stream = interface["stream"]
    if stream is None:
        stream = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
    into = PyGPU.pagelocked_zeros(1)
    kind = PyGPU.cudaMemcpyDeviceToHost
    address = interface["data"][0]
    checked.cudaMemcpyAsync(into, address, into.nbytes, kind, stream)
    checked.cudaStreamSynchronize(stream)
    return float(into[0])


def check(made: Callable[[], Any], write: Any, export: Any, *, let_go_before: bool) -> None:
    array, held = made(), Held()
    write(array, held.stream)
    exported = export(array)
    if let_go_before:
        held.go_on()
        interface = exported.__cuda_array_interface__
        assert held.over.is_set()
    else:
        interface = exported.__cuda_array_interface__
        held.go_on()
    assert first_of(interface) == 7


def zeros() -> Any:
    return PyGPU.to_gpu(np.zeros(COUNT, "c16"))


def reals() -> Any:
    return PyGPU.to_gpu(np.zeros(COUNT))


def elsewhere() -> Any:
    with PyGPU.Stream(non_blocking=True) as own:
        array = reals()
    assert array.stream == int(own)
    return array


# A driver may wait for all streams when it loads a kernel, so those for fills are loaded now.
for made in (zeros, reals):
    for write in WRITES.values():
        write(made(), PyGPU.cudaStream_t())

has_number = reals().__cuda_array_interface__["stream"] is not None
for made in (zeros, reals, elsewhere):
    for write in WRITES.values():
        for name, export in EXPORTS.items():
            if made is zeros and name == "gpudata":
                continue
            waits = not has_number and made is not elsewhere
            check(made, write, export, let_go_before=waits)

# A consumer may write to the memory. So reads that were queued earlier must come first.
array, held = reals(), Held()
into = array.get_async(held.stream, PyGPU.pagelocked_zeros(COUNT))
if not has_number:
    held.go_on()
interface = array.__cuda_array_interface__
named = interface["stream"] or 0
checked.cudaMemsetAsync(interface["data"][0], 0xFF, array.nbytes, named)
if has_number:
    held.go_on()
PyGPU.wait(into)
checked.cudaStreamSynchronize(named)
assert not into.any()

# A destroyed stream can't be queried. So the device is waited for.
array, held = reals(), Held()
array.fill(7, held.stream)
held.go_on()
checked.cudaStreamDestroy(held.stream)
interface = array.__cuda_array_interface__
assert held.over.is_set()
assert first_of(interface) == 7

own = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
array = PyGPU.to_gpu_async(page_locked(NEW), stream=own)
checked.cudaStreamDestroy(own)
interface = array.__cuda_array_interface__
assert interface["stream"] == reals().__cuda_array_interface__["stream"]
assert first_of(interface) == 7

# The address is the same number for every consumer, and ctypes takes it.
array = reals()
assert array.__cuda_array_interface__["data"] == (array.ptr, False)
assert array.device_array.__cuda_array_interface__ == array.__cuda_array_interface__
assert ctypes.c_void_p(array.__cuda_array_interface__["data"][0]).value == array.ptr
assert not PyGPU.cudaGetLastError()

device_array = array.device_array
checked.cudaDeviceReset()
assert not hasattr(device_array, "__cuda_array_interface__")
ended = 0
try:
    _ = array.__cuda_array_interface__
except PyGPU.GPUError as error:
    ended = int(error.error)
assert ended == 709
