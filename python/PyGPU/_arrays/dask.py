"""Tells Dask the sizes of arrays, which it needs for scheduling. Nothing here imports Dask."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def register(sizeof: Any) -> None:
    """The entry point `dask.sizeof`: Dask's dispatcher calls it once it meets a GPUArray."""

    def register_arrays() -> None:
        from PyGPU._arrays.array import GPUArray

        sizeof.register(GPUArray)(_nbytes)

    sizeof.register_lazy("PyGPU")(register_arrays)


def _nbytes(array: Any) -> int:
    return int(array.nbytes)
