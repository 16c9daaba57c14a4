"""Puts the files of the repository that binding a header needs into the wheel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TAKEN = (
    "generator/**/*",
    "templates/**/*.j2",
    "api_specs/*/api.toml",
    "api_specs/*/releases.toml",
    "cmake/*.cmake",
    "include/PyGPU/detail/array_interface.h",
    "src/common/*.hpp",
    "src/handwritten/**/*.[ch]pp",
)
# Only PyGPU's own modules need these. cmake/Glue.cmake leaves out the same sources. The last one is
# in PyGPU's wheel.
LEFT = re.compile(
    r"__pycache__|src/handwritten/(arrays|kernels|module/adapt)/"
    r"|/module/(core\.cpp|portable_module\.[ch]pp)$|cmake/PyGPUConfig\.cmake$"
)


def taken(repository: Path) -> Iterator[Path]:
    """The files for the wheel, as paths in the repository."""
    for pattern in TAKEN:
        for path in sorted(repository.glob(pattern)):
            name = path.relative_to(repository)
            if path.is_file() and not LEFT.search(name.as_posix()):
                yield name


class Contents(BuildHookInterface):
    """Puts the files below `pygpu_generator`, each under its path in the repository."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files; hatchling calls this before it builds."""
        repository = Path(self.root).parents[1]
        for name in taken(repository):
            build_data["force_include"][str(repository / name)] = f"pygpu_generator/{name}"
