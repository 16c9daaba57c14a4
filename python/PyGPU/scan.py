"""Scans that users write as expressions; takes the place of `pycuda.scan`.

GenericScanKernel is pyopencl's.
"""

from __future__ import annotations

from PyGPU._codegen.scan import ExclusiveScanKernel as ExclusiveScanKernel
from PyGPU._codegen.scan import GenericScanKernel as GenericScanKernel
from PyGPU._codegen.scan import InclusiveScanKernel as InclusiveScanKernel

for _class in (ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel):
    _class.__module__ = __name__
del _class

__all__ = ["ExclusiveScanKernel", "GenericScanKernel", "InclusiveScanKernel"]


def __getattr__(name: str) -> object:
    from PyGPU._names.missing import MissingNameError

    raise MissingNameError(__name__, name)
