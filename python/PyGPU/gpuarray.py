"""Arrays on the device, their memory and streams; takes the place of `pycuda.gpuarray`.

Every name here is a name of `PyGPU` too. numpy is imported when the first array is used.
"""

from __future__ import annotations

from PyGPU._arrays.array import ArrayFlags as ArrayFlags
from PyGPU._arrays.array import GPUArray as GPUArray
from PyGPU._arrays.array import empty_like as empty_like
from PyGPU._arrays.array import zeros_like as zeros_like
from PyGPU._arrays.copy import copy as copy
from PyGPU._arrays.create import arange as arange
from PyGPU._arrays.create import full as full
from PyGPU._arrays.create import full_like as full_like
from PyGPU._arrays.create import ones as ones
from PyGPU._arrays.create import ones_like as ones_like
from PyGPU._arrays.create import to_gpu_async as to_gpu_async
from PyGPU._arrays.create import zeros as zeros
from PyGPU._arrays.devices import device as device
from PyGPU._arrays.devices import ready as ready
from PyGPU._arrays.devices import wait as wait
from PyGPU._arrays.exchange import asarray as asarray
from PyGPU._arrays.functions import clip as clip
from PyGPU._arrays.functions import if_positive as if_positive
from PyGPU._arrays.functions import logical_and as logical_and
from PyGPU._arrays.functions import logical_not as logical_not
from PyGPU._arrays.functions import logical_or as logical_or
from PyGPU._arrays.functions import maximum as maximum
from PyGPU._arrays.functions import minimum as minimum
from PyGPU._arrays.functions import where as where
from PyGPU._arrays.indices import multi_put as multi_put
from PyGPU._arrays.indices import multi_take as multi_take
from PyGPU._arrays.indices import multi_take_put as multi_take_put
from PyGPU._arrays.indices import put as put
from PyGPU._arrays.indices import take as take
from PyGPU._arrays.join import concatenate as concatenate
from PyGPU._arrays.join import reshape as reshape
from PyGPU._arrays.join import stack as stack
from PyGPU._arrays.join import transpose as transpose
from PyGPU._arrays.pinned import managed_empty as managed_empty
from PyGPU._arrays.pinned import managed_zeros as managed_zeros
from PyGPU._arrays.pinned import pagelocked_empty as pagelocked_empty
from PyGPU._arrays.pinned import pagelocked_empty_like as pagelocked_empty_like
from PyGPU._arrays.pinned import pagelocked_zeros as pagelocked_zeros
from PyGPU._arrays.pinned import pagelocked_zeros_like as pagelocked_zeros_like
from PyGPU._arrays.protocols import FUNCTIONS as _OF_NUMPY
from PyGPU._arrays.reductions import OF_NUMPY as _REDUCTIONS_OF_NUMPY
from PyGPU._arrays.reductions import all as all
from PyGPU._arrays.reductions import any as any
from PyGPU._arrays.reductions import argmax as argmax
from PyGPU._arrays.reductions import argmin as argmin
from PyGPU._arrays.reductions import cumprod as cumprod
from PyGPU._arrays.reductions import cumsum as cumsum
from PyGPU._arrays.reductions import dot as dot
from PyGPU._arrays.reductions import max as max
from PyGPU._arrays.reductions import mean as mean
from PyGPU._arrays.reductions import min as min
from PyGPU._arrays.reductions import prod as prod
from PyGPU._arrays.reductions import std as std
from PyGPU._arrays.reductions import subset_dot as subset_dot
from PyGPU._arrays.reductions import subset_max as subset_max
from PyGPU._arrays.reductions import subset_min as subset_min
from PyGPU._arrays.reductions import subset_sum as subset_sum
from PyGPU._arrays.reductions import sum as sum
from PyGPU._arrays.reductions import var as var
from PyGPU._arrays.reductions import vdot as vdot
from PyGPU._base import late as _late
from PyGPU._codegen.vectors import vec as vec
from PyGPU._core import arrays as _arrays
from PyGPU._names import REDUCTIONS as _REDUCTIONS

DeviceMemory = _arrays.DeviceMemory
Event = _arrays.Event
HostMemory = _arrays.HostMemory
MemoryInfo = _arrays.MemoryInfo
Stream = _arrays.Stream
empty = _arrays.empty
from_dlpack = _arrays.from_dlpack
get_allocator = _arrays.get_allocator
memory_info = _arrays.memory_info
register = _arrays.register
set_allocator = _arrays.set_allocator
set_pinned_limit = _arrays.set_pinned_limit
set_pool_threshold = _arrays.set_pool_threshold
to_gpu = _arrays.to_gpu
trim_memory = _arrays.trim_memory

# A star import leaves the reductions out: they would hide Python's sum, max and others.
__all__ = [
    name for name in dir() if not name.startswith("_") and name not in ("annotations", *_REDUCTIONS)
]
__all__ += _arrays.typed_names  # DeviceArray_int64 and so on: classes made when they are asked for

_OF_NUMPY.update(
    clip=clip, concatenate=concatenate, full_like=full_like, ones_like=ones_like, stack=stack,
    where=where, **_REDUCTIONS_OF_NUMPY,
)  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _arrays.typed_names:
        raise _late.attribute("PyGPU._names.missing", "MissingNameError")(__name__, name)
    kind = globals()[name] = _arrays.typed_class(name)
    return kind


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
