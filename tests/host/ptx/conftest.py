"""Fixtures for kernels that are run from their PTX."""

from __future__ import annotations

from tests.arrays.conftest import counting, on_gpus  # noqa: F401
from tests.nvrtc.conftest import nvrtc  # noqa: F401
