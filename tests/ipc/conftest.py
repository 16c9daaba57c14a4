"""Interpreters whose tests start other processes."""

from __future__ import annotations

from tests.arrays.conftest import counting, on_gpus  # noqa: F401
