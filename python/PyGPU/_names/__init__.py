"""The names of the package PyGPU, and where they come from."""

from __future__ import annotations

from PyGPU import _backend, _core
from PyGPU._apis import APIS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from PyGPU._apis.api import Api

OWN = (
    "GPUError",
    "GPUMemoryError",
    "backend",
    "check",
    "checked",
    "gpuarray",
    "use",
    *_backend.RUNTIMES,
)

# Imported on first access. `from PyGPU import *` takes only those that OWN has, too.
MODULES = (
    "characterize",
    "checked",
    "compiler",
    "cumath",
    "curandom",
    "driver",
    "elementwise",
    "gpuarray",
    "host",
    "ipc",
    "reduction",
    "scan",
    "tools",
    *(name for name, api in APIS.items() if api.module != "_core"),
)

# Names of PyGPU.gpuarray, which is imported when the first of them is asked for.
ARRAYS = (
    "ArrayFlags",
    "DeviceMemory",
    "Event",
    "GPUArray",
    "HostMemory",
    "MemoryInfo",
    "Stream",
    "arange",
    "asarray",
    "clip",
    "concatenate",
    "copy",
    "device",
    "empty",
    "empty_like",
    "from_dlpack",
    "full",
    "full_like",
    "get_allocator",
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "managed_empty",
    "managed_zeros",
    "maximum",
    "memory_info",
    "minimum",
    "multi_put",
    "multi_take",
    "multi_take_put",
    "ones",
    "ones_like",
    "pagelocked_empty",
    "pagelocked_empty_like",
    "pagelocked_zeros",
    "pagelocked_zeros_like",
    "put",
    "ready",
    "register",
    "reshape",
    "set_allocator",
    "set_pinned_limit",
    "set_pool_threshold",
    "stack",
    "take",
    "to_gpu",
    "to_gpu_async",
    "transpose",
    "trim_memory",
    "vec",
    "wait",
    "where",
    "zeros",
    "zeros_like",
    *_core.arrays.typed_names,
)

# Names of PyGPU.gpuarray, too. A star import leaves them out: sum, max and others are Python's.
_REDUCTIONS = """
    all any argmax argmin cumprod cumsum dot max mean min prod std subset_dot subset_max subset_min
    subset_sum sum var vdot
"""
REDUCTIONS = tuple(_REDUCTIONS.split())

# Names with their modules, which are imported on first access. A star import leaves them out.
LATE = {
    "CheckpointProcess": "PyGPU._objects.checkpoint",
    "CompileError": "PyGPU.compiler",
    "CompileWarning": "PyGPU.compiler",
    "Device": "PyGPU._objects.device",
    "Graph": "PyGPU._objects.graph",
    "GraphCondition": "PyGPU._objects.nodes",
    "GraphNode": "PyGPU._objects.nodes",
    "GreenContext": "PyGPU._objects.green",
    "Host": "PyGPU._objects.managed",
    "Kernel": "PyGPU._kernels.kernel",
    "Linker": "PyGPU._kernels.linker",
    "ManagedMemory": "PyGPU._objects.managed",
    "MemoryPool": "PyGPU._objects.pool",
    "Module": "PyGPU._pycuda.module",
    "Program": "PyGPU._kernels.program",
    "SourceModule": "PyGPU._pycuda.source_module",
    "TensorMap": "PyGPU._objects.tensor_map",
    "VirtualMemory": "PyGPU._objects.virtual",
    "get_cmake_dir": "PyGPU._projects.headers",
    "get_include": "PyGPU._projects.headers",
    "trace": "PyGPU._trace.session",
    **dict.fromkeys(REDUCTIONS, "PyGPU.gpuarray"),
}


def api_of(name: str) -> Api | None:
    """The API that a portable name belongs to by its longest prefix; None for the runtime."""
    owners = {prefix: api for api in APIS.values() for prefix in api.portable_names}
    return owners.get(max(filter(name.startswith, owners), key=len, default=""))


def all_names() -> list[str]:
    """All names of the package but those of its modules; the portable names are CUDA's."""
    return [*OWN, *ARRAYS, *LATE, *_core.names(_backend.PORTABLE[0])]
