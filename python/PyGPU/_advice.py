"""What to do about a status: the end of GPUError's text, for the codes that newcomers meet."""

from __future__ import annotations

_DRIVER = (
    "no driver that serves this runtime is here; python -m PyGPU says what is missing, "
    "PYGPU_BACKEND=host runs on the CPU"
)
_NAME = (
    'C++ mangles the names of kernels: declare the kernel extern "C", or let PyGPU.Module find it '
    "by its plain name"
)
_RESET = "the device was reset since: make arrays, streams and modules anew"
_HANDLE = (
    "a stream, an event or another handle was destroyed, never recorded, or made on another "
    "device or before a reset"
)
_ADVICE = {
    "InvalidValue": (
        "an argument was refused; often it is an address in host memory where device memory is "
        "due, or one that was freed"
    ),
    "InvalidDevice": "devices count from 0 to PyGPU.cudaGetDeviceCount() - 1",
    "InsufficientDriver": _DRIVER,
    "NoDevice": "no device can be seen: see CUDA_VISIBLE_DEVICES, and what python -m PyGPU says",
    "InitializationError": (
        "after a fork the child can't use GPUs that its parent used: start it by "
        'multiprocessing.get_context("spawn")'
    ),
    "ContextIsDestroyed": _RESET,
    "InvalidResourceHandle": _HANDLE,
    "SharedObjectInitFailed": (
        "no library of the vendor's can be used here; python -m PyGPU says where it was looked for"
    ),
    "NotReady": "work is still queued: wait by cudaStreamSynchronize or cudaEventSynchronize",
    "SymbolNotFound": _NAME,
    "InvalidConfiguration": (
        "grid or block is empty or too large: cudaGetDeviceProperties tells maxThreadsPerBlock, "
        "maxGridSize and sharedMemPerBlock"
    ),
    "LaunchOutOfResources": "the kernel's registers don't suffice for so many threads a block",
    "NoKernelImageForDevice": "the code is for other devices: compile it for this one, or to PTX",
    "IllegalAddress": (
        "a kernel read or wrote outside its memory; start again, as the device can't be used any "
        "more, and look with compute-sanitizer or PYGPU_BACKEND=host"
    ),
}
_OF_THE_DRIVER = {
    "CUDA_ERROR_INVALID_VALUE": "InvalidValue",
    "CUDA_ERROR_INVALID_DEVICE": "InvalidDevice",
    "CUDA_ERROR_NO_DEVICE": "NoDevice",
    "CUDA_ERROR_INVALID_HANDLE": "InvalidResourceHandle",
    "CUDA_ERROR_CONTEXT_IS_DESTROYED": "ContextIsDestroyed",
    "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED": "SharedObjectInitFailed",
    "CUDA_ERROR_NOT_READY": "NotReady",
    "CUDA_ERROR_NOT_FOUND": "SymbolNotFound",
    "CUDA_ERROR_NO_BINARY_FOR_GPU": "NoKernelImageForDevice",
    "CUDA_ERROR_ILLEGAL_ADDRESS": "IllegalAddress",
    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES": "LaunchOutOfResources",
}


def advice(status: str) -> str:
    """What to do about a status of a name; "" where there is no advice."""
    return _ADVICE.get(_OF_THE_DRIVER.get(status) or status.partition("Error")[2], "")
