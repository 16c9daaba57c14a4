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
    """Whether a stream and the default stream don't wait for each other.

    RuntimeError while the stream is being captured: CUDA would end the capture.
    """
    if int(_backend.runtime(True).cudaStreamIsCapturing(stream)):
        raise RuntimeError("Stream.is_nonblocking can't be asked during the stream's capture")
    flags: int = _backend.runtime(True).cudaStreamGetFlags(stream)
    return bool(flags & int(_backend.runtime(False).cudaStreamNonBlocking))
