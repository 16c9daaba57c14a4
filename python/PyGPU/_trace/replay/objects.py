"""What Python's objects are to an API: addresses, handles, structs; and what types' numbers are."""

from __future__ import annotations

import re
from typing import Any

_MEMORY = ("pointer_wrapper", "DeviceMemory")
# Types of numbers that are handles or addresses, by parts of their names.
_HANDLES = re.compile("object|handle", re.IGNORECASE)
_ADDRESSES = re.compile("deviceptr", re.IGNORECASE)
SMALLEST = 1 << 16  # of addresses; a smaller number is none


def device_address(value: Any) -> int | None:
    """The address of an object in device memory; None for any other object."""
    kind = type(value)
    if kind.__module__.startswith("PyGPU"):
        if hasattr(value, "device_data") or kind.__name__.startswith(_MEMORY):
            return value._as_parameter_.value or 0
        return None
    interface = getattr(value, "__cuda_array_interface__", None)
    return int(interface["data"][0]) if isinstance(interface, dict) else None


def handle_of(value: Any) -> int | None:
    """The handle of an object; None for an object without one."""
    if (stream := getattr(value, "__cuda_stream__", None)) is not None:
        return int(stream()[1])
    if type(value).__module__.startswith("PyGPU") and not isinstance(value, type | int):
        parameter: Any = getattr(value, "_as_parameter_", None)
        if hasattr(parameter, "value"):
            return int(parameter.value or 0)
        if (handle := getattr(value, "handle", None)) is not None:
            return int(handle)
    return None


def is_struct(value: Any) -> bool:
    """Whether it is a struct of a bound API."""
    kind = type(value)
    return (
        hasattr(kind, "from_bytes")
        and not isinstance(value, int)
        and kind.__module__.startswith("PyGPU")
    )


def is_handle(type_: str) -> bool:
    """Whether the numbers of this type, as a function's record describes it, are handles."""
    kind, _, of = type_.partition(" ")
    return kind == "number" and bool(_HANDLES.search(of))


def is_address(type_: str) -> bool:
    """Whether the numbers of this type are addresses."""
    kind, _, of = type_.partition(" ")
    return kind == "address" or (kind == "number" and bool(_ADDRESSES.search(of)))
