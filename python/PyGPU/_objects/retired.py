"""What launches of graphs may still use, until they are done."""

from __future__ import annotations

from collections import deque
from contextlib import suppress

from PyGPU._errors import GPUError
from PyGPU._kernels import driver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from PyGPU import gpuarray

# The oldest first. A deque changes in one step, whichever thread does it.
_waiting: deque[tuple[Any, list[gpuarray.Event]]] = deque()
# What finalisers leave to the next sweep(): they may run where GPU calls are forbidden.
dropped: deque[tuple[Any, list[gpuarray.Stream]]] = deque()


def retire(used: Any, streams: Iterable[gpuarray.Stream]) -> None:
    """Keep an object until the work that streams have now is done; sweep() lets it go."""
    try:
        events = [stream.record() for stream in streams]
    except GPUError:  # a stream has ended, its work may not have
        with suppress(GPUError), driver.context():
            driver.wait_for_device()
        return
    if not all(map(_is_done, events)):
        _waiting.append((used, events))


def sweep() -> None:
    """Let go what no work needs any more."""
    while dropped:
        try:
            one = dropped.popleft()
        except IndexError:  # another thread took the last
            break
        retire(*one)
    while _waiting:
        try:
            used, events = _waiting.popleft()
        except IndexError:  # another thread took the last
            return
        if not all(map(_is_done, events)):
            _waiting.appendleft((used, events))
            return


def _is_done(event: gpuarray.Event) -> bool:
    try:
        return event.query()
    except GPUError:  # the work failed, and so ended
        return True
