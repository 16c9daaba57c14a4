"""What ctypes passes for arrays and memory: an address that fits several types of parameters.

It is a `c_void_p`, so it fits that type, and functions without argtypes. Where a function wants
another pointer, ctypes asks for its `_as_parameter_`: a pointer to the elements' type.
"""

from __future__ import annotations

import ctypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_INTEGERS = [ctypes.c_int8, ctypes.c_int16, ctypes.c_int32, ctypes.c_int64]
_NATURALS = [ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64]
_TYPES: dict[tuple[str, int], Any] = {("f", 4): ctypes.c_float, ("f", 8): ctypes.c_double}
_TYPES["b", 1] = ctypes.c_bool
for _kind, _types in (("i", _INTEGERS), ("u", _NATURALS)):
    _TYPES.update({(_kind, ctypes.sizeof(one)): one for one in _types})

# Derived from all of these types: byref() of an instance passes as a pointer to any of them.
_Anything: Any = type("_Anything", tuple(_TYPES.values()), {})


class Memory(ctypes.c_void_p):
    """The address of memory with any content: it passes as a pointer to any type of numbers."""

    @property
    def _as_parameter_(self) -> Any:
        return ctypes.byref(_Anything.from_address(self.value or 0))


_kinds: dict[tuple[str, int], type[ctypes.c_void_p]] = {}


def typed(address: int | None, kind: str, size: int) -> ctypes.c_void_p:
    """The address of elements of a numpy kind and item size; `Memory` if C has no such type."""
    pointer = _kinds.get((kind, size))
    if pointer is None:
        item = _TYPES.get((kind, size))
        pointer = _kinds[kind, size] = Memory if item is None else _class_for(item)
    return pointer(address)


def _class_for(item: Any) -> type[ctypes.c_void_p]:
    pointer = ctypes.POINTER(item)
    members = {"_as_parameter_": property(lambda self: ctypes.cast(self, pointer))}
    return type(f"{item.__name__}_elements", (ctypes.c_void_p,), members)
