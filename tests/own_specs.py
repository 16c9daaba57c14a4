"""Copies of api_specs without the libraries, which take most of the generator's time."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

SPECS = Path(__file__).resolve().parent.parent / "api_specs"
LIBRARIES = frozenset(
    manifest.parent.name
    for manifest in SPECS.glob("*/api.toml")
    if re.search(r"^extra = ", manifest.read_text(encoding="utf-8"), re.MULTILINE)
)


def copy_own_specs(to: Path) -> Path:
    """The APIs of PyGPU's own package, and what stands beside them. Returns `to`."""

    def libraries(folder: str, names: list[str]) -> set[str]:
        return set(LIBRARIES.intersection(names)) if Path(folder) == SPECS else set()

    return Path(shutil.copytree(SPECS, to, ignore=libraries))
