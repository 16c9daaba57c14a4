"""What the runtime says about a stream."""

from __future__ import annotations

from PyGPU import _backend

TYPE_CHECKING = False
if TYPE_CHECKING:
    from PyGPU import gpuarray


def priority(stream: gpuarray.Stream) -> int:
    """A stream's priority: the lower the number, the higher."""
    value: int = _backend.runtime(True).cudaStreamGetPriority(stream)
    return value


def is_nonblocking(stream: gpuarray.Stream) -> bool:
    """Whether a stream and the default stream don't wait for each other."""
    flags: int = _backend.runtime(True).cudaStreamGetFlags(stream)
    return bool(flags & int(_backend.runtime(False).cudaStreamNonBlocking))
