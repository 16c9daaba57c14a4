"""Names of PyCUDA, CuPy, PyTorch and Numba that PyGPU lacks, each with what to use instead.

If PyGPU gets such a name, its row must be removed; a test checks that.
"""

from __future__ import annotations

_KERNELS = (
    "PyGPU has no kernels for arithmetic; use CuPy or PyTorch: cupy.asarray(a) and "
    "torch.from_dlpack(a) share the memory of a PyGPU array"
)
_GL = "PyGPU has no functions that register objects of OpenGL"
_RANDOM = "PyGPU.curandom.rand(shape, dtype) makes random numbers, its generators others"

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
    "DebugMemoryPool": "PyGPU.memory_info shows the memory in use; the host runtime lists leaks",
    "allow_user_edit": "it isn't about GPUs: use an editor of your own",
}

_PACKAGE = {
    **{name: f"it is PyGPU.driver.{name}" for name in _IN_DRIVER.split()},
    **{name: f"it is PyGPU.tools.{name}" for name in _IN_TOOLS.split()},
    # PyCUDA's modules
    "gl": _GL,
    "sparse": _KERNELS,
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

# What people who come from numpy, CuPy, PyTorch or Numba look for in the package.
_OF_OTHERS = {
    "PyGPU.to_gpu(x) copies x to the device, PyGPU.asarray(x) shares its memory if it can": (
        "array as_tensor ascontiguousarray asanyarray from_numpy tensor"
    ),
    "a.get() copies an array to the host": "asnumpy copy_to_host cpu to_cpu to_host to_numpy",
    "the class is PyGPU.GPUArray": "Array Tensor ndarray",
    "PyGPU.to_gpu(x) copies what numpy makes": (
        "diag eye fromfile frombuffer fromiter geomspace identity indices linspace load loadtxt "
        "logspace meshgrid mgrid tri"
    ),
    "numpy.save(file, a.get()) writes an array": "save savez",
    "PyGPU.SourceModule(source) compiles, module.get_function(name) is a kernel, and "
    "kernel(*arguments, grid=..., block=...) launches it": (
        "RawKernel RawModule compile_with_cache get_function launch load_inline raw_kernel"
    ),
    "PyGPU.compiler.compile(source) gives code, PyGPU.Module loads it": "ObjectCode",
    "PyGPU compiles no Python; give C++ source to PyGPU.SourceModule": (
        "fuse grid jit vectorize guvectorize"
    ),
    "PyGPU.concatenate and PyGPU.stack join arrays": (
        "append block cat column_stack dstack hstack vstack"
    ),
    "dtypes are numpy's: numpy.float32 and so on": (
        "bfloat16 bool_ complex128 complex64 dtype float16 float32 float64 int16 int32 int64 int8 "
        "uint16 uint32 uint64 uint8"
    ),
    "it is numpy's": "e inf nan newaxis pi",
    "slices, a.transpose() and a[None] make other views of an array": (
        "array_split atleast_1d atleast_2d broadcast_to expand_dims flip moveaxis permute ravel "
        "rollaxis split squeeze swapaxes unsqueeze"
    ),
    "arrays have a.shape, a.ndim, a.size and a.nbytes": "ndim numel shape size",
    "PyGPU.copy(dst, src) copies between any two arrays": "copyto memcopy",
    "PyGPU.wait(a) waits for an array, PyGPU.cudaDeviceSynchronize() for the device": (
        "device_synchronize sync synchronize"
    ),
    "PyGPU.cudaGetDeviceCount() gives (count, error)": "device_count getDeviceCount num_gpus",
    "PyGPU.cudaGetDevice() gives (device, error)": "current_device get_device",
    "with PyGPU.device(n): changes the device for a while, PyGPU.cudaSetDevice(n) until the next": (
        "select_device set_device"
    ),
    "PyGPU.backend names what is in use, python -m PyGPU says what is missing": (
        "get_backend is_available is_cuda version_info"
    ),
    "with PyGPU.Stream() as stream: makes a stream the current one": (
        "current_stream default_stream get_current_stream"
    ),
    "PyGPU.memory_info() shows the memory in use, PyGPU.trim_memory() frees what is not": (
        "empty_cache free_all_blocks get_default_memory_pool memory_allocated mempool "
        "memory_pool memory_reserved memory_stats"
    ),
    "PyGPU.DeviceMemory(nbytes) is memory, freed with its last user": "alloc mem_free",
    "PyGPU.pagelocked_empty(shape, dtype) is page-locked, PyGPU.register(x) locks x": (
        "alloc_pinned_memory empty_pinned get_default_pinned_memory_pool mapped_array pin_memory "
        "pinned pinned_array zeros_pinned"
    ),
    "use PyGPU.empty, or PyGPU.to_gpu for a copy": "DeviceArray device_array device_array_like",
    "PyGPU.cuda has the runtime's functions, PyGPU.cu the driver's": "cudart runtime",
    "PyGPU has no ufuncs; a.get() is numpy's array, cupy.asarray(a) is CuPy's": (
        "get_array_module"
    ),
    _RANDOM: "default_rng manual_seed rand randint randn random seed",
    "PyGPU.cumath has such functions of arrays": (
        "ceil cos cosh exp floor hypot log log10 log2 logaddexp sin sinh sqrt tan tanh"
    ),
    _KERNELS: (
        "abs absolute add allclose amax amin argsort argwhere array_equal average bincount cast "
        "convolve corrcoef count_nonzero cross diff divide einsum equal fft gradient greater "
        "histogram inner interp isclose isfinite isin isinf isnan kron less linalg matmul "
        "median mm mod multiply nanmax nansum negative nonzero norm not_equal outer pad "
        "percentile power repeat roll round searchsorted sign sort square subtract tensordot "
        "tile true_divide unique"
    ),
}

SIGNPOSTS = {
    "PyGPU": {
        **{name: way for way, names in _OF_OTHERS.items() for name in names.split()},
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
