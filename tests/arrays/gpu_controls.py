"""What tests use of PyGPU.host, for GPUs: it controls the host runtime alone."""

from __future__ import annotations

import sys
import threading
import types

import PyGPU


class pause:  # noqa: N801 (as PyGPU.host's)
    """Holds a stream up by a host function."""

    def __init__(self, stream):
        self.stream, self.go_on = stream, threading.Event()

    def __enter__(self):
        PyGPU.checked.cudaLaunchHostFunc(self.stream, lambda data: self.go_on.wait(), None)
        return self

    def resume(self):
        self.go_on.set()

    def __exit__(self, *raised):
        self.resume()


PyGPU.host = sys.modules["PyGPU.host"] = types.ModuleType("PyGPU.host")
PyGPU.host.pause, PyGPU.host.leaks = pause, str
