"""One interpreter ends while a host function in Python runs, which `returns` or `hangs`.

A finaliser then waits and frees, and prints the results.
"""

from __future__ import annotations

import os
import sys
import threading

import numpy as np

import PyGPU

begun, ended = threading.Event(), threading.Event()
stream = PyGPU.cudaStream_t()
own = PyGPU.Stream()
array = PyGPU.to_gpu(np.arange(4))
pointer = PyGPU.checked.cudaMalloc(16)


def function(hangs: bool) -> None:
    begun.set()
    while hangs:
        ended.wait()
    for _ in range(1000):  # releases the GIL, and needs it again
        ended.wait(0)
    os.write(1, b"returned\n")


class Last:
    """Is freed while the interpreter is finalising."""

    def __init__(self, **needed: object) -> None:
        self.__dict__ = needed
        self.cuda = PyGPU.cudaStreamSynchronize, PyGPU.cudaMalloc, PyGPU.cudaFree
        self.tell = lambda *said, write=os.write: write(1, f"{said}\n".encode())

    def asked(self, call: object) -> object:
        try:
            return type(call()).__name__
        except Exception:  # GPUError, as long as its module exists
            return "refused"

    def __del__(self) -> None:
        synchronize, malloc, free = self.cuda
        self.tell(int(synchronize(self.stream)), int(malloc(8)[-1]), int(free(self.pointer)))
        self.tell(self.asked(self.own.synchronize), self.asked(self.array.get))


PyGPU.checked.cudaLaunchHostFunc(stream, function, sys.argv[1] == "hangs")
begun.wait()
# Not a global of this module: the running function keeps the module's globals alive.
sys.last = Last(stream=stream, own=own, array=array, pointer=pointer)  # type: ignore[attr-defined]
