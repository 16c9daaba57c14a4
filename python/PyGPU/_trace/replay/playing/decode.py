"""From a trace's JSON to the arguments of a call: see encode.py."""

from __future__ import annotations

import ctypes
import importlib
from typing import Any

from PyGPU._apis import APIS

from .. import container
from .load import RefusedError, Trace
from .mapping import Mapping

_WORD = 8
_FORMATS = frozenset("bBhHiIlLqQfd?")


def api_module(name: str) -> Any:
    """The module of a bound API. RefusedError for any other name, which a trace can't have."""
    if name not in APIS:
        raise RefusedError(f"there is no API {name!r}")
    try:
        return importlib.import_module(f"PyGPU.{name}")
    except ImportError as error:
        raise RefusedError(f"PyGPU.{name} isn't installed: {error}") from None


class Decoder:
    """Makes the arguments of one call. `buffers` are those of the host: address, size, memory."""

    def __init__(self, trace: Trace, mapping: Mapping) -> None:
        self._trace, self._mapping = trace, mapping
        self.buffers: list[tuple[int, int, Any]] = []
        self.formats: dict[int, str] = {}
        self.kept: list[Any] = []
        self.host_functions = 0

    def decoded(self, value: Any) -> Any:
        """A value of a call. UnknownError if it needs what the replay hasn't."""
        if isinstance(value, list):
            return [self.decoded(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "a" in value:
            return self._mapping.address(int(value["a"])) if value["a"] else None
        if "h" in value:
            return self._mapping.handle(int(value["h"]), str(value.get("t", "")))
        if "b" in value:
            return self._buffer(value)
        if "w" in value:
            return self._mapping.word(int(value["w"])) or self._mapping.address(int(value["w"]))
        if "s" in value:
            return self._struct(value)
        if "m" in value:
            return {str(key): self.decoded(one) for key, one in dict(value["m"]).items()}
        if "k" in value:
            return [self._argument(one) for one in value["k"]]
        if "fn" in value:
            self.host_functions += 1
            return _does_nothing
        raise container.DamagedError(f"{self._trace.path}: a call has a value with {sorted(value)}")

    def function(self, handle: int, name: str) -> int:
        """The handle of a kernel. UnknownError if its code was loaded before the trace began."""
        return self._mapping.handle(handle, what=f"the kernel {name}")

    def bytes_of_argument(self, text: str) -> Any:
        """A kernel's argument, whose addresses and handles are mapped, as a ctypes struct."""
        data = bytearray.fromhex(text)
        for at in range(0, len(data) - _WORD + 1, _WORD):
            number = int.from_bytes(data[at : at + _WORD], "little")
            if (new := self._mapping.word(number)) is not None:
                data[at : at + _WORD] = new.to_bytes(_WORD, "little")
        return _struct_of(len(data)).from_buffer(data)

    def _argument(self, value: dict[str, Any]) -> Any:
        if "x" in value:
            return self.bytes_of_argument(str(value["x"]))
        return ctypes.c_void_p(self.decoded(value) or 0)

    def _buffer(self, value: dict[str, Any]) -> Any:
        address, size = int(value["b"]), int(value["n"])
        if size > 1 << 40 or size < 0:
            raise container.DamagedError(f"{self._trace.path}: a call has memory of {size} bytes")
        if value.get("w"):
            memory = self._mapping.buffer(address, size)
        else:
            memory = ctypes.create_string_buffer(size + 1)  # C may read up to a NUL
        if (number := value["d"]) is not None and size:
            data = self._mapping.relocated(self._trace.data(int(number), size))
            ctypes.memmove(memory, data, size)
        self.buffers.append((address, size, memory))
        form = str(value.get("f", ""))
        self.formats[address] = form
        view = memoryview(memory).cast("B")[:size]
        plain = form in _FORMATS and form != "B" and size % ctypes.sizeof(_item(form)) == 0
        return view.cast(form) if plain and size else view  # type: ignore[call-overload]

    def _pointer(self, value: dict[str, Any]) -> int:
        """The address of memory of the host, for a field of a struct."""
        if "k" in value:
            values = [self._argument(one) for one in value["k"]]
            table = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
            self.kept += [values, table]
            return ctypes.addressof(table)
        self.decoded(value)
        return ctypes.addressof(self.buffers[-1][2])

    def _struct(self, value: dict[str, Any]) -> Any:
        module, _, name = str(value["s"]).rpartition(".")
        kind = getattr(api_module(module.removeprefix("PyGPU.")), name, None)
        if not isinstance(kind, type) or not hasattr(kind, "from_bytes"):
            raise RefusedError(f"{module} has no struct {name!r}")
        data = bytearray(self._mapping.relocated(bytes.fromhex(value["x"])))
        for at in range(0, len(data) - _WORD + 1, _WORD):
            number = int.from_bytes(data[at : at + _WORD], "little")
            if number > 1 << 16 and (new := self._mapping.word(number)) is not None:
                data[at : at + _WORD] = new.to_bytes(_WORD, "little")
        for place, behind in dict(value.get("p", {})).items():
            address = self._pointer(behind)
            data[int(place) : int(place) + _WORD] = address.to_bytes(_WORD, "little")
        made: Any = kind
        return made.from_bytes(bytes(data))


def _does_nothing(*_: object) -> None:
    pass


def _item(form: str) -> Any:
    types = "c_byte c_ubyte c_short c_ushort c_int c_uint c_long c_ulong c_longlong c_ulonglong"
    named = dict(zip("bBhHiIlLqQ", types.split(), strict=True))
    return getattr(ctypes, named.get(form, {"f": "c_float", "d": "c_double"}.get(form, "c_bool")))


def _struct_of(size: int) -> type[ctypes.Structure]:
    return type("Argument", (ctypes.Structure,), {"_fields_": [("bytes", ctypes.c_ubyte * size)]})
