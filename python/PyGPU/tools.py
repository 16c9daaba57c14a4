"""PyCUDA's tools: choosing a device, occupancy, pools; takes the place of `pycuda.tools`.

Names and arguments follow https://documen.tician.de/pycuda/util.html. Memory comes from PyGPU's
own pools with or without the pools of this module.
"""

from __future__ import annotations

from PyGPU import driver as _driver
from PyGPU._pycuda.choice import clear_context_caches as clear_context_caches
from PyGPU._pycuda.choice import context_dependent_memoize as context_dependent_memoize
from PyGPU._pycuda.choice import get_default_device as get_default_device
from PyGPU._pycuda.choice import make_default_context as make_default_context
from PyGPU._pycuda.occupancy import DeviceData as DeviceData
from PyGPU._pycuda.occupancy import OccupancyRecord as OccupancyRecord
from PyGPU._pycuda.pools import DeviceMemoryPool as DeviceMemoryPool
from PyGPU._pycuda.pools import PageLockedAllocator as PageLockedAllocator
from PyGPU._pycuda.pools import PageLockedMemoryPool as PageLockedMemoryPool

PooledDeviceAllocation = _driver.DeviceAllocation
PooledHostAllocation = _driver.PagelockedHostAllocation

__all__ = [name for name in dir() if not name.startswith("_") and name != "annotations"]


def __getattr__(name: str) -> object:
    from PyGPU._names.missing import MissingNameError

    raise MissingNameError(__name__, name)
