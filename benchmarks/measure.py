"""What the benchmarks share: rounds of timing, tables, and the machine they ran on."""

from __future__ import annotations

import datetime
import json
import platform
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from PyGPU._base.command import run as run  # all benchmarks end by it


@dataclass
class Cell:
    """One measurement: the time of each round, or why there is none."""

    times: list[float] = field(default_factory=list)
    absent: str = ""

    @property
    def least(self) -> float:
        return min(self.times)

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    def as_json(self) -> dict[str, object]:
        if not self.times:
            return {"absent": self.absent or "not measured"}
        return {"min": round(self.least, 2), "median": round(self.median, 2)}

    def __str__(self) -> str:
        return f"{self.least:,.1f} / {self.median:,.1f}" if self.times else self.absent


def machine() -> dict[str, str]:
    """The machine, interpreter and day that the numbers belong to."""
    model = ""
    try:
        with open("/proc/cpuinfo") as file:
            model = next((line.split(":")[1].strip() for line in file if "model name" in line), "")
    except OSError:
        pass
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpu": model,
        "date": datetime.date.today().isoformat(),
    }


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: with rich if it is installed, else in plain columns."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
        print(f"\n{title}")
        for row in (header, *rows):
            print(
                "  ".join(
                    text.ljust(width) for text, width in zip(row, widths, strict=True)
                ).rstrip()
            )
        return
    table = Table(title=title, title_justify="left")
    for index, name in enumerate(header):
        table.add_column(name, justify="right" if index else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    # If the output is no terminal, rich would cut the table to 80 columns.
    Console(width=None if sys.stdout.isatty() else 240).print(table)


def write_json(data: object, target: str) -> None:
    """Write JSON to a file, or to standard output for "-"."""
    text = json.dumps(data, indent=2)
    if target == "-":
        print(text)
    else:
        with open(target, "w") as file:
            file.write(text + "\n")
