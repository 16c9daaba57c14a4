"""Names of numpy, CuPy, PyTorch, Numba and cuda.core that people look for in PyGPU.

Each group has one text: what to use instead.
"""

from __future__ import annotations

SHARED = (
    "cupy.asarray(a) and torch.from_dlpack(a) share the memory of a PyGPU array, and those "
    "packages compute on it"
)
GL = "PyGPU has no functions that register objects of OpenGL"
_RANDOM = "PyGPU.curandom.rand(shape, dtype) makes random numbers, its generators others"
_PINNED = "PyGPU.pagelocked_empty(shape, dtype) is page-locked, PyGPU.register(x) locks x"
_MANAGED = "PyGPU.ManagedMemory(size) is such memory, PyGPU.managed_empty(shape, dtype) an array"
_PARTS = "PyGPU.GreenContext.split(8) takes so many multiprocessors of the current device"
_LAUNCH = (
    "PyGPU.SourceModule(source) compiles, module.get_function(name) is a kernel, and "
    "kernel(*arguments, grid=..., block=..., stream=...) launches it"
)

# numpy's own function of such a name takes arrays of PyGPU; a test tries each.
OF_NUMPY = "numpy's function of this name takes arrays, and works on the device"
# PyGPU.cumath has such a name.
OF_CUMATH = "it is in PyGPU.cumath; numpy's function of this name takes arrays, too"

_GROUPS = {
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
    _LAUNCH: "RawKernel RawModule compile_with_cache get_function launch load_inline raw_kernel",
    "PyGPU.compiler.compile(source) gives code, PyGPU.Module loads it": "ObjectCode",
    "it is PyGPU.elementwise.fuse": "fuse",
    "PyGPU compiles no kernels of Python: give C++ source to PyGPU.SourceModule, or a function of "
    "arrays to PyGPU.elementwise.fuse": "grid guvectorize jit vectorize",
    "PyGPU.concatenate and PyGPU.stack join arrays": (
        "append block cat column_stack dstack hstack vstack"
    ),
    "dtypes are numpy's: numpy.float32 and so on": (
        "bfloat16 bool_ complex128 complex64 dtype float16 float32 float64 int16 int32 int64 int8 "
        "uint16 uint32 uint64 uint8"
    ),
    "it is numpy's": "e inf nan newaxis pi",
    "slices, a.transpose(), a.ravel(), a.squeeze() and a[None] make other views of an array": (
        "array_split atleast_1d atleast_2d broadcast_to expand_dims flip moveaxis permute ravel "
        "rollaxis split squeeze swapaxes unsqueeze"
    ),
    "arrays have a.shape, a.ndim, a.size and a.nbytes": "ndim numel shape size",
    "a.astype(dtype) converts an array": "cast",
    "PyGPU.copy(dst, src) copies between any two arrays": "copyto memcopy",
    "PyGPU.wait(a) waits for an array, PyGPU.cudaDeviceSynchronize() for the device": (
        "device_synchronize sync synchronize"
    ),
    "end - begin of two events is the time between them in ms": "elapsed_time get_elapsed_time",
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
    "PyGPU.DeviceMemory(nbytes) is memory, freed with its last user": "Buffer alloc mem_free",
    _PINNED: (
        "LegacyPinnedMemoryResource PinnedMemoryPool PinnedMemoryResource alloc_pinned_memory "
        "empty_pinned get_default_pinned_memory_pool mapped_array pin_memory pinned pinned_array "
        "zeros_pinned"
    ),
    _MANAGED: "ManagedBuffer ManagedMemoryResource malloc_managed",
    "use PyGPU.empty, or PyGPU.to_gpu for a copy": "DeviceArray device_array device_array_like",
    "PyGPU.cuda has the runtime's functions, PyGPU.cu the driver's": "cudart runtime",
    "numpy's functions take the arrays of each package, and work where these are": (
        "get_array_module"
    ),
    _RANDOM: "default_rng manual_seed rand randint randn random seed",
    OF_CUMATH: (
        "arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt ceil copysign cos cosh degrees "
        "exp exp2 expm1 fabs floor fmod frexp hypot ldexp log log10 log1p log2 logaddexp modf "
        "radians rint sin sinh sqrt tan tanh trunc"
    ),
    OF_NUMPY: (
        "abs absolute add amax amin bitwise_and bitwise_or bitwise_xor conj divide equal "
        "floor_divide fmax fmin greater greater_equal imag invert isfinite isinf isnan less "
        "less_equal mod multiply negative not_equal power real reciprocal remainder sign square "
        "subtract true_divide"
    ),
    "numpy.rint(a) rounds to whole numbers, on the device": "round",
    f"PyGPU has no kernel for it; {SHARED}": (
        "allclose argsort argwhere array_equal average bincount convolve corrcoef count_nonzero "
        "cross diff einsum fft gradient histogram inner interp isclose isin kron linalg matmul "
        "median mm nan_to_num nanmax nansum nonzero norm outer pad percentile repeat roll "
        "searchsorted sort tensordot tile unique"
    ),
    # cuda.core's
    "its parts are keywords of a kernel's call: kernel(*arguments, grid=..., block=..., "
    "shared=..., stream=...)": "LaunchConfig",
    "options are keywords of the class or the function": (
        "ContextOptions DeviceMemoryResourceOptions EventOptions LinkerOptions "
        "ManagedMemoryResourceOptions PinnedMemoryResourceOptions ProgramOptions "
        "SMResourceOptions StreamOptions TensorMapDescriptorOptions VirtualMemoryResourceOptions "
        "WorkqueueResourceOptions"
    ),
    "it is PyGPU.MemoryPool": "DeviceMemoryResource MemoryAsyncPool",
    "it is PyGPU.VirtualMemory": "VirtualMemoryResource",
    "it is PyGPU.TensorMap": "TensorMapDescriptor",
    "PyGPU.set_allocator takes a callable, or an object with allocate() and deallocate()": (
        "MemoryResource"
    ),
    "a captured PyGPU.cudaMallocAsync takes memory of its graph": "GraphMemoryResource",
    "with stream.capture() as graph: records what a stream does": "GraphBuilder",
    "it is PyGPU.cudaStreamLegacy": "LEGACY_DEFAULT_STREAM",
    "it is PyGPU.cudaStreamPerThread": "PER_THREAD_DEFAULT_STREAM",
    _PARTS: "DeviceResources SMResource WorkqueueResource",
    GL: "GraphicsResource",
}

OF_OTHERS = {name: way for way, names in _GROUPS.items() for name in names.split()}
