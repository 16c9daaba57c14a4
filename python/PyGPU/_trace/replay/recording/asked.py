"""What the encoders ask about memory and numbers."""

from __future__ import annotations

from typing import Any, Protocol


class Memory(Protocol):
    """What the recorder answers about memory and numbers."""

    def address(self, number: int, parameter: str, type_: str) -> Any:
        """What stands for an address that is an argument."""

    def host(self, address: int, size: int, parameter: str, type_: str, form: str | None) -> Any:
        """What stands for memory of the host whose size is known."""

    def side(self, address: int, size: int, side: str) -> Any:
        """What stands for the host's side of a copy, "src" or "dst", in a struct."""

    def word(self, number: int) -> bool:
        """Whether it is a known handle, or an address that the trace knows or finds."""

    def arguments(self, address: int) -> Any:
        """What stands for a kernel's arguments behind a `void **`."""

    def words(self, data: bytes) -> None:
        """Find the memory that numbers among these bytes are addresses of."""
