"""Recording single pieces of work as nodes of a graph."""

from __future__ import annotations

from contextlib import suppress

from PyGPU import _backend
from PyGPU._arrays.base import take_owned
from PyGPU._arrays.devices import last_error_kept
from PyGPU._errors import GPUError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from PyGPU import gpuarray


def record(
    graph: Any, stream: gpuarray.Stream, after: list[Any], work: Callable[[Any], object]
) -> tuple[list[Any], list[Any]]:
    """Add to a graph what `work(stream)` queues, after some nodes.

    Returns the last nodes, and what must be kept for them.
    """
    runtime = _backend.runtime(True)
    mode = _backend.runtime(False).cudaStreamCaptureModeRelaxed
    with last_error_kept():
        runtime.cudaStreamBeginCaptureToGraph(
            stream, graph._own, after or None, None, len(after), mode
        )
        owned = graph._owns(stream)
        try:
            work(stream)
            last: list[Any] = runtime.cudaStreamGetCaptureInfo(stream)[3]
        except BaseException:
            with suppress(GPUError):
                runtime.cudaStreamEndCapture(stream)
            take_owned(owned)
            raise
        runtime.cudaStreamEndCapture(stream)
    return last, take_owned(owned)
