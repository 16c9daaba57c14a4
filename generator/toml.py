"""TOML files of api_specs/: read, with every mistake as one line that names the file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from generator.errors import GeneratorError
from generator.files import read_file

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib

__all__ = ["read_toml", "tomllib"]


def read_toml(path: Path, error: type[GeneratorError] = GeneratorError) -> dict[str, Any]:
    """A file's document. Raises `error`, naming the file, for one that can't be read."""
    try:
        return tomllib.loads(read_file(path).decode())
    except OSError as wrong:
        raise error(f"{path}: {wrong.strerror}") from wrong
    except (ValueError, RecursionError) as wrong:
        raise error(f"{path}: {wrong}") from None
