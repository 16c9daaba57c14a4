"""A row of the matrix: a cell for each column, or the reason why there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

COLUMNS = ("out", "in", "zero-copy", "stream order", "lifetime", "dtypes", "refused")


@dataclass(frozen=True)
class Cell:
    """The result of a test, and whether it is as it should be."""

    text: str
    right: bool = True


@dataclass
class Row:
    """One peer: its cells by column, or the reason why nothing was run."""

    peer: str
    version: str = ""
    absent: str = ""
    cells: dict[str, Cell] = field(default_factory=dict)

    @property
    def right(self) -> bool:
        return all(cell.right for cell in self.cells.values())

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_json(cls, given: dict[str, Any]) -> Row:
        cells = {column: Cell(**cell) for column, cell in given["cells"].items()}
        return cls(given["peer"], given["version"], given["absent"], cells)
