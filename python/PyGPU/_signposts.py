"""What to do instead of names of PyCUDA and of CUDA's driver API: a row is a name and its advice.

A row goes when PyGPU gets the name: the tests say so.
"""

from __future__ import annotations

_KERNELS = (
    "it needs kernels, of which PyGPU has none; cupy.asarray(a) and torch.as_tensor(a, "
    "device='cuda') take arrays of PyGPU without a copy, and have it"
)
_COMPILER = (
    "PyGPU.nvrtc compiles CUDA C++ (nvrtcCreateProgram, nvrtcCompileProgram, nvrtcGetCUBIN), "
    "PyGPU.cuda.cudaLibraryLoadData loads the result; a hsaco is loaded by "
    "PyGPU.hip.hipModuleLoadData"
)
_LAUNCH = (
    "device code is loaded by PyGPU.cuda.cudaLibraryLoadData and cudaLibraryGetKernel, and "
    "launched by cudaLaunchKernel; on AMD by PyGPU.hip.hipModuleLoadData, hipModuleGetFunction "
    "and hipModuleLaunchKernel"
)
_CONTEXT = (
    "nothing is to be done: the first call takes the device's primary context, and "
    "PyGPU.cudaSetDevice or `with PyGPU.device(n):` chooses the device"
)
_DRIVER = (
    "PyGPU has the runtime's functions, PyGPU.cudaMalloc and so on, and classes for the same: "
    "PyGPU.DeviceMemory, Stream, Event, memory_info, pagelocked_empty"
)
_COPY = "copy arrays by PyGPU.to_gpu(a), a.set(host) and a.get(), addresses by PyGPU.cudaMemcpy"
_COPY_ASYNC = (
    "copy arrays by PyGPU.to_gpu_async(a), a.set_async(host) and a.get_async(), addresses by "
    "PyGPU.cudaMemcpyAsync"
)
_SET = "fill arrays by a.fill(value), addresses by PyGPU.cudaMemset"
_POOL = (
    "PyGPU's arrays come from a pool of its own already; PyGPU.set_pool_threshold and "
    "PyGPU.trim_memory control it"
)
_ARGUMENTS = "there are no argument handlers; copy with PyGPU.to_gpu(a), and pass the array"
_DEVICE = (
    "a device is a number; PyGPU.cudaGetDeviceCount, PyGPU.cudaGetDeviceProperties and "
    "PyGPU.cudaDeviceGetAttribute tell of it"
)

_PACKAGE = {
    # PyCUDA's modules
    "autoinit": _CONTEXT,
    "autoprimaryctx": _CONTEXT,
    "characterize": "PyGPU.cudaGetDeviceProperties tells what it told",
    "compiler": _COMPILER,
    "cumath": _KERNELS,
    "curandom": _KERNELS,
    "driver": _DRIVER,
    "elementwise": _KERNELS,
    "gl": "OpenGL is not served beyond the runtime's own functions",
    "reduction": _KERNELS,
    "scan": _KERNELS,
    "sparse": _KERNELS,
    "tools": _POOL,
    # of pycuda.compiler, elementwise, reduction, scan
    "DynamicModule": _COMPILER,
    "DynamicSourceModule": _COMPILER,
    "SourceModule": _COMPILER,
    "compile": _COMPILER,
    "ElementwiseKernel": _KERNELS,
    "ReductionKernel": _KERNELS,
    "ExclusiveScanKernel": _KERNELS,
    "InclusiveScanKernel": _KERNELS,
    # of pycuda.driver
    "Context": _CONTEXT,
    "Device": _DEVICE,
    "DeviceAllocation": "it is called PyGPU.DeviceMemory here",
    "Function": _LAUNCH,
    "In": _ARGUMENTS,
    "InOut": _ARGUMENTS,
    "Module": _LAUNCH,
    "Out": _ARGUMENTS,
    "aligned_empty": "PyGPU.pagelocked_empty gives page-locked memory of any dtype",
    "from_device": _COPY,
    "from_device_like": _COPY,
    "get_driver_version": "PyGPU.cudaDriverGetVersion tells it",
    "get_version": "PyGPU.cudaRuntimeGetVersion tells it",
    "init": _CONTEXT,
    "make_default_context": _CONTEXT,
    "mem_alloc": "PyGPU.DeviceMemory(size) owns device memory, PyGPU.cudaMalloc gives an address",
    "mem_alloc_managed": "PyGPU.managed_empty gives an array, PyGPU.cudaMallocManaged an address",
    "mem_alloc_pitch": "PyGPU.cudaMallocPitch gives address and pitch",
    "mem_get_info": "PyGPU.memory_info tells it, and PyGPU.cudaMemGetInfo",
    "mem_host_register": "PyGPU.register does it for an array, PyGPU.cudaHostRegister as in C",
    "memcpy_atod": _COPY,
    "memcpy_dtoa": _COPY,
    "memcpy_dtod": _COPY,
    "memcpy_dtod_async": _COPY_ASYNC,
    "memcpy_dtoh": _COPY,
    "memcpy_dtoh_async": _COPY_ASYNC,
    "memcpy_htod": _COPY,
    "memcpy_htod_async": _COPY_ASYNC,
    "memcpy_peer": "PyGPU.cudaMemcpyPeer does it",
    "memcpy_peer_async": "PyGPU.cudaMemcpyPeerAsync does it",
    "memset_d16": _SET,
    "memset_d32": _SET,
    "memset_d8": _SET,
    "module_from_buffer": _LAUNCH,
    "module_from_file": _LAUNCH,
    "register_host_memory": "PyGPU.register does it",
    "start_profiler": "PyGPU.cudaProfilerStart does it",
    "stop_profiler": "PyGPU.cudaProfilerStop does it",
    "to_device": _COPY,
    # of pycuda.tools
    "DeviceData": _DEVICE,
    "DeviceMemoryPool": _POOL,
    "PageLockedMemoryPool": "PyGPU.pagelocked_empty takes its memory from a pool already",
    "clear_context_caches": "PyGPU keeps no such caches",
    "context_dependent_memoize": "functools.cache does it, by the device's number",
}

_ARRAYS = dict.fromkeys(
    (
        "all",
        "any",
        "cumsum",
        "dot",
        "if_positive",
        "logical_and",
        "logical_not",
        "logical_or",
        "max",
        "maximum",
        "min",
        "minimum",
        "multi_put",
        "multi_take",
        "multi_take_put",
        "subset_dot",
        "subset_max",
        "subset_min",
        "subset_sum",
        "sum",
        "take",
        "where",
    ),
    _KERNELS,
)

SIGNPOSTS = {
    "PyGPU": _PACKAGE | _ARRAYS,
    "PyGPU.gpuarray": _ARRAYS,
}

# Names of a form, where no single one is meant.
PATTERNS = {
    "cu[A-Z][A-Za-z0-9_]*": (
        "it is a name of CUDA's driver API, of which PyGPU binds nothing yet; cuda-bindings "
        "(cuda.bindings.driver) does, and works on the same primary context"
    ),
}
