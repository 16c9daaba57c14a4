"""Names of PyCUDA that PyGPU lacks, each with advice what to use instead.

If PyGPU gets such a name, its row must be removed; a test checks that.
"""

from __future__ import annotations

_KERNELS = (
    "it needs a kernel, and PyGPU has none of its own; use CuPy or PyTorch: cupy.asarray(a) and "
    "torch.from_dlpack(a) share the memory of a PyGPU array"
)
_GL = "PyGPU has no functions that register objects of OpenGL"
_SOURCE = "PyGPU generates no source from Python types; give your source to PyGPU.SourceModule"
_CURAND = "use cupy.random; cupy.asarray(a)[...] = numbers writes them to a PyGPU array"

# Names of pycuda.driver that people look for in the package.
_IN_DRIVER = """
    Context Device DeviceAllocation Function In InOut Out aligned_empty from_device
    from_device_like get_driver_version get_version init mem_alloc mem_alloc_pitch mem_get_info
    memcpy_dtod memcpy_dtod_async memcpy_dtoh memcpy_dtoh_async memcpy_htod memcpy_htod_async
    memcpy_atod memcpy_dtoa memcpy_peer memcpy_peer_async memset_d16 memset_d32 memset_d8
    module_from_buffer module_from_file register_host_memory start_profiler stop_profiler to_device
"""
_IN_TOOLS = """
    DeviceData DeviceMemoryPool PageLockedMemoryPool clear_context_caches context_dependent_memoize
    make_default_context
"""

_DRIVER = {
    "Memcpy3DPeer": "use PyGPU.cudaMemcpy3DPeer, which copies parts of arrays between devices",
    "AlignedHostAllocation": "aligned_empty() returns ordinary memory, which numpy owns",
    "IPCMemoryHandle": "use PyGPU.cudaIpcOpenMemHandle, which opens a handle",
    "SourceModule": "it is PyGPU.compiler.SourceModule, as in PyCUDA since 0.93",
    "graphics_register_flags": _GL,
    "initialize_profiler": "CUDA 12 removed it; configure the profiler when you start it",
    "mem_get_ipc_handle": (
        "use PyGPU.cudaIpcGetMemHandle for memory from PyGPU.cudaMalloc; memory from a pool has no "
        "such handle"
    ),
    "profiler_output_mode": "CUDA 12 removed it, together with initialize_profiler()",
    "set_debugging": "it is not needed: PyGPU runs under a debugger without it",
}

_TOOLS = {
    **dict.fromkeys(
        [
            "Argument",
            "ScalarArg",
            "VectorArg",
            "dtype_to_ctype",
            "get_arg_type",
            "get_or_register_dtype",
            "parse_c_arg",
            "register_dtype",
        ],
        _SOURCE,
    ),
    "DebugMemoryPool": "PyGPU.memory_info shows the memory in use; the host runtime lists leaks",
    "allow_user_edit": "it has nothing to do with GPUs",
    "bitlog2": "use n.bit_length() - 1",
    "init_cuda_context_fixture": "the CUDA runtime makes the context: tests need no fixture",
    "mark_cuda_test": "the CUDA runtime makes the context: tests need no mark",
}

_PACKAGE = {
    **{name: f"it is PyGPU.driver.{name}" for name in _IN_DRIVER.split()},
    **{name: f"it is PyGPU.tools.{name}" for name in _IN_TOOLS.split()},
    # PyCUDA's modules
    "characterize": "use PyGPU.cudaGetDeviceProperties, which describes a device",
    "cumath": _KERNELS,
    "curandom": _CURAND,
    "elementwise": _KERNELS,
    "gl": _GL,
    "reduction": _KERNELS,
    "scan": _KERNELS,
    "sparse": _KERNELS,
    # of pycuda.compiler, elementwise, reduction, scan
    "DynamicModule": "it is PyGPU.compiler.DynamicModule",
    "DynamicSourceModule": "it is PyGPU.compiler.DynamicSourceModule",
    "compile": "it is PyGPU.compiler.compile",
    "ElementwiseKernel": _KERNELS,
    "ReductionKernel": _KERNELS,
    "ExclusiveScanKernel": _KERNELS,
    "InclusiveScanKernel": _KERNELS,
    # of pycuda.driver
    "mem_alloc_managed": "PyGPU.managed_empty returns an array, PyGPU.cudaMallocManaged an address",
    "mem_host_register": "use PyGPU.register for an array, or PyGPU.cudaHostRegister as in C",
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
    "PyGPU.compiler": {
        "CudaModule": "it is PyGPU.Module, or DynamicModule for what must be linked",
        "DEFAULT_NVCC_FLAGS": "PyGPU does not run nvcc; give options to PyGPU.compiler.compile",
        "compile_plain": "use PyGPU.compiler.compile",
        "get_nvcc_version": "PyGPU does not run nvcc; use PyGPU.nvrtc.nvrtcVersion for NVRTC",
        "preprocess_source": "PyGPU does not run nvcc; the cache checks included files by itself",
    },
    "PyGPU.driver": _DRIVER,
    "PyGPU.gpuarray": {
        **_ARRAYS,
        "splay": "it is for PyCUDA's own kernels; give grid and block when you launch yours",
        "vec": "for float2 use numpy.dtype([('x', 'f4'), ('y', 'f4')])",
    },
    "PyGPU.tools": _TOOLS,
}
