"""Fixtures for kernels that are run from their PTX."""

from __future__ import annotations

from tests.nvrtc.conftest import nvrtc  # noqa: F401
