"""From the results of a call to JSON: addresses and handles, which a replay maps, and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .objects import device_address, is_address, is_handle, is_struct

_NO_FIELDS = frozenset(("address", "from_address", "from_bytes", "sizeof"))
_DEPTH = 3


def named(outputs: Sequence[tuple[str, str]], result: Any, failed: bool) -> dict[str, Any]:
    """The results by name, as JSON, without the status. Empty after a failure."""
    if failed or not outputs:
        return {}
    values = result[: len(outputs)] if isinstance(result, tuple) else (result,)
    pairs = zip(outputs, values, strict=False)
    return {name: encoded(value, name, type_) for (name, type_), value in pairs}


def encoded(value: Any, name: str, type_: str, depth: int = 0) -> Any:
    """A result as JSON: `a` is an address, `h` a handle, `v` the fields of a struct."""
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        if is_handle(type_):
            return {"h": int(value)}
        return {"a": int(value)} if is_address(type_) or _is_pointer(name) else int(value)
    if isinstance(value, list | tuple):
        return [encoded(one, name, type_, depth + 1) for one in value[:4096]]
    if is_struct(value):
        return {"v": _fields(value, depth)} if depth < _DEPTH else None
    if (address := device_address(value)) is not None:
        return {"a": address}
    if type(value).__module__.startswith("PyGPU") and hasattr(value, "__int__"):
        return {"h": int(value)}
    return None  # texts and bytes, which no later call needs by identity


def _is_pointer(name: str) -> bool:
    """Whether a struct's field of this name is a pointer."""
    return name == "ptr" or name.endswith(("Ptr", "ptr"))


def _fields(value: Any, depth: int) -> dict[str, Any]:
    names = [one for one in dir(value) if not one.startswith("_") and one not in _NO_FIELDS]
    fields = {}
    for name in names:
        try:
            fields[name] = encoded(getattr(value, name), name, "", depth + 1)
        except (AttributeError, ValueError, TypeError):
            continue  # of another release, or of a union's other member
    return fields


def leaves(values: Any) -> list[dict[str, Any]]:
    """The addresses and handles among JSON values, in their order."""
    found_ones: list[dict[str, Any]] = []
    for value in values:
        if isinstance(value, dict):
            if "a" in value or "h" in value:
                found_ones.append(value)
            elif "v" in value:
                found_ones.extend(leaves(value["v"].values()))
        elif isinstance(value, list):
            found_ones.extend(leaves(value))
    return found_ones
