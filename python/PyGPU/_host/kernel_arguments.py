"""Turns the bytes of a launch into arguments of the Python function that runs as the kernel."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from PyGPU._host import library

# PTX's types. A .u32 may be C's int, too: `parameters` of PyGPU.host.kernel() says which it is.
_PTX: dict[str, Any] = {
    **{
        f"{letter}{bits}": getattr(ctypes, f"c_uint{bits}")
        for letter in "ub"
        for bits in (8, 16, 32, 64)
    },
    **{f"s{bits}": getattr(ctypes, f"c_int{bits}") for bits in (8, 16, 32, 64)},
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}
_SIMPLE: Any = ctypes.c_int.__mro__[1]
_DATA: Any = _SIMPLE.__mro__[1]
_FUNCTION: Any = ctypes.CFUNCTYPE(None).__mro__[1]


class Parameter(NamedTuple):
    """One parameter: its size, and the function that makes a value of its bytes."""

    size: int
    alignment: int
    value: Callable[[bytes], Any]


def address_of(function: object) -> int | None:
    """The address of a C function; None for a callable of Python's."""
    if isinstance(function, int):
        return library.whole(function, library.LARGEST_WORD, "kernel(): parameter 'function'")
    if isinstance(function, _FUNCTION):
        return ctypes.cast(function, ctypes.c_void_p).value
    return None


def parameter(kind: Any) -> Parameter:
    """The parameter of a ctypes or numpy type. TypeError for anything else."""
    if isinstance(kind, type) and issubclass(kind, _DATA):
        with suppress(TypeError, AttributeError):  # ctypes.Structure itself has no fields
            return Parameter(ctypes.sizeof(kind), ctypes.alignment(kind), _value_of(kind))
    try:
        import numpy as np

        dtype = np.dtype(kind)
    except (ImportError, TypeError, AttributeError):
        dtype = None
    if kind is None or dtype is None or dtype.hasobject or not dtype.itemsize:
        raise TypeError(
            f"kernel(): parameters must be types of ctypes or numpy, not {kind!r}"
        ) from None
    return Parameter(dtype.itemsize, dtype.alignment, lambda data: np.frombuffer(data, dtype, 1)[0])


def offsets(parameters: Iterable[Parameter]) -> list[int]:
    """Where each parameter lies in the block of all, as C lays out a struct."""
    starts, end = [], 0
    for one in parameters:
        start = -(-end // one.alignment) * one.alignment
        starts.append(start)
        end = start + one.size
    return starts


def of_ptx(types: str) -> list[Parameter]:
    """The parameters of PTX's types, "u64 f32 b8[12]": bytes if Python has no such number."""
    return [_of_ptx(one) for one in types.split()]


def read(parameters: Iterable[Parameter], arguments: Any) -> list[Any]:
    """The values that C's array of pointers points to."""
    return [
        one.value(ctypes.string_at(arguments[index], one.size))
        for index, one in enumerate(parameters)
    ]


def _of_ptx(name: str) -> Parameter:
    kind = _PTX.get(name)
    if kind is not None:
        return parameter(kind)
    name, _, count = name.partition("[")
    size = int(count[:-1]) if count else int(name[1:]) // 8
    return Parameter(size, 1, lambda data: data)


def _value_of(kind: Any) -> Callable[[bytes], Any]:
    if kind.__base__ is _SIMPLE:  # as ctypes does: a number for c_int, an object for its subclasses
        if kind is ctypes.c_void_p:
            return lambda data: kind.from_buffer_copy(data).value or 0
        return lambda data: kind.from_buffer_copy(data).value
    return kind.from_buffer_copy  # type: ignore[no-any-return]
