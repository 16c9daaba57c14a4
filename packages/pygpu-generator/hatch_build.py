"""What the wheel holds of the repository: what binding a header needs."""

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
    "src/handwritten/**/*.[ch]pp",
)
# PyGPU's own modules alone have these, as cmake/Glue.cmake says, too; PyGPU's wheel has the last.
LEFT = re.compile(
    r"__pycache__|src/handwritten/(host|arrays|kernels|module/adapt)/"
    r"|/module/(core\.cpp|portable_module\.[ch]pp)$|cmake/PyGPUConfig\.cmake$"
)


def taken(repository: Path) -> Iterator[Path]:
    """The files, as paths in the repository."""
    for pattern in TAKEN:
        for path in sorted(repository.glob(pattern)):
            name = path.relative_to(repository)
            if path.is_file() and not LEFT.search(name.as_posix()):
                yield name


class Contents(BuildHookInterface):
    """Puts them below `pygpu_generator`, each in its place."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """What hatchling calls before it builds."""
        repository = Path(self.root).parents[1]
        for name in taken(repository):
            build_data["force_include"][str(repository / name)] = f"pygpu_generator/{name}"
