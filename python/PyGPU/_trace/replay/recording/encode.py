"""From the Python arguments of a call to JSON, with the memory that it reads and writes.

A value is itself (None, bool, int, float, text, list), or an object with one of these keys:

    a  an address in memory that the trace knows, or null memory
    h  a handle: a number that a call has returned; `t` its type
    b  memory of the host: its address, `n` bytes, `d` the data in the file (None: only written),
       `f` the format of its elements, `w` whether it is kept for the launches of a graph
    w  a number of a struct that may be an address or a handle
    s  a struct of an API: `x` its bytes in hexadecimal, `p` what its pointers point to
    m  a dict
    k  the arguments of a kernel: a list of `a`, `h` and `x`, which is bytes in hexadecimal
    fn a Python function, which a replay can't call
    ?  what isn't in the trace, and why
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

from ..objects import SMALLEST, device_address, handle_of, is_address, is_handle, is_struct
from . import structs
from .asked import Memory

_POINTERS = frozenset(
    (
        "readable",
        "writable",
        "location",
        "raw",
        "image",
        "itself",
        "array",
        "ended",
        "address",
        "record",
        "packed",
    )
)
_CFunction: Any = ctypes.CFUNCTYPE(None).__mro__[1]  # the class of all C functions
_CODE = "function"
_CALLABLE = "words a callable"


def encoded(value: Any, parameter: str, type_: str, memory: Memory) -> Any:
    """An argument as JSON. `type_` is the parameter's as its record describes it."""
    if value is None or isinstance(value, bool | float | complex):
        return str(value) if isinstance(value, complex) else value
    kind = type_.partition(" ")[0]
    if isinstance(value, str):
        return value
    if isinstance(value, bytes) and (kind == "text" or " char" in type_):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, int):
        return _number(int(value), parameter, type_, memory)
    if kind == "arguments":
        return _arguments(value, memory)
    if is_struct(value):
        return structs.encoded(value, memory)
    if (address := device_address(value)) is not None:
        return {"a": address}
    if kind == _CODE and isinstance(handle := getattr(value, "handle", None), int):
        return {"h": handle}
    if (handle := handle_of(value)) is not None:
        return _number(handle, parameter, type_, memory) if kind != "user" else None
    if isinstance(value, Mapping):
        return {"m": {str(key): _member(one, parameter, memory) for key, one in value.items()}}
    if isinstance(value, list | tuple):
        return [_member(one, parameter, memory, type_) for one in value]
    if callable(value) and not isinstance(value, type | _CFunction):
        return {"fn": getattr(value, "__name__", type(value).__name__)}
    if kind == "user":  # for a callable: nobody reads it when that isn't called
        return None
    if isinstance(value, ctypes._SimpleCData | ctypes._Pointer | _CFunction):
        pointed: Any = ctypes.cast(value, ctypes.c_void_p) if _points(value) else value
        return _number(pointed.value or 0, parameter, type_, memory)
    return _buffer(value, parameter, type_, memory)


def _points(value: Any) -> bool:
    return isinstance(value, ctypes._Pointer | _CFunction | ctypes.c_char_p)


def _number(number: int, parameter: str, type_: str, memory: Memory) -> Any:
    kind, _, of = type_.partition(" ")
    if kind in ("handle", "ended", "destroyed") or is_handle(type_):
        return {"h": number, "t": of} if number else 0
    if kind == _CODE:
        return {"h": number} if number else 0
    if kind in _POINTERS or is_address(type_):
        return memory.address(number, parameter, type_) if number else None
    if kind == "arguments":
        return memory.arguments(number) if number else None
    if type_.startswith(_CALLABLE) and number:
        return {"?": "a C function of the program's"}
    return number


def _member(value: Any, parameter: str, memory: Memory, type_: str = "struct") -> Any:
    """An item of a sequence, or a field's value: its type isn't told."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= SMALLEST:
        return {"w": int(value)} if memory.word(int(value)) else int(value)
    if device_address(value) is None and (handle := handle_of(value)) is not None:
        return {"h": handle, "t": type(value).__name__}
    return encoded(value, parameter, type_ if not isinstance(value, int) else "int", memory)


def _buffer(value: Any, parameter: str, type_: str, memory: Memory) -> Any:
    try:
        view = memoryview(value)
    except TypeError:
        return {"?": f"a value of type {type(value).__name__}"}
    if not view.contiguous:
        return {"?": "a buffer that isn't contiguous"}
    form = view.format if view.ndim and view.itemsize else None
    return memory.host(_start_of(view), view.nbytes, parameter, type_, form)


def _start_of(view: memoryview) -> int:
    """The address of a buffer, which may be read-only."""
    import numpy

    return int(numpy.frombuffer(view, numpy.uint8).ctypes.data) if view.nbytes else 0


def _arguments(values: Any, memory: Memory) -> Any:
    """A kernel's arguments: each by its bytes, or as what its memory is."""
    if (
        isinstance(values, tuple)
        and len(values) == 2
        and all(isinstance(one, list | tuple) for one in values)
    ):
        pairs = zip(values[0], values[1], strict=False)
        values = [_typed(value, type_) for value, type_ in pairs]
    if not isinstance(values, list | tuple):
        return {"?": "a kernel's arguments were given by their addresses"}
    return {"k": [_argument(one, memory) for one in values]}


def _typed(value: Any, type_: Any) -> Any:
    if value is None or device_address(value) is not None or isinstance(value, type_):
        return value
    made: Callable[..., Any] = type_
    return made(value)


def _argument(value: Any, memory: Memory) -> Any:
    if value is None:
        return {"a": 0}
    if (address := device_address(value)) is not None:
        return {"a": address}
    if is_struct(value):
        return {"x": bytes(memoryview(value)).hex()}
    if (handle := handle_of(value)) is not None:
        return {"h": handle}
    try:
        view = memoryview(value)
    except TypeError:
        return {"?": f"a kernel's argument of type {type(value).__name__}"}
    if view.ndim and not isinstance(value, ctypes.Structure | ctypes.Array):
        return {"?": f"a kernel's argument of type {type(value).__name__}"}
    memory.words(view.tobytes())
    return {"x": view.tobytes().hex()}
