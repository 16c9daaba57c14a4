"""PyCUDA's tools: choosing a device, occupancy, pools, C names of dtypes, helpers for tests.

It takes the place of `pycuda.tools`. Names and arguments follow
https://documen.tician.de/pycuda/util.html. Memory comes from PyGPU's own pools with or without the
pools of this module.
"""

from __future__ import annotations

from PyGPU import driver as _driver
from PyGPU._codegen.arguments import Argument as Argument
from PyGPU._codegen.arguments import ScalarArg as ScalarArg
from PyGPU._codegen.arguments import VectorArg as VectorArg
from PyGPU._codegen.arguments import get_arg_type as get_arg_type
from PyGPU._codegen.arguments import parse_c_arg as parse_c_arg
from PyGPU._codegen.c_types import TypeNameNotKnown as TypeNameNotKnown
from PyGPU._codegen.c_types import dtype_to_ctype as dtype_to_ctype
from PyGPU._codegen.c_types import get_or_register_dtype as get_or_register_dtype
from PyGPU._codegen.c_types import register_dtype as register_dtype
from PyGPU._pycuda.choice import clear_context_caches as clear_context_caches
from PyGPU._pycuda.choice import context_dependent_memoize as context_dependent_memoize
from PyGPU._pycuda.choice import get_default_device as get_default_device
from PyGPU._pycuda.choice import make_default_context as make_default_context
from PyGPU._pycuda.occupancy import DeviceData as DeviceData
from PyGPU._pycuda.occupancy import OccupancyRecord as OccupancyRecord
from PyGPU._pycuda.pools import DeviceMemoryPool as DeviceMemoryPool
from PyGPU._pycuda.pools import PageLockedAllocator as PageLockedAllocator
from PyGPU._pycuda.pools import PageLockedMemoryPool as PageLockedMemoryPool
from PyGPU._pycuda.testing import init_cuda_context_fixture as init_cuda_context_fixture
from PyGPU._pycuda.testing import mark_cuda_test as mark_cuda_test

PooledDeviceAllocation = _driver.DeviceAllocation
PooledHostAllocation = _driver.PagelockedHostAllocation

__all__ = [name for name in dir() if not name.startswith("_") and name != "annotations"]
__all__ += ["bitlog2"]


def bitlog2(value: int) -> int:
    """The largest n with 2**n <= value. ValueError for 0 and less."""
    if value <= 0:
        raise ValueError(f"bitlog2(): parameter 'value' must be positive, not {value}")
    return value.bit_length() - 1


def __getattr__(name: str) -> object:
    from PyGPU._names.missing import MissingNameError

    raise MissingNameError(__name__, name)
