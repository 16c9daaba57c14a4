"""What Dask asks of arrays: their sizes, by which it schedules. Nothing here imports it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def register(sizeof: Any) -> None:
    """The entry point `dask.sizeof`: tells Dask's dispatcher of GPUArray, once it meets one."""

    def register_arrays() -> None:
        from PyGPU._arrays.array import GPUArray

        sizeof.register(GPUArray)(_nbytes)

    sizeof.register_lazy("PyGPU")(register_arrays)


def _nbytes(array: Any) -> int:
    return int(array.nbytes)
