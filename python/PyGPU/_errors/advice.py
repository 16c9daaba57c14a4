"""Advice on statuses that newcomers meet. The text of GPUError ends with it."""

from __future__ import annotations

_DRIVER = (
    "this machine has no driver that is new enough for this runtime; python -m PyGPU says what is "
    "missing, PYGPU_BACKEND=host runs on the CPU"
)
_NAME = (
    'C++ mangles the names of kernels: declare the kernel extern "C", or let PyGPU.Module find it '
    "by its plain name"
)
_RESET = "the device was reset: create arrays, streams and modules again"
_HANDLE = (
    "a stream, an event or another handle was destroyed, never recorded, or created on another "
    "device or before a reset"
)
_IMAGE = "the code is for other devices: compile it for this one, or to PTX"
_ADVICE = {
    "InvalidValue": (
        "an argument was refused; often it is an address in host memory where device memory is "
        "needed, or one that was freed"
    ),
    "InvalidDevice": "devices are numbered from 0 to PyGPU.cudaGetDeviceCount() - 1",
    "InsufficientDriver": _DRIVER,
    "NoDevice": "no device is visible: check CUDA_VISIBLE_DEVICES, and what python -m PyGPU says",
    "InitializationError": (
        "after a fork the child can't use GPUs that its parent used: start it by "
        'multiprocessing.get_context("spawn")'
    ),
    "ContextIsDestroyed": _RESET,
    "InvalidHandle": _HANDLE,
    "InvalidResourceHandle": _HANDLE,
    "SharedObjectInitFailed": (
        "no usable library of the vendor was found; python -m PyGPU lists the places searched"
    ),
    "NotReady": "work is still queued: wait with cudaStreamSynchronize or cudaEventSynchronize",
    "NotFound": _NAME,
    "SymbolNotFound": _NAME,
    "InvalidConfiguration": (
        "grid or block is empty or too large: cudaGetDeviceProperties gives maxThreadsPerBlock, "
        "maxGridSize and sharedMemPerBlock"
    ),
    "LaunchOutOfResources": "the kernel uses too many registers for a block of so many threads",
    "NoBinaryForGpu": _IMAGE,
    "NoKernelImageForDevice": _IMAGE,
    "IllegalAddress": (
        "a kernel read or wrote outside its memory; this process can't use the device any more: "
        "run it again under compute-sanitizer, or with PYGPU_BACKEND=host PYGPU_HOST_CHECK=1"
    ),
}


def advice(status: str) -> str:
    """What to do about the status of this name; "" where there is no advice."""
    _, of_driver, words = status.partition("ERROR_")  # as the driver's names are written
    name = (
        "".join(map(str.capitalize, words.split("_")))
        if of_driver
        else status.partition("Error")[2]
    )
    return _ADVICE.get(name, "")
