"""The comparisons with other packages in README.md and docs/speed.md, from what benchmarks stored.

    python benchmarks/compare.py [FOLDER] [--write]

FOLDER holds the JSON of call_overhead.py, launch.py, interop.py and transfer.py for the README, of
objects.py and threads.py for docs/speed.md, and machine.json, which says where and when they ran.
--write puts the tables into the pages, each between the two marks there.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from measure import run

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "h200"
PACKAGES = ("PyGPU", "C++", "CuPy", "cuda-bindings", "cuda.core", "torch", "numba")
OTHER_NAMES = {"CuPy RawKernel": "CuPy", "PyGPU.Kernel": "PyGPU", "Numba": "numba"}
MARKS = "<!-- measured -->", "<!-- end of measured -->"

Cells = dict[str, float]


def least(cells: dict[str, Any]) -> Cells:
    """The least time of each package that was measured."""
    timed = {name: one for name, one in cells.items() if isinstance(one, dict) and "min" in one}
    return {OTHER_NAMES.get(name, name): one["min"] for name, one in timed.items()}


def rows_of(folder: Path) -> list[tuple[str, str, Cells]]:
    """The rows: what is compared, the unit, and each package's number."""

    def read(name: str) -> Any:
        return json.loads((folder / f"{name}.json").read_text())

    calls, launch = read("call_overhead")["calls"], read("launch")["launch"]
    exchange, copies = read("interop")["rows"], read("transfer")
    found = [
        ("`cudaSetDevice(0)`", "ns", least(calls["cudaSetDevice"])),
        ("launch a kernel with 4 arguments", "ns", least(launch["four"])),
        ("`from_dlpack` of a tensor of torch's", "ns", least(exchange["from_dlpack of torch's"])),
    ]
    contiguous, mib = copies["contiguous"], str(64 << 20)
    for text, kind in {
        "copy 64 MiB to the device": "pageable, up",
        "copy 64 MiB into a numpy array": "pageable, down",
        "copy 64 MiB into a new one": "pageable, new",
    }.items():
        found.append((text, "GB/s", contiguous[kind][mib]))
    found.append(("copy 128 MiB, transposed", "GB/s", copies["strided"]["transposed, up"]))
    return found


def as_markdown(folder: Path) -> str:
    """One sentence about the machine, and the table."""
    where = json.loads((folder / "machine.json").read_text())
    ran = (
        f"One {where['gpu']}, driver {where['driver']}, CUDA {where['cuda']}, "
        f"{where['processors']} processors, Python {where['python']}, {where['date']}. "
        "Times are the least, rates the best of the rounds, in which all packages take turns."
    )
    header = f"| | unit | {' | '.join(PACKAGES)} |"
    lines = [ran, "", header, "| --- | --- |" + " ---: |" * len(PACKAGES)]
    for text, unit, cells in rows_of(folder):
        numbers = [
            ""
            if one not in cells
            else f"{cells[one]:,.0f}"
            if unit == "ns"
            else f"{cells[one]:.1f}"
            for one in PACKAGES
        ]
        lines.append(f"| {text} | {unit} | {' | '.join(numbers)} |")
    return "\n".join(lines)


def objects_as_markdown(folder: Path) -> str:
    """The tables of objects and of threads."""
    objects, threads = (
        json.loads((folder / f"{name}.json").read_text()) for name in ("objects", "threads")
    )
    packages = ("PyGPU", "cuda.core", "CuPy", "torch")
    gpu = json.loads((folder / "machine.json").read_text())["gpu"]
    ran = f"One {gpu}, Python {objects['python']}, {objects['date']}"
    lines = [
        f"{ran}: nanoseconds of a call, the least of the rounds.",
        "",
        f"| ns | {' | '.join(packages)} |",
        "| --- |" + " ---: |" * len(packages),
    ]
    for row, cells in objects["rows"].items():
        known = least(cells)
        numbers = (f"{known[one]:,.0f}" if one in known else "" for one in packages)
        lines.append(f"| {row} | {' | '.join(numbers)} |")
    packages = ("PyGPU", "C++", "CuPy", "torch")
    lines += [
        "",
        "What all threads do in sum, in the best round:",
        "",
        f"| | unit | {' | '.join(packages)} |",
        "| --- | --- |" + " ---: |" * len(packages),
    ]
    for row, cells in threads["rows"].items():
        unit = "thousand/s" if row.startswith("launch") else "GB/s"
        numbers = (
            f"{cells[one]['best']:,.0f}" if isinstance(cells.get(one), dict) else ""
            for one in packages
        )
        lines.append(f"| {row} | {unit} | {' | '.join(numbers)} |")
    return "\n".join(lines)


PAGES = {"README.md": as_markdown, "docs/speed.md": objects_as_markdown}


def with_table(page: str, table: str) -> str:
    """The page with the table between its marks."""
    begin, end = MARKS
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.S)
    if not pattern.search(page):
        raise ValueError(f"the page lacks {begin}")
    return pattern.sub(lambda _: f"{begin}\n{table}\n{end}", page)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=RESULTS, metavar="FOLDER")
    parser.add_argument("--write", action="store_true", help="into the pages")
    options = parser.parse_args()
    for name, made in PAGES.items():
        table = made(options.folder)
        print(f"{table}\n")
        if options.write:
            page = ROOT / name
            page.write_text(with_table(page.read_text(), table))
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
