"""Names of PyCUDA that PyGPU lacks, each with advice what to use instead.

If PyGPU gets such a name, its row must be removed; a test checks that.
"""

from __future__ import annotations

_KERNELS = (
    "it needs kernels, of which PyGPU has none; cupy.asarray(a) and torch.from_dlpack(a) take "
    "arrays of PyGPU without a copy, and have it"
)
_COMPILER = (
    "kernels that launch kernels need a linker: PyGPU.nvrtc makes relocatable code, and "
    "PyGPU.cu.cuLinkCreate links it; PyGPU.SourceModule is for all other sources"
)
_GL = "OpenGL is not served beyond the runtime's own functions"
_SOURCE = "it makes code from types of Python's; write the source, and PyGPU.SourceModule takes it"
_CURAND = "cupy.random fills arrays of PyGPU's through cupy.asarray(a)"

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
    "Memcpy3DPeer": "PyGPU.cudaMemcpy3DPeer copies parts of arrays between devices",
    "AlignedHostAllocation": "aligned_empty() gives ordinary memory, which numpy owns",
    "IPCMemoryHandle": "PyGPU.cudaIpcOpenMemHandle opens a handle",
    "PointerHolderBase": "a class with __int__, or with __cuda_array_interface__, is a pointer",
    "SourceModule": "it is PyGPU.compiler.SourceModule, as in PyCUDA since 0.93",
    "graphics_register_flags": _GL,
    "initialize_profiler": "it went with CUDA 12; profilers are configured where they are started",
    "mem_get_ipc_handle": (
        "PyGPU.cudaIpcGetMemHandle gives one for memory of PyGPU.cudaMalloc; memory of pools has "
        "none"
    ),
    "profiler_output_mode": "it went with CUDA 12, with initialize_profiler()",
    "set_debugging": "PyGPU runs under debuggers as it is",
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
    "DebugMemoryPool": "PyGPU.memory_info tells what is in use; the host runtime lists leaks",
    "allow_user_edit": "it has nothing to do with GPUs",
    "bitlog2": "n.bit_length() - 1 is it",
    "init_cuda_context_fixture": ("no context has to be made: a test of pytest's needs no fixture"),
    "mark_cuda_test": "no context has to be made: a test of pytest's needs no mark",
}

_PACKAGE = {
    **{name: f"it is PyGPU.driver.{name}" for name in _IN_DRIVER.split()},
    **{name: f"it is PyGPU.tools.{name}" for name in _IN_TOOLS.split()},
    # PyCUDA's modules
    "characterize": "PyGPU.cudaGetDeviceProperties tells what it told",
    "cumath": _KERNELS,
    "curandom": _CURAND,
    "elementwise": _KERNELS,
    "gl": _GL,
    "reduction": _KERNELS,
    "scan": _KERNELS,
    "sparse": _KERNELS,
    # of pycuda.compiler, elementwise, reduction, scan
    "DynamicModule": _COMPILER,
    "DynamicSourceModule": _COMPILER,
    "compile": "it is PyGPU.compiler.compile",
    "ElementwiseKernel": _KERNELS,
    "ReductionKernel": _KERNELS,
    "ExclusiveScanKernel": _KERNELS,
    "InclusiveScanKernel": _KERNELS,
    # of pycuda.driver
    "mem_alloc_managed": "PyGPU.managed_empty gives an array, PyGPU.cudaMallocManaged an address",
    "mem_host_register": "PyGPU.register does it for an array, PyGPU.cudaHostRegister as in C",
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
        **dict.fromkeys(("CudaModule", "DynamicModule", "DynamicSourceModule"), _COMPILER),
        "DEFAULT_NVCC_FLAGS": "no nvcc is run; give options to PyGPU.compiler.compile",
        "compile_plain": "PyGPU.compiler.compile does it",
        "get_nvcc_version": "no nvcc is run; PyGPU.nvrtc.nvrtcVersion tells NVRTC's",
        "preprocess_source": "no nvcc is run; the cache looks into included files by itself",
    },
    "PyGPU.driver": _DRIVER,
    "PyGPU.gpuarray": {
        **_ARRAYS,
        "splay": "it chose grids for PyCUDA's own kernels; a launch of yours gives grid and block",
        "vec": "numpy.dtype([('x', 'f4'), ('y', 'f4')]) is float2",
    },
    "PyGPU.tools": _TOOLS,
}
