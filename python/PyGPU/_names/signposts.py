"""Names of other packages that PyGPU lacks, each with what to use instead; PyCUDA's stand here.

If PyGPU gets such a name, its row must be removed; a test checks that.
"""

from __future__ import annotations

from PyGPU._names.other_packages import GL, OF_OTHERS, SHARED

# Names of pycuda.driver that people look for in the package.
_IN_DRIVER = """
    Context DeviceAllocation Function In InOut Out aligned_empty from_device
    from_device_like get_driver_version get_version init mem_alloc mem_alloc_pitch mem_get_info
    memcpy_dtod memcpy_dtod_async memcpy_dtoh memcpy_dtoh_async memcpy_htod memcpy_htod_async
    memcpy_atod memcpy_dtoa memcpy_peer memcpy_peer_async memset_d16 memset_d32 memset_d8
    module_from_buffer module_from_file register_host_memory start_profiler stop_profiler to_device
"""
_IN_TOOLS = """
    DeviceData DeviceMemoryPool PageLockedMemoryPool clear_context_caches context_dependent_memoize
    dtype_to_ctype get_or_register_dtype make_default_context register_dtype
"""

_DRIVER = {
    "Memcpy3DPeer": "use PyGPU.cudaMemcpy3DPeer, which copies parts of arrays between devices",
    "AlignedHostAllocation": "aligned_empty() returns ordinary memory, which numpy owns",
    "IPCMemoryHandle": "use PyGPU.cudaIpcOpenMemHandle, which opens a handle",
    "SourceModule": "it is PyGPU.compiler.SourceModule, as in PyCUDA since 0.93",
    "graphics_register_flags": GL,
    "initialize_profiler": "CUDA 12 removed it; configure the profiler when you start it",
    "mem_get_ipc_handle": (
        "use PyGPU.cudaIpcGetMemHandle for memory from PyGPU.cudaMalloc; memory from a pool has no "
        "such handle"
    ),
    "profiler_output_mode": "CUDA 12 removed it, together with initialize_profiler()",
    "set_debugging": "it is not needed: PyGPU runs under a debugger without it",
}

_TOOLS = {
    "DebugMemoryPool": "PyGPU.memory_info shows the memory in use; the host runtime lists leaks",
    "allow_user_edit": "it isn't about GPUs: use an editor of your own",
}

_PACKAGE = {
    **{name: f"it is PyGPU.driver.{name}" for name in _IN_DRIVER.split()},
    **{name: f"it is PyGPU.tools.{name}" for name in _IN_TOOLS.split()},
    # PyCUDA's modules
    "gl": GL,
    "sparse": f"PyGPU has no kernels for sparse matrices; {SHARED}",
    # of pycuda.compiler, elementwise, reduction, scan
    "DynamicModule": "it is PyGPU.compiler.DynamicModule",
    "DynamicSourceModule": "it is PyGPU.compiler.DynamicSourceModule",
    "compile": "it is PyGPU.compiler.compile",
    "ElementwiseKernel": "it is PyGPU.elementwise.ElementwiseKernel",
    "ReductionKernel": "it is PyGPU.reduction.ReductionKernel",
    "ExclusiveScanKernel": "it is PyGPU.scan.ExclusiveScanKernel",
    "InclusiveScanKernel": "it is PyGPU.scan.InclusiveScanKernel",
    # of pycuda.driver
    "mem_alloc_managed": "PyGPU.managed_empty returns an array, PyGPU.cudaMallocManaged an address",
    "mem_host_register": "use PyGPU.register for an array, or PyGPU.cudaHostRegister as in C",
}

SIGNPOSTS = {
    "PyGPU": {
        **OF_OTHERS,
        **_PACKAGE,
    },
    "PyGPU.compiler": {
        "CudaModule": "it is PyGPU.Module, or DynamicModule for what must be linked",
        "DEFAULT_NVCC_FLAGS": "PyGPU does not run nvcc; give options to PyGPU.compiler.compile",
        "compile_plain": "use PyGPU.compiler.compile",
        "get_nvcc_version": "PyGPU does not run nvcc; use PyGPU.nvrtc.nvrtcVersion for NVRTC",
        "preprocess_source": "PyGPU does not run nvcc; the cache checks included files by itself",
    },
    "PyGPU.driver": _DRIVER,
    "PyGPU.gpuarray": {
        "splay": "it is for PyCUDA's own kernels; give grid and block when you launch yours",
    },
    "PyGPU.tools": _TOOLS,
}
