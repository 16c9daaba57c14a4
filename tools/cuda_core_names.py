"""Writes docs/cuda-core.md: the public names of NVIDIA's cuda.core beside PyGPU's.

    python tools/cuda_core_names.py [--check]
    python tools/cuda_core_names.py --of PYTHON    # first read the names of the cuda-core there

tools/cuda_core/names.txt has cuda.core's names, rows.toml what PyGPU has for them. A member that
PyGPU's class has under the same name is "as there" and needs no row: the program asks PyGPU itself.
"""

from __future__ import annotations

import argparse
import fnmatch
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "cuda-core.md"
NAMES, ROWS = (ROOT / "tools" / "cuda_core" / name for name in ("names.txt", "rows.toml"))
STATES = ("as there", "different", "not here")
# Prints the names, where cuda.core is installed.
_READ = """
import types, cuda.core as core
print("# cuda.core", core.__version__)
for room in ("", "checkpoint", "graph", "system", "texture", "typing", "utils"):
    module = getattr(core, room) if room else core
    prefix = room + "." if room else ""
    for name, value in sorted(vars(module).items()):
        home = getattr(value, "__module__", None) or "cuda.core"
        if name.startswith("_") or isinstance(value, types.ModuleType) or name.isupper() and room:
            continue
        if not home.startswith("cuda.core"):
            continue
        print(prefix + name)
        if isinstance(value, type) and room not in ("system", "typing"):
            members = [one for one in dir(value) if not one.startswith("_")]
            for one in members:
                print(f"{prefix}{name}.{one}")
"""
_HEAD = """\
# cuda.core's names in PyGPU

Made by `python tools/cuda_core_names.py`. PyGPU's objects follow the names of NVIDIA's cuda.core
where it has them. This table has each public name of {release}. "As there" is the same name in
PyGPU's class for it, with the same meaning; keywords may differ. Classes without a module are
those of `PyGPU`. They work on AMD's devices, too, where HIP has the functions that they call.
[examples/cuda_core](../examples/README.md) has programs.

{counts}
"""


def parsed() -> dict[str, Any]:
    """rows.toml."""
    try:
        import tomllib
    except ImportError:  # Python 3.10
        import tomli as tomllib
    data: dict[str, Any] = tomllib.loads(ROWS.read_text("utf-8"))
    return data


def answers() -> Iterator[tuple[str, str, str]]:
    """Each name with its state and text. LookupError for one that has no row."""
    import PyGPU

    data = parsed()
    names = [one for one in NAMES.read_text("utf-8").split("\n") if one and one[0] != "#"]
    for name in names:
        owner, _, member = name.rpartition(".")
        if _matching(data["whole"], owner):
            continue
        if (own := data["classes"].get(name)) or (text := _matching(data["whole"], name)):
            if own == name.rpartition(".")[2]:
                yield name, "as there", ""
            else:
                yield name, *_stated(f"`{own}`" if own else text)
        elif owner in data["classes"] and hasattr(getattr(PyGPU, data["classes"][owner]), member):
            yield name, "as there", ""
        elif text := _matching(data["rows"], name):
            yield name, *_stated(text)
        else:
            raise LookupError(f"{ROWS.name} has no row for {name}")


def _stated(text: str) -> tuple[str, str]:
    return ("not here", text[2:]) if text.startswith("- ") else ("different", text)


def _matching(rows: dict[str, str], name: str) -> str:
    return next((text for one, text in rows.items() if fnmatch.fnmatchcase(name, one)), "")


def page() -> str:
    """The page as it should be."""
    found = list(answers())
    release = NAMES.read_text("utf-8").partition("\n")[0].removeprefix("# ")
    counts = ", ".join(f"{sum(row[1] == state for row in found)} {state}" for state in STATES)
    text = _HEAD.format(release=release, counts=f"{len(found)} names: {counts}.")
    room = None
    for name, state, about in found:
        first = name.partition(".")[0]
        own = f"cuda.core.{first}" if first.islower() and "." in name else "cuda.core"
        if own != room:
            room = own
            text += f"\n## {room}\n\n| name | PyGPU | |\n| --- | --- | --- |\n"
        text += f"| `{name}` | {state} | {about} |\n".replace("|  |", "| |")
    return text


def main() -> int:
    """Write the page, or compare it with the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="fail if the page is not up to date")
    parser.add_argument("--of", metavar="PYTHON", help="a Python that has cuda-core installed")
    options = parser.parse_args()
    if options.of:
        command = [options.of, "-c", _READ]
        NAMES.write_text(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    text = page()
    if options.check:
        if PAGE.read_text("utf-8") != text:
            told = "docs/cuda-core.md is out of date: python tools/cuda_core_names.py"
            print(told, file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
