"""What the recorder knows of the program's memory and handles while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from PyGPU._trace.values import Function

from .. import copies
from ..intervals import Intervals, Piece
from ..results import leaves
from . import found


@dataclass
class Token:
    """A call that has begun."""

    number: int
    function: Function
    given: dict[str, Any]  # its arguments, which are kept alive with their memory
    arguments: dict[str, Any] = field(default_factory=dict)  # as JSON
    written: list[tuple[int, int]] = field(default_factory=list)  # address and size


@dataclass
class Allocation:
    """What is noted of a piece of memory: whether the host can change it, and what it was last."""

    visible: bool = False
    watched: bool = False  # by every launch
    digest: bytes = b""


class Known:
    """Allocations and handles, as results of calls show them."""

    def __init__(self) -> None:
        self.pieces = Intervals()
        self.handles: set[int] = set()
        self.of_graphs: dict[tuple[int, int], bool] = {}  # the host's memory: is it written

    def add_results(self, token: Token, results: Mapping[str, Any]) -> list[tuple[int, int]]:
        """Learn what a call has returned; address and size of the memory that is new."""
        name, arguments = token.function.name, token.arguments
        new = []
        if name.endswith(copies.REGISTERS):
            for one in arguments.values():
                if isinstance(one, dict) and "b" in one:
                    self.pieces.add(one["b"], one["n"], Allocation(True, True))
                    new.append((one["b"], one["n"]))
        plain = {key: _plain(value) for key, value in results.items()}
        for value in leaves(results.values()):
            if "h" in value:
                self.handles.add(value["h"])
            elif address := value["a"]:
                size = copies.size_of_allocation(name, arguments, plain)
                if size is None and self.pieces.find(address):
                    continue  # within memory that is known
                if size is None:
                    size = (found.extent(token.function.api, address) or (0, 1))[1]
                visible = copies.is_visible(name)
                self.pieces.add(
                    address, size, Allocation(visible, visible and not token.function.own)
                )
                new.append((address, size))
        return new

    def forget(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Forget what a call frees or unregisters."""
        if not copies.frees(name):
            return
        for value in arguments.values():
            if isinstance(value, dict) and "a" in value:
                self.pieces.remove(value["a"])

    def find(self, address: int) -> Piece | None:
        """The known piece of memory that an address lies in."""
        return self.pieces.find(address)

    def add_piece(self, base: int, size: int) -> Piece:
        """Note memory of the device from before the trace."""
        return self.pieces.add(base, size, Allocation())

    def watched(self) -> list[Piece]:
        """The pieces that kernels may reach, and the host change without a call."""
        return [one for one in self.pieces if one.value.visible and one.value.watched]


def _plain(value: Any) -> Any:
    return value.get("a") if isinstance(value, dict) and "a" in value else value
