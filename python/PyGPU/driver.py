"""PyCUDA's driver module on PyGPU; takes the place of `pycuda.driver`.

Names and arguments follow https://documen.tician.de/pycuda/driver.html. A context is the
primary one of its device. It needs no care: the first call uses that of the current device.
"""

from __future__ import annotations

from PyGPU import _errors as _errors
from PyGPU import gpuarray as _gpuarray
from PyGPU._kernels import driver as _driver
from PyGPU._kernels.errors import CompileError as CompileError
from PyGPU._pycuda.arrays import Array as Array
from PyGPU._pycuda.arrays import ArrayDescriptor as ArrayDescriptor
from PyGPU._pycuda.arrays import ArrayDescriptor3D as ArrayDescriptor3D
from PyGPU._pycuda.arrays import Memcpy2D as Memcpy2D
from PyGPU._pycuda.arrays import Memcpy3D as Memcpy3D
from PyGPU._pycuda.arrays import dtype_to_array_format as dtype_to_array_format
from PyGPU._pycuda.arrays import gpuarray_to_array as gpuarray_to_array
from PyGPU._pycuda.arrays import make_multichannel_2d_array as make_multichannel_2d_array
from PyGPU._pycuda.arrays import matrix_to_array as matrix_to_array
from PyGPU._pycuda.arrays import memcpy_atoa as memcpy_atoa
from PyGPU._pycuda.arrays import memcpy_atod as memcpy_atod
from PyGPU._pycuda.arrays import memcpy_atoh as memcpy_atoh
from PyGPU._pycuda.arrays import memcpy_dtoa as memcpy_dtoa
from PyGPU._pycuda.arrays import memcpy_htoa as memcpy_htoa
from PyGPU._pycuda.arrays import np_to_array as np_to_array
from PyGPU._pycuda.constants import address_mode as address_mode
from PyGPU._pycuda.constants import array3d_flags as array3d_flags
from PyGPU._pycuda.constants import array_cubemap_face as array_cubemap_face
from PyGPU._pycuda.constants import array_format as array_format
from PyGPU._pycuda.constants import compute_mode as compute_mode
from PyGPU._pycuda.constants import ctx_flags as ctx_flags
from PyGPU._pycuda.constants import device_attribute as device_attribute
from PyGPU._pycuda.constants import event_flags as event_flags
from PyGPU._pycuda.constants import filter_mode as filter_mode
from PyGPU._pycuda.constants import func_cache as func_cache
from PyGPU._pycuda.constants import function_attribute as function_attribute
from PyGPU._pycuda.constants import host_alloc_flags as host_alloc_flags
from PyGPU._pycuda.constants import ipc_mem_flags as ipc_mem_flags
from PyGPU._pycuda.constants import jit_fallback as jit_fallback
from PyGPU._pycuda.constants import jit_input_type as jit_input_type
from PyGPU._pycuda.constants import jit_option as jit_option
from PyGPU._pycuda.constants import jit_target as jit_target
from PyGPU._pycuda.constants import limit as limit
from PyGPU._pycuda.constants import mem_attach_flags as mem_attach_flags
from PyGPU._pycuda.constants import mem_host_register_flags as mem_host_register_flags
from PyGPU._pycuda.constants import memory_type as memory_type
from PyGPU._pycuda.constants import pointer_attribute as pointer_attribute
from PyGPU._pycuda.constants import shared_config as shared_config
from PyGPU._pycuda.devices import Context as Context
from PyGPU._pycuda.devices import Device as Device
from PyGPU._pycuda.devices import get_driver_version as get_driver_version
from PyGPU._pycuda.devices import get_version as get_version
from PyGPU._pycuda.devices import init as init
from PyGPU._pycuda.errors import LaunchError as LaunchError
from PyGPU._pycuda.errors import LogicError as LogicError
from PyGPU._pycuda.errors import RuntimeError as RuntimeError
from PyGPU._pycuda.functions import ArgumentHandler as ArgumentHandler
from PyGPU._pycuda.functions import Function as Function
from PyGPU._pycuda.functions import In as In
from PyGPU._pycuda.functions import InOut as InOut
from PyGPU._pycuda.functions import Out as Out
from PyGPU._pycuda.host_memory import HostPointer as HostPointer
from PyGPU._pycuda.host_memory import ManagedAllocation as ManagedAllocation
from PyGPU._pycuda.host_memory import PagelockedHostAllocation as PagelockedHostAllocation
from PyGPU._pycuda.host_memory import RegisteredHostMemory as RegisteredHostMemory
from PyGPU._pycuda.host_memory import aligned_empty as aligned_empty
from PyGPU._pycuda.host_memory import aligned_empty_like as aligned_empty_like
from PyGPU._pycuda.host_memory import aligned_zeros as aligned_zeros
from PyGPU._pycuda.host_memory import aligned_zeros_like as aligned_zeros_like
from PyGPU._pycuda.host_memory import managed_empty as managed_empty
from PyGPU._pycuda.host_memory import managed_empty_like as managed_empty_like
from PyGPU._pycuda.host_memory import managed_zeros as managed_zeros
from PyGPU._pycuda.host_memory import managed_zeros_like as managed_zeros_like
from PyGPU._pycuda.host_memory import pagelocked_empty as pagelocked_empty
from PyGPU._pycuda.host_memory import pagelocked_empty_like as pagelocked_empty_like
from PyGPU._pycuda.host_memory import pagelocked_zeros as pagelocked_zeros
from PyGPU._pycuda.host_memory import pagelocked_zeros_like as pagelocked_zeros_like
from PyGPU._pycuda.host_memory import register_host_memory as register_host_memory
from PyGPU._pycuda.memory import from_device as from_device
from PyGPU._pycuda.memory import from_device_like as from_device_like
from PyGPU._pycuda.memory import mem_alloc as mem_alloc
from PyGPU._pycuda.memory import mem_alloc_like as mem_alloc_like
from PyGPU._pycuda.memory import mem_alloc_pitch as mem_alloc_pitch
from PyGPU._pycuda.memory import mem_get_address_range as mem_get_address_range
from PyGPU._pycuda.memory import mem_get_info as mem_get_info
from PyGPU._pycuda.memory import memcpy_dtod as memcpy_dtod
from PyGPU._pycuda.memory import memcpy_dtod_async as memcpy_dtod_async
from PyGPU._pycuda.memory import memcpy_dtoh as memcpy_dtoh
from PyGPU._pycuda.memory import memcpy_dtoh_async as memcpy_dtoh_async
from PyGPU._pycuda.memory import memcpy_htod as memcpy_htod
from PyGPU._pycuda.memory import memcpy_htod_async as memcpy_htod_async
from PyGPU._pycuda.memory import memcpy_peer as memcpy_peer
from PyGPU._pycuda.memory import memcpy_peer_async as memcpy_peer_async
from PyGPU._pycuda.memory import memset_d2d8 as memset_d2d8
from PyGPU._pycuda.memory import memset_d2d8_async as memset_d2d8_async
from PyGPU._pycuda.memory import memset_d2d16 as memset_d2d16
from PyGPU._pycuda.memory import memset_d2d16_async as memset_d2d16_async
from PyGPU._pycuda.memory import memset_d2d32 as memset_d2d32
from PyGPU._pycuda.memory import memset_d2d32_async as memset_d2d32_async
from PyGPU._pycuda.memory import memset_d8 as memset_d8
from PyGPU._pycuda.memory import memset_d8_async as memset_d8_async
from PyGPU._pycuda.memory import memset_d16 as memset_d16
from PyGPU._pycuda.memory import memset_d16_async as memset_d16_async
from PyGPU._pycuda.memory import memset_d32 as memset_d32
from PyGPU._pycuda.memory import memset_d32_async as memset_d32_async
from PyGPU._pycuda.memory import to_device as to_device
from PyGPU._pycuda.module import Module as Module
from PyGPU._pycuda.module import module_from_buffer as module_from_buffer
from PyGPU._pycuda.module import module_from_file as module_from_file
from PyGPU._pycuda.pointer_holder import PointerHolderBase as PointerHolderBase
from PyGPU._pycuda.streams import Event as Event
from PyGPU._pycuda.streams import Stream as Stream
from PyGPU._pycuda.textures import TR_DEFAULT as TR_DEFAULT
from PyGPU._pycuda.textures import TRSA_OVERRIDE_FORMAT as TRSA_OVERRIDE_FORMAT
from PyGPU._pycuda.textures import TRSF_NORMALIZED_COORDINATES as TRSF_NORMALIZED_COORDINATES
from PyGPU._pycuda.textures import TRSF_READ_AS_INTEGER as TRSF_READ_AS_INTEGER
from PyGPU._pycuda.textures import SurfaceReference as SurfaceReference
from PyGPU._pycuda.textures import TextureReference as TextureReference
from PyGPU._pycuda.textures import bind_array_to_texref as bind_array_to_texref
from PyGPU._pycuda.textures import matrix_to_texref as matrix_to_texref

Error = _errors.GPUError
MemoryError = _errors.GPUMemoryError
DeviceAllocation = _gpuarray.DeviceMemory
func_attribute = function_attribute
HostAllocation = PagelockedHostAllocation  # an older name of PyCUDA's


def start_profiler() -> None:
    """Let an attached profiler start collecting."""
    _driver.call("cudaProfilerStart")()


def stop_profiler() -> None:
    """Let an attached profiler stop collecting."""
    _driver.call("cudaProfilerStop")()


__all__ = [name for name in dir() if not name.startswith("_") and name != "annotations"]


def __getattr__(name: str) -> object:
    from PyGPU._names.missing import MissingNameError

    raise MissingNameError(__name__, name)
