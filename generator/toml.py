"""TOML files of api_specs/: read, with every mistake as one line that names the file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, TypeVar

from generator import schema
from generator.errors import GeneratorError
from generator.files import read_file

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib

__all__ = ["as_object", "load_toml", "read_toml", "tomllib"]

T = TypeVar("T")


def read_toml(path: Path, error: type[GeneratorError] = GeneratorError) -> dict[str, Any]:
    """A file's document. Raises `error`, naming the file, for one that can't be read."""
    try:
        return tomllib.loads(read_file(path).decode())
    except OSError as wrong:
        raise error(f"{path}: {wrong.strerror}") from wrong
    except (ValueError, RecursionError) as wrong:
        raise error(f"{path}: {wrong}") from None


def load_toml(kind: type[T], path: Path, error: type[GeneratorError] = GeneratorError) -> T:
    """A file's document as an object of a class. Raises `error`, naming the file and the place."""
    return as_object(kind, read_toml(path, error), path, error)


def as_object(
    kind: type[T],
    document: object,
    path: Path,
    error: type[GeneratorError] = GeneratorError,
    where: str = "",
    **known: object,
) -> T:
    """What stands in a file at `where`, as an object of a class, with the fields in `known`."""
    try:
        return schema.read(kind, document, where, **known)
    except schema.SchemaError as wrong:
        raise error(f"{path}: {wrong}") from None
