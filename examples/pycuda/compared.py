"""What these examples add to PyCUDA's: a comparison with numpy."""

from __future__ import annotations

import numpy as np

import PyGPU.driver as drv


def same(what: str, found: np.ndarray, wanted: np.ndarray, tolerance: float = 0) -> None:
    """Say that an array equals numpy's, or end the program."""
    if found.shape != wanted.shape or not np.allclose(found, wanted, tolerance, tolerance):
        raise SystemExit(f"{what}: the array differs from numpy's")
    print(f"{what} on {drv.Context.get_device().name()}: as numpy's")
