"""Faults of the host runtime: calls that fail on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PyGPU import _backend, _core
from PyGPU._host import library
from PyGPU._host.leaks import give_back
from PyGPU._host.library import functions


class Fault:
    """A fault while it is armed; afterwards `struck` says how many calls it made fail."""

    def __init__(self) -> None:
        self.struck: int | None = None


_UNSAID: Any = object()
_MOST_ERROR = 2**31 - 1  # what an int holds
_GROUPS = {"*": (999, 1), "allocate": (2, None)}  # each with its default error and times


@contextmanager
def fail(
    function: str, call: int = 1, error: object = _UNSAID, times: int | None = _UNSAID
) -> Iterator[Fault]:
    """Make the `call`-th call of a function from now on (1 is the next) return `error`.

    `function` is a CUDA or HIP name ("cudaMalloc"). "*" is any function. "allocate" is every
    allocation of device, managed, pinned or array memory, by any function. `error` is a status
    object or its number; the default is 999, for "allocate" 2 (out of memory). `times` is the
    number of failures in a row; None is no limit. The default is 1, for "allocate" None, because
    PyGPU's arrays try again. A function that fails so does nothing else.

    PyGPU's arrays reuse memory of earlier ones without a call. "allocate" first gives that memory
    back to the runtime (not while a stream is paused), so the next array needs an allocation.
    PyGPU's internal allocations count, too.

    Codes that are fatal on a card (700, 719, …) make every later call fail with the same code until
    the device is reset. Raises ValueError for a name that the host runtime hasn't got.
    """
    usual_error, usual_times = _GROUPS.get(function, (999, 1))
    error = usual_error if error is _UNSAID else error
    times = usual_times if times is _UNSAID else times
    name = library.text(function, "fail(): parameter 'function'")
    first = library.whole(call, library.LARGEST_WORD, "fail(): parameter 'call'")
    error = int(error) if _core.is_error(error) else error  # type: ignore[call-overload]
    code = library.whole(error, _MOST_ERROR, "fail(): parameter 'error'")
    count = (
        0
        if times is None
        else library.whole(times, library.LARGEST_WORD, "fail(): parameter 'times'")
    )
    if first < 1 or (times is not None and count < 1):
        raise ValueError("fail(): call and times count from 1")
    if function not in _GROUPS and not any(function in functions(api) for api in _backend.HOSTED):
        raise ValueError(f"fail(): the host runtime has no function {function!r}")
    fault = Fault()
    if function == "allocate":
        give_back()
    number = library.fail(name, first, count, code)
    try:
        yield fault
    finally:
        fault.struck = library.unfail(number)
