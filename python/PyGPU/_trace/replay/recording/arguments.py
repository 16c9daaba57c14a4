"""The arguments of one call as JSON, with what of the program's memory has to be kept for it."""

from __future__ import annotations

import re
from typing import Any

from PyGPU import _core

from .. import copies, own
from ..intervals import Piece
from ..objects import SMALLEST, handle_of
from . import found, structs
from .encode import encoded
from .known import Known, Token
from .store import Store, digest_of

UNTOLD = "?"  # stands for arguments that the trace can't have; its value is the reason
_RUNS_CODE = ("Launch", "launch")
_SIZE = re.compile(r"^\w+ , (\w+) bytes$")  # "readable , count bytes"


class Arguments:
    """The encoder of one call, which answers encode.py about memory."""

    def __init__(self, store: Store, known: Known, token: Token) -> None:
        self._store, self._known, self._token = store, known, token
        self._given = token.given
        self._name = token.function.name
        self._api = token.function.api
        self._capturing: bool | None = None

    def encoded(self) -> dict[str, Any]:
        """All arguments by name. Keeps memory that changes without calls, if the call runs code."""
        made: dict[str, Any] = {}
        if UNTOLD in self._given:
            return dict(self._given)
        if self._token.function.own and self._name.endswith(own.OF_HOST):
            return made
        types = dict(self._token.function.parameters)
        if self._name == own.LAUNCH:
            made = self._launch()
        else:
            for name, value in list(self._given.items()):
                type_ = types.get(name, "")
                value = structs.made_of(value, self._api, type_)
                self._given[name] = value
                made[name] = encoded(value, name, type_, self)
        if any(one in self._name for one in _RUNS_CODE):
            self._keep_visible()
        return made

    def _launch(self) -> dict[str, Any]:
        made = dict(self._given)
        made["function"] = {"h": made["function"]}
        made["stream"] = {"h": made["stream"]} if made["stream"] else 0
        if made["parameters"] is None:
            made["parameters"] = {"?": "the kernel's arguments: nothing tells their sizes"}
            return made
        for one in made["parameters"]:
            self.words(one)
        made["parameters"] = [one.hex() for one in made["parameters"]]
        return made

    def word(self, number: int) -> bool:
        """Whether it is a known handle, or an address that the trace knows or finds."""
        if number in self._known.handles:
            return True
        piece = self._known.find(number) or self._find(number)
        if piece and piece.value.visible:
            piece.value.watched = True
            if copies.is_copy(self._name) and not self._is_for_later():  # within a struct
                self._keep_piece(piece)
        return piece is not None

    def words(self, data: bytes) -> None:
        """Find the memory that numbers among these bytes are addresses of."""
        for at in range(0, len(data) - 7, 8):
            if (number := int.from_bytes(data[at : at + 8], "little")) >= SMALLEST:
                self.word(number)

    def arguments(self, address: int) -> Any:
        """What stands for a kernel's arguments behind a `void **`."""
        for name in ("func", "f", "function", "kernel"):
            function = self._given.get(name)
            if function is None:
                continue
            number = _number(function)
            if (values := structs.values_at(number, address)) is not None:
                for one in values:
                    self.words(one)
                return {"k": [{"x": one.hex()} for one in values]}
        return {"?": "a kernel's arguments: nothing tells their sizes"}

    def side(self, address: int, size: int, side: str) -> Any:
        """What stands for the host's side of a copy, "src" or "dst", in a struct."""
        if piece := self._known.find(address):
            self._use_part(piece, address, size, side == "dst")
            return {"a": address}
        return self._host(address, size, side == "dst", side == "dst", None)

    def address(self, number: int, parameter: str, type_: str) -> Any:
        """What stands for an address that is an argument."""
        piece = self._known.find(number)
        of_host = copies.is_of_host(self._name, parameter, self._given)
        if not piece and of_host is not True:
            piece = self._find(number)
        if piece:
            if piece.value.visible and copies.is_copy(self._name):
                self._use_visible(piece, number, parameter)
            return {"a": number}
        if of_host is False or copies.frees(self._name):
            return {"a": number}  # nothing is known of it, and the replay says so
        size = copies.extent(self._name, parameter, self._given)
        if size is None and (told := _SIZE.search(type_)):
            size = self._given.get(told[1])
        if not isinstance(size, int):
            return {"?": f"the memory at {number:#x}, which is of unknown size"}
        return self.host(number, size, parameter, type_, None)

    def host(self, address: int, size: int, parameter: str, type_: str, form: str | None) -> Any:
        """What stands for memory of the host whose size is known."""
        if self._known.find(address):
            return self.address(address, parameter, type_)
        extent = copies.extent(self._name, parameter, self._given)
        size = size if extent is None else min(size, extent)
        writes = not type_.startswith(("readable", "image", "text")) and not self._is_source(
            parameter
        )
        return self._host(address, size, writes, writes and self._is_target(parameter), form)

    def _host(self, address: int, size: int, writes: bool, only: bool, form: str | None) -> Any:
        """Memory of the host that a call reads, or writes, or `only` writes."""
        made: dict[str, Any] = {"b": address, "n": size, "d": None}
        data = None if only else self._store.bytes_at(address, size)
        if data is None and not only:
            return {"?": f"{size} bytes at {address:#x}, where no memory is"}
        if data is not None:
            made["d"] = self._store.data(data)
        if form:
            made["f"] = form
        if self._is_for_later():
            made["w"] = True
            if not self._name.endswith(copies.REGISTERS):
                self._known.of_graphs[address, size] = writes
        elif writes:
            self._token.written.append((address, size))
        return made

    def _is_source(self, parameter: str) -> bool:
        return copies.is_copy(self._name) and parameter.startswith("src")

    def _is_target(self, parameter: str) -> bool:
        return copies.is_copy(self._name) and parameter.startswith("dst")

    def _is_for_later(self) -> bool:
        """Whether the memory is used later: by a graph's copy, or because it is registered."""
        if not copies.is_copy(self._name) and not self._name.endswith(copies.REGISTERS):
            return False
        if "Graph" in self._name or self._name.endswith(copies.REGISTERS):
            return True
        if self._capturing is None:
            stream = next(
                (self._given[one] for one in ("stream", "hStream") if one in self._given), None
            )
            self._capturing = stream is not None and _core.is_capturing(self._api, _number(stream))
        return self._capturing

    def _find(self, number: int) -> Piece | None:
        """Memory of the device from before the trace: from now on it is known."""
        if self._known.find(number):
            return self._known.find(number)
        base, size = found.extent(self._api, number) or (0, 0)
        data = found.content(self._api, base, size) if size and self._store.takes(size) else None
        if data is None:
            return None
        piece = self._known.add_piece(base, size)
        self._store.note_memory(base, data, "found")
        return piece

    def _use_visible(self, piece: Piece, address: int, parameter: str) -> None:
        """Keep the part of page-locked or managed memory that a copy reads or writes."""
        size = copies.extent(self._name, parameter, self._given)
        self._use_part(
            piece, address, piece.size if size is None else size, self._is_target(parameter)
        )

    def _use_part(self, piece: Piece, address: int, size: int, writes: bool) -> None:
        if not piece.value.visible:
            return
        size = min(piece.end - address, size)
        if self._is_for_later():
            self._known.of_graphs[address, size] = writes
        elif writes:
            self._token.written.append((address, size))
        elif (data := self._store.bytes_at(address, size)) is not None:
            self._store.note_memory(address, data, "changed")

    def _keep_piece(self, piece: Piece) -> None:
        """Keep all of a piece that the host can change, before the call and after it."""
        data = self._store.bytes_at(piece.base, piece.size)
        if data is None:
            return
        now = digest_of(data)
        if now != piece.value.digest:
            self._store.note_memory(piece.base, data, "changed")
            piece.value.digest = now
        self._token.written.append((piece.base, piece.size))

    def _keep_visible(self) -> None:
        """Keep what kernels and graphs may read of memory that the host changes without calls."""
        for piece in self._known.watched():
            self._keep_piece(piece)
        if "Graph" not in self._name:
            return
        for (address, size), written in self._known.of_graphs.items():
            data = self._store.bytes_at(address, size)
            if data is not None and not written:
                self._store.note_memory(address, data, "changed")
            elif data is not None:
                self._token.written.append((address, size))


def _number(value: Any) -> int:
    """A handle as it was given: an object, an int, or None."""
    return (int(value) if isinstance(value, int) else handle_of(value)) or 0
