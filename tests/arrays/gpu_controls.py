"""The part of PyGPU.host that tests need, for GPUs: PyGPU.host controls only the host runtime.

A library in front of the loaded runtime counts what the runtime creates (counted.cpp).
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import types

import PyGPU


class pause:  # noqa: N801 (as PyGPU.host's)
    """Blocks a stream by a host function."""

    def __init__(self, stream):
        self.stream, self.go_on = stream, threading.Event()

    def __enter__(self):
        PyGPU.checked.cudaLaunchHostFunc(self.stream, lambda data: self.go_on.wait(), None)
        return self

    def resume(self):
        self.go_on.set()

    def __exit__(self, *raised):
        self.resume()


def leaks() -> str:
    """Lists what was created and not yet freed, except what PyGPU keeps for later arrays."""
    gc.collect()
    counted = ctypes.CDLL(os.environ[f"PYGPU_{PyGPU.backend.upper()}_LIBRARY"])
    counted.left_on.restype = ctypes.c_char_p
    for device in range(PyGPU.checked.cudaGetDeviceCount()):
        if counted.left_on(device):
            PyGPU.trim_memory(device=device)
    return counted.left_on(-1).decode()


PyGPU.host = sys.modules["PyGPU.host"] = types.ModuleType("PyGPU.host")
PyGPU.host.pause, PyGPU.host.leaks = pause, leaks
