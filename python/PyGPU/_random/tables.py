"""Tables of quasi-random numbers as arrays on the device."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from PyGPU import gpuarray
from PyGPU._random import library


class direction_vector_set(enum.IntEnum):  # noqa: N801, PyCUDA's name
    """The tables of direction vectors, by the numbers that both vendors give them."""

    VECTOR_32 = 101
    SCRAMBLED_VECTOR_32 = 102
    VECTOR_64 = 103
    SCRAMBLED_VECTOR_64 = 104


def generate_direction_vectors(
    count: int, direction: int = direction_vector_set.VECTOR_32
) -> gpuarray.GPUArray:
    """Direction vectors for so many dimensions, a row each; after 20,000 they start anew. OSError.

    They have 32 columns of uint32, or 64 of uint64.
    """
    bits = 64 if direction_vector_set(direction).name.endswith("64") else 32
    function = f"GetDirectionVectors{bits}"
    return _rows(count, library.table(function, f"u{bits // 8}", (bits,), int(direction)))


def generate_scramble_constants32(count: int) -> gpuarray.GPUArray:
    """A constant of 32 bits for each of so many dimensions; after 20,000 they start anew."""
    return _rows(count, library.table("GetScrambleConstants32", "u4", ()))


def generate_scramble_constants64(count: int) -> gpuarray.GPUArray:
    """The same of 64 bits."""
    return _rows(count, library.table("GetScrambleConstants64", "u8", ()))


def _rows(count: int, table: np.ndarray[Any, Any]) -> gpuarray.GPUArray:
    return gpuarray.to_gpu(table[np.arange(count) % len(table)])
