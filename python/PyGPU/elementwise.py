"""Loops over arrays, of C++ that you write; takes the place of `pycuda.elementwise`."""

from __future__ import annotations

from PyGPU._codegen.elementwise import ElementwiseKernel as ElementwiseKernel
from PyGPU._codegen.fuse import fuse as fuse

ElementwiseKernel.__module__ = __name__
fuse.__module__ = __name__

__all__ = ["ElementwiseKernel", "fuse"]


def __getattr__(name: str) -> object:
    from PyGPU._names.missing import MissingNameError

    raise MissingNameError(__name__, name)
