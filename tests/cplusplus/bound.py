"""Imports a folder's module `bound` in the interpreter where the test runs."""

from __future__ import annotations

import importlib.util
from typing import Any, NamedTuple


def load(folder: str) -> Any:
    spec = importlib.util.spec_from_file_location("bound", f"{folder}/bound.so")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Told(NamedTuple):
    """The result of told(): everything that a span knows about itself."""

    pointer: int
    shape: list[int]
    strides: list[int]
    device: int
    number: int
    stream: int
    contiguous: bool
    size: int
