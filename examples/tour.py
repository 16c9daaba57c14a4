"""A tour of PyGPU's low level: devices, memory, streams, events, errors.

    python examples/tour.py

Every line shows a call and what it returned. Without a GPU, or under PYGPU_BACKEND=host, the host
runtime answers on the CPU.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import PyGPU as gpu
from PyGPU._base.command import run  # ends quietly after `| head`


def title(text: str) -> None:
    """Print the title of a part."""
    print(f"\n{text}\n{'-' * len(text)}")


def show(call: str, answer: object) -> None:
    """Print a call, and its answer in a column of its own."""
    print(f"  {call:<58} {answer}")


def megabytes(size: int) -> str:
    """A number of bytes as readable text."""
    return f"{size / 2**20:,.0f} MiB"


def library() -> None:
    """Which library PyGPU calls, and its release."""
    title("The library")
    show("PyGPU.__version__", gpu.__version__)
    show("PyGPU.backend", gpu.backend)
    # The first call loads the library. It warns if only the host runtime was found.
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        version = gpu.cudaRuntimeGetVersion()
    for warning in told:
        show(f"{warning.category.__name__} on the first call", warning.message)
    show("cudaRuntimeGetVersion()", version)
    show("cudaDriverGetVersion()", gpu.cudaDriverGetVersion())


def devices() -> int:
    """The number of devices, which is returned, and the properties of the first."""
    title("Devices: a value comes as (value, err), a call without a value gives err")
    count, err = gpu.cudaGetDeviceCount()
    show("count, err = cudaGetDeviceCount()", (count, err))
    if err:
        show("str(err)", err)
        print("\n  No device can be used here, so the parts that need one are left out.")
        return 0
    show("cudaSetDevice(0)", repr(gpu.cudaSetDevice(0)))
    show("idx, err = cudaGetDevice()", gpu.cudaGetDevice())

    attributes = {
        "multiprocessors": gpu.cudaDevAttrMultiProcessorCount,
        "compute capability, major": gpu.cudaDevAttrComputeCapabilityMajor,
        "compute capability, minor": gpu.cudaDevAttrComputeCapabilityMinor,
        "warp size": gpu.cudaDevAttrWarpSize,
        "threads a block": gpu.cudaDevAttrMaxThreadsPerBlock,
        "shared memory a block": gpu.cudaDevAttrMaxSharedMemoryPerBlock,
    }
    show("cudaGetDeviceProperties(0): name", gpu.checked.cudaGetDeviceProperties(0).name)
    for what, attribute in attributes.items():
        value, err = gpu.cudaDeviceGetAttribute(attribute, 0)
        show(f"cudaDeviceGetAttribute(…): {what}", err if err else value)
    show("cudaDeviceGetPCIBusId(device=0)", gpu.cudaDeviceGetPCIBusId(device=0))
    free, total = gpu.checked.cudaMemGetInfo()
    show("cudaMemGetInfo()", f"{megabytes(free)} free of {megabytes(total)}")
    return int(count)


def memory() -> None:
    """Allocate, set, copy to the device and back, and compare with numpy."""
    title("Memory: a numpy array goes there and comes back")
    sent = np.linspace(0.0, 1.0, 1_000_000, dtype=np.float32)
    back = np.empty_like(sent)
    pointer, err = gpu.cudaMalloc(sent.nbytes)
    show(f"pointer, err = cudaMalloc({sent.nbytes})", f"(0x{pointer or 0:x}, {err!r})")
    gpu.check(err)

    err = gpu.cudaMemset(pointer, 0xFF, sent.nbytes)
    show("cudaMemset(pointer, 0xFF, nbytes)", repr(err))
    err = gpu.cudaMemcpy(back, pointer, back.nbytes, gpu.cudaMemcpyDeviceToHost)
    show("cudaMemcpy(back, pointer, nbytes, cudaMemcpyDeviceToHost)", repr(err))
    show("every byte is 0xFF", bool((back.view(np.uint8) == 0xFF).all()))

    err = gpu.cudaMemcpy(pointer, sent, sent.nbytes, gpu.cudaMemcpyHostToDevice)
    show("cudaMemcpy(pointer, sent, nbytes, cudaMemcpyHostToDevice)", repr(err))
    err = gpu.cudaMemcpy(back, pointer, back.nbytes, gpu.cudaMemcpyDeviceToHost)
    show("cudaMemcpy(back, pointer, nbytes, cudaMemcpyDeviceToHost)", repr(err))
    same = bool((back == sent).all())
    show("back equals sent", same)
    show("cudaFree(pointer)", repr(gpu.cudaFree(pointer)))
    if not same:
        sys.exit("what came back is not what was sent")


def streams() -> None:
    """Time a queued memset with two events on a stream of our own."""
    title("Streams and events: created by their constructors, timed by the device")
    stream = gpu.cudaStream_t()
    begin, end = gpu.cudaEvent_t(), gpu.cudaEvent_t()
    show("stream = cudaStream_t()", repr(stream))
    show("begin, end = cudaEvent_t(), cudaEvent_t()", repr(begin))
    size = 1 << 28
    pointer = gpu.checked.cudaMalloc(size)
    show("cudaEventRecord(begin, stream)", repr(gpu.cudaEventRecord(begin, stream)))
    err = gpu.cudaMemsetAsync(pointer, 0, size, stream)
    show(f"cudaMemsetAsync(pointer, 0, {size}, stream)", repr(err))
    show("cudaEventRecord(end, stream)", repr(gpu.cudaEventRecord(end, stream)))
    show("cudaEventQuery(end)  (600 is: not ready yet)", repr(gpu.cudaEventQuery(end)))
    show("cudaStreamSynchronize(stream)", repr(gpu.cudaStreamSynchronize(stream)))
    milliseconds, err = gpu.cudaEventElapsedTime(begin, end)
    show("milliseconds, err = cudaEventElapsedTime(begin, end)", (milliseconds, err))
    if milliseconds:
        show("that is", f"{size / milliseconds / 1e6:,.3g} GB/s")
    gpu.check(gpu.cudaFree(pointer))


def errors() -> None:
    """An error on purpose: as an object, with its text, and as an exception."""
    title("Errors: objects, or exceptions where you ask for them")
    err = gpu.cudaSetDevice(99)
    show("err = cudaSetDevice(99)", repr(err))
    show("bool(err), int(err), err.name", (bool(err), int(err), err.name))
    show("err.message", err.message)
    show("cudaGetLastError()  (takes it, the next one is clean)", repr(gpu.cudaGetLastError()))
    show("cudaGetErrorString(2)", gpu.cudaGetErrorString(2))
    same = gpu.cudaError_t(2) is gpu.cudaErrorMemoryAllocation
    show("cudaError_t(2) is cudaErrorMemoryAllocation", same)
    for call in ("checked.cudaSetDevice(99)", 'cudaSetDevice("x")', "cudaSetDevice(2**40)"):
        try:
            eval(f"gpu.{call}")
        except (gpu.GPUError, TypeError, OverflowError) as error:
            show(call, f"{type(error).__name__}: {error}")
    gpu.cudaGetLastError()


def main() -> None:
    """All parts in order; memory and streams only if there is a device."""
    library()
    if devices():
        memory()
        streams()
    errors()
    print()


if __name__ == "__main__":
    sys.exit(run(main))
