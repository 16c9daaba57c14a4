"""Writes the logo, and the pictures of README and docs.

    python -m tools.pictures [NAME ...]

Without names all but `streams`, which shows a run of examples/streams_overlap.py and so differs
each time. A test compares the others with what is checked in.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tools.pictures.copies import copies
from tools.pictures.copy_ways import copy_ways
from tools.pictures.host_runtime import host_runtime
from tools.pictures.layers import layers
from tools.pictures.logo import logo
from tools.pictures.streams import streams

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
STEADY: dict[str, Callable[[], str]] = {
    "logo-light": lambda: logo(0),
    "logo-dark": lambda: logo(1),
    "layers": lambda: layers().as_text(),
    "copies": lambda: copies().as_text(),
    "copy-ways": lambda: copy_ways().as_text(),
    "host-runtime": lambda: host_runtime().as_text(),
}
PICTURES = STEADY | {"streams": lambda: streams().as_text()}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.pictures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    for name in parser.parse_args().names or STEADY:
        if name not in PICTURES:
            parser.error(f"no picture {name}: there are {', '.join(PICTURES)}")
        (FOLDER / f"{name}.svg").write_text(PICTURES[name](), encoding="utf-8")
