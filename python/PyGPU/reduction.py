"""Reductions that users write as expressions; takes the place of `pycuda.reduction`."""

from __future__ import annotations

from PyGPU._codegen.reduction import ReductionKernel as ReductionKernel

ReductionKernel.__module__ = __name__

__all__ = ["ReductionKernel"]


def __getattr__(name: str) -> object:
    from PyGPU._names.missing import MissingNameError

    raise MissingNameError(__name__, name)
