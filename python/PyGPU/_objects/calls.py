"""Stream.call(): Python functions that a stream calls when it reaches them."""

from __future__ import annotations

import atexit
from functools import lru_cache, partial

from PyGPU import _backend
from PyGPU._arrays.base import finish_calls, queue_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from PyGPU import gpuarray


def call(
    stream: gpuarray.Stream, function: Callable[..., object], *args: Any, wait: bool = True
) -> None:
    """Queue a call of a function on a stream; Stream.call() says the rest."""
    if not callable(function):
        raise TypeError(f"Stream.call(): parameter 'function' can't be called: {function!r}")
    if args:
        function = partial(function, *args)
    if wait:
        _backend.runtime(True).cudaLaunchHostFunc(stream, lambda _: function(), None)
    else:
        _finish_at_exit()
        queue_call(stream, function)


@lru_cache(1)
def _finish_at_exit() -> None:
    atexit.register(finish_calls)
