"""The tables in docs/libraries.md: what the libraries' modules bind, by what, and what they cost;
and which functions of another vendor's library stand for functions of other shapes.

    python tools/libraries.py             print the tables
    python tools/libraries.py --write     put them into docs/libraries.md
    python tools/libraries.py --measure   build and import each module, for the last columns

The first table's last columns are taken from the page unless they are measured.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from generator import manifest, store  # noqa: E402
from generator.coverage import cover  # noqa: E402
from generator.manifest import Manifest  # noqa: E402
from generator.plan import portable  # noqa: E402
from tools import build_seconds  # noqa: E402

SPECS = ROOT / "api_specs"
PAGE = ROOT / "docs" / "libraries.md"
HEADER = (
    "module", "library", "releases", "functions", "type", "rule", "evidence", "raw", "rules",
    "CPU s", "KB", "ms",
)  # fmt: skip
MEASURED = 3  # columns at the end
IMPORTS = 5


def libraries() -> dict[str, Manifest]:
    """The APIs that come by an extra, by extra and namespace."""
    known = {name: manifest.load(name, SPECS) for name in manifest.names(SPECS)}
    of_extras = {name: one for name, one in known.items() if one.extra}
    return dict(sorted(of_extras.items(), key=lambda one: (one[1].extra, one[1].namespace)))


def row(name: str, about: Manifest, costs: Mapping[str, list[str]]) -> list[str]:
    """One library: its releases, and the newest one's functions and parameters."""
    rows = cover(SPECS, name)
    newest, releases = rows[-1], [one.release for one in rows]
    lines = (SPECS / name / "rules.toml").read_text(encoding="utf-8").splitlines()
    return [
        f"`{about.namespace}`",
        about.label,
        releases[0] if len(releases) == 1 else f"{releases[0]} to {releases[-1]}",
        f"{newest.bound} of {newest.functions}",
        *(str(newest.decided.get(by, 0)) for by in ("type", "rule", "evidence", "raw")),
        str(sum(bool(line) and not line.startswith("#") for line in lines)),
        *costs.get(about.namespace, ["?"] * MEASURED),
    ]


def table(costs: Mapping[str, list[str]]) -> str:
    """The table in Markdown."""
    rows = [list(HEADER), ["---"] * len(HEADER)]
    rows += [row(name, about, costs) for name, about in libraries().items()]
    return "\n".join(f"| {' | '.join(one)} |" for one in rows) + "\n"


def counterparts() -> dict[str, str]:
    """For each two libraries with formulas: the header of a table in Markdown, and the table."""
    known, found = libraries(), {}
    for name, about in known.items():
        functions = store.load(SPECS / name / "api.json").functions
        for other in about.stands_for:
            said = portable.load(SPECS, name, other)
            if not said.formulas:
                continue
            calls = _called({**said.parts, **said.formulas}, functions)
            served = {one: f"`{one}`" for one in said.functions.values()}
            rows = {one: served[by] for one, by in said.functions.items()}
            rows |= {one: ", ".join(f"`{by}`" for by in calls[one]) for one in said.formulas}
            rows |= {one: f"none: {why}" for one, why in said.lacking.items()}
            header = f"| {known[other].label} | {about.label} |\n| --- | --- |\n"
            lines = [f"| `{one}` | {by} |\n" for one, by in sorted(rows.items())]
            found[header] = header + "".join(lines)
    return found


def _called(
    formulas: Mapping[str, str | Mapping[str, str]], functions: Collection[str]
) -> dict[str, list[str]]:
    """The functions that each formula calls, also by parts that it names."""
    heads = {one.partition("(")[0]: one for one in formulas}

    def of(name: str) -> list[str]:
        said = formulas[heads[name]]
        words = re.findall(r"\w+", said if isinstance(said, str) else " ".join(said.values()))
        found = [by for one in words if one in heads and one != name for by in of(one)]
        return list(dict.fromkeys([*found, *(one for one in words if one in functions)]))

    return {name: of(name) for name in heads}


def costs_on_page() -> dict[str, list[str]]:
    """The last columns as the page has them."""
    text = PAGE.read_text(encoding="utf-8")
    text = text[slice(*place_of_table(text, f"| {' | '.join(HEADER[:3])} "))]
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", text, re.M)
    return {name: [one.strip() for one in cells.split("|")][-MEASURED:] for name, cells in rows}


def measured() -> dict[str, list[str]]:
    """CPU seconds of a build, the size of the stripped module, and the time of its import."""
    with tempfile.TemporaryDirectory(prefix="pygpu-libraries-") as folder:
        steps = build_seconds.build(Path(folder), ["-DPYGPU_EXTRAS=all", "-DPYGPU_HOST=OFF"])
        costs = {}
        for about in libraries().values():
            target = f"_{about.namespace}"
            seconds = sum(
                seconds for seconds, output in steps if build_seconds.target_of(output) == target
            )
            (module,) = Path(folder, "python", "PyGPU").glob(f"{target}.*.so")
            subprocess.run(["strip", str(module)], check=True)
            import_ms = import_time(Path(folder, "python"), about.imported_as)
            costs[about.namespace] = [
                f"{seconds:.1f}",
                str(module.stat().st_size // 1000),
                f"{import_ms:.1f}",
            ]
    return costs


def import_time(path: Path, module: str) -> float:
    """Milliseconds that `import PyGPU.x` takes once PyGPU is there: the median of a few."""
    code = (
        "import time, PyGPU, importlib; start = time.perf_counter(); "
        f"importlib.import_module({module!r}); print((time.perf_counter() - start) * 1000)"
    )
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", code],
                env={"PYTHONPATH": str(path), "PYGPU_BACKEND": "host"},
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
        for _ in range(IMPORTS)
    ]
    return statistics.median(times)


def place_of_table(text: str, header: str) -> tuple[int, int]:
    """Where the page's table with that header begins and ends."""
    start = text.index(header)
    return start, text.index("\n\n", start) + 1


def page(costs: Mapping[str, list[str]]) -> str:
    """The page with tables of today in the place of its own."""
    text = PAGE.read_text(encoding="utf-8")
    tables = {f"| {' | '.join(HEADER[:3])} ": table(costs), **counterparts()}
    for header, today in tables.items():
        start, end = place_of_table(text, header)
        text = text[:start] + today + text[end:]
    return text


def main() -> int:
    """Print the tables, or write them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="put them into the page")
    parser.add_argument("--measure", action="store_true", help="build and import each module")
    arguments = parser.parse_args()
    costs = measured() if arguments.measure else costs_on_page()
    if arguments.write:
        PAGE.write_text(page(costs), encoding="utf-8")
    else:
        print(table(costs), *counterparts().values(), sep="\n", end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
