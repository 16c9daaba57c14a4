"""Compiling CUDA C++ and HIP C++ at run time; takes the place of `pycuda.compiler`."""

from __future__ import annotations

import os as _os

from PyGPU._kernels import cache as _cache
from PyGPU._kernels.cache import CacheInfo as CacheInfo
from PyGPU._kernels.compile import compile as compile
from PyGPU._kernels.compiled import Compiled as Compiled
from PyGPU._kernels.errors import CompileError as CompileError
from PyGPU._kernels.errors import CompileWarning as CompileWarning
from PyGPU._kernels.log import Diagnostic as Diagnostic
from PyGPU._kernels.parameters import Parameter as Parameter
from PyGPU._pycuda.linker import DynamicModule as DynamicModule
from PyGPU._pycuda.linker import DynamicSourceModule as DynamicSourceModule
from PyGPU._pycuda.source_module import SourceModule as SourceModule

for _class in (CacheInfo, Compiled, Diagnostic, DynamicModule, DynamicSourceModule, Parameter):
    _class.__module__ = __name__
compile.__module__ = __name__
del _class

__all__ = [
    "CacheInfo",
    "CompileError",
    "CompileWarning",
    "Compiled",
    "Diagnostic",
    "DynamicModule",
    "DynamicSourceModule",
    "Parameter",
    "SourceModule",
    "cache_info",
    "clear_cache",
    "compile",
]


def cache_info(cache_dir: str | _os.PathLike[str] | None = None) -> CacheInfo:
    """The cache of compiled code: folder ("" without one), entries, bytes and limit."""
    place = _cache.folder(_os.fsdecode(cache_dir) if cache_dir else None)
    return _cache.info(place) if place else CacheInfo("", 0, 0, _cache.limit())


def clear_cache(cache_dir: str | _os.PathLike[str] | None = None) -> int:
    """Remove everything from the cache of compiled code; returns how many entries there were."""
    place = _cache.folder(_os.fsdecode(cache_dir) if cache_dir else None)
    return _cache.clear(place) if place else 0


def __getattr__(name: str) -> object:
    from PyGPU._names.missing import MissingNameError

    raise MissingNameError(__name__, name)
