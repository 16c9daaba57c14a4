"""Memory of the host runtime that was not freed, and giving back what PyGPU keeps."""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from PyGPU import _backend
from PyGPU._apis import APIS
from PyGPU._host import library


def leaks() -> str:
    """Memory that was allocated and not freed yet, one piece a line; empty if there is none.

    Memory that PyGPU keeps of freed arrays is no leak. So leaks() first collects garbage, waits for
    the devices and gives that memory back to the runtime. `assert not leaks()` holds when all
    arrays are gone and all memory allocated by calls is freed. While a stream is paused, leaks()
    waits for nothing, and lists PyGPU's memory, too.
    """
    gc.collect()
    give_back()
    size = library.leaks(None, 0)
    buffer = ctypes.create_string_buffer(size + 4096)
    library.leaks(buffer, len(buffer))
    return buffer.value.decode(errors="replace")


def _trims() -> list[Callable[[], object]]:
    """One function for each device: it gives the memory of freed arrays back to the runtime."""
    arrays = sys.modules.get("PyGPU.gpuarray")
    in_use = [facts for api in _backend.HOSTED if (facts := APIS[api].extension().installed(api))]
    if arrays is None or not all(facts["host"] for facts in in_use) or not library.leaks(None, 0):
        return []
    return [partial(arrays.trim_memory, device=device) for device in range(library.devices())]


def give_back() -> None:
    for trim in _trims():
        if library.work() < 2:  # no stream is paused
            with suppress(Exception):  # after a fatal error nothing can be given back
                trim()


class _AfterAll:
    """Gives the memory of freed arrays back when it dies, unless that would have to wait."""

    def __init__(self) -> None:
        self.trims, self.work = _trims(), library.work

    def __del__(self) -> None:  # most names are gone by then
        for trim in self.trims:
            if not self.work():
                try:  # noqa: SIM105
                    trim()
                except Exception:
                    pass


@atexit.register
def _leave() -> None:
    """The runtime's report of leaks comes after all arrays."""
    if os.environ.get("PYGPU_HOST_LEAKS") == "1":
        sys.__dict__["_pygpu_after_all"] = _AfterAll()  # sys is cleared last
