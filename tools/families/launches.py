"""Kernels: loaded from PTX, launched with arguments of every form, their attributes, occupancy."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from check import check, holds, refuses, same
from kernels import KERNELS, PTX, kernel, load
from memory import on_device, read

import PyGPU
from PyGPU import cuda

gpu = PyGPU.checked
COUNT = 1000


@check("a library from PTX: its kernels, a global variable, unloaded")
def library() -> str:
    """Also asks for a kernel that the library lacks."""
    loaded = load()
    same("kernels", gpu.cudaLibraryGetKernelCount(loaded), len(KERNELS))
    kernels = gpu.cudaLibraryEnumerateKernels(loaded)
    named = {name: gpu.cudaLibraryGetKernel(loaded, name) for name in KERNELS}
    same("the same kernels", sorted(map(int, kernels)), sorted(map(int, named.values())))
    for name, one in named.items():
        same("cudaFuncGetName", gpu.cudaFuncGetName(one), name)
    address, size = gpu.cudaLibraryGetGlobal(loaded, "answer")
    same("its global", (size, read(address, 1, np.uint64)), (8, [42]))
    missing, err = cuda.cudaLibraryGetKernel(loaded, "nowhere")
    same("a kernel that it lacks", missing, None)
    refuses("its error", err, "cudaErrorSymbolNotFound")
    gpu.cudaLibraryUnload(loaded)
    return ", ".join(KERNELS)


@check("PTX that can't be compiled: the error, and the compiler's words in a log")
def wrong_ptx() -> str:
    """The load fails or, if the driver compiles late, the first question about a kernel."""
    log = bytearray(4096)
    options = [cuda.cudaJitErrorLogBuffer, cuda.cudaJitErrorLogBufferSizeBytes]
    wrong = PTX.replace("mul.f32 %f3,", "mul.f32 %f3 mull").encode()
    library, err = cuda.cudaLibraryLoadData(wrong, options, [log, len(log)], 2, None, None, 0)
    said_by = "cudaLibraryLoadData"
    if not err:
        said_by = "cudaLibraryGetKernel"
        func, err = cuda.cudaLibraryGetKernel(library, "scale")
    if not err:
        said_by = "cudaFuncGetAttributes"
        _, err = cuda.cudaFuncGetAttributes(func)
    refuses("the error", err, "cudaErrorInvalidPtx")
    text = bytes(log).split(b"\0")[0].decode()
    holds(f"the log names the word: {said_by} wrote {text!r}", "mull" in text)
    return f"{said_by}: {text.splitlines()[0][:60]}"


@check("cudaLaunchKernel: arguments as numpy scalars, ctypes, (values, types), pointers")
def forms() -> str:
    """The launch in each form doubles the array."""
    func = kernel("scale")
    start = np.arange(COUNT, dtype=np.float32)
    with on_device(start) as pointer:
        place, factor, count = ctypes.c_void_p(pointer), ctypes.c_float(2), ctypes.c_uint32(COUNT)
        held = (ctypes.c_void_p * 3)(*(ctypes.addressof(one) for one in (place, factor, count)))
        types = (ctypes.c_void_p, np.float32, np.dtype("uint32"))
        every: list[Any] = [
            [np.uint64(pointer), np.float32(2), np.uint32(COUNT)],
            (place, factor, count),
            ((pointer, 2.0, COUNT), types),
            held,
            ctypes.addressof(held),
        ]
        for at, args in enumerate(every, 1):
            gpu.cudaLaunchKernel(func, (COUNT + 127) // 128, 128, args, 0, 0)
            same(f"after form {at}", read(pointer, COUNT), (start * 2**at).tolist())
    return f"{len(every)} forms"


@check("parameters of 1, 8, 2, 12 and 8 bytes arrive in their places")
def parameters() -> None:
    """One is a struct by value, from PyGPU and from ctypes."""

    class Three(ctypes.Structure):
        _fields_ = [("a", ctypes.c_uint32), ("b", ctypes.c_uint32), ("c", ctypes.c_uint32)]

    with on_device(np.zeros(6)) as out:
        for three in (cuda.dim3(7, 8, 9), Three(7, 8, 9)):
            args = [np.uint8(200), np.float64(0.1), np.int16(-5), three, ctypes.c_void_p(out)]
            gpu.cudaMemset(out, 0, 48)
            gpu.cudaLaunchKernel(kernel("parameters"), 1, 1, args, 0, 0)
            same("what it got", read(out, 6, np.float64), [200.0, 0.1, -5.0, 7.0, 8.0, 9.0])


@check("what the runtime knows of parameters is checked before a launch")
def sizes() -> None:
    """cudaFuncGetParamInfo, and a float64 in place of a float32."""
    func = kernel("scale")
    layout = [gpu.cudaFuncGetParamInfo(func, at) for at in range(3)]
    same("offset and size", layout, [(0, 8), (8, 4), (12, 4)])
    try:
        wrong = [np.uint64(0), np.float64(2), np.uint32(0)]
        cuda.cudaLaunchKernel(func, 1, 1, wrong, 0, 0)
    except ValueError as error:
        holds(f"the argument is named: {error}", "args[1]" in str(error))
    else:
        raise AssertionError("a float64 was taken for a float32")


@check("cudaLaunchKernelExC with an attribute, and a cooperative launch")
def extended() -> None:
    """A config with an array of one attribute."""
    with on_device(np.ones(64, dtype=np.float32)) as pointer:
        args = [np.uint64(pointer), np.float32(3), np.uint32(64)]
        together = cuda.cudaLaunchAttribute(
            id=cuda.cudaLaunchAttributeCooperative, val={"cooperative": 1}
        )
        config = cuda.cudaLaunchConfig_t(gridDim=2, blockDim=32, attrs=[together])
        gpu.cudaLaunchKernelExC(config, kernel("scale"), args)
        same("after the first", read(pointer, 64), [3.0] * 64)
        gpu.cudaLaunchCooperativeKernel(kernel("scale"), 2, 32, args, 0, 0)
        same("after the second", read(pointer, 64), [9.0] * 64)


@check("a launch that can't be: the error, and that it is the last one")
def too_many() -> None:
    """2048 threads in a block."""
    args = [np.uint64(0), np.float32(1), np.uint32(0)]
    err = cuda.cudaLaunchKernel(kernel("scale"), 1, 2048, args, 0, 0)
    names = ("cudaErrorInvalidValue", "cudaErrorInvalidConfiguration")
    holds(f"an error of the arguments: {err}", err.name in names)
    same("cudaGetLastError", cuda.cudaGetLastError(), err)
    same("once taken", int(cuda.cudaGetLastError()), 0)


@check("function attributes: read, set, read back")
def attributes() -> str:
    """cudaFuncGetAttributes, cudaFuncSetAttribute, cudaFuncSetCacheConfig."""
    func = kernel("scale")
    got = gpu.cudaFuncGetAttributes(func)
    device = gpu.cudaGetDeviceProperties(0)
    same("maxThreadsPerBlock", got.maxThreadsPerBlock, device.maxThreadsPerBlock)
    same("binaryVersion", got.binaryVersion, device.major * 10 + device.minor)
    same("ptxVersion", got.ptxVersion, 75)
    same("memory", (got.sharedSizeBytes, got.localSizeBytes), (0, 0))
    holds("registers", 0 < got.numRegs < 64)
    most = cuda.cudaFuncAttributeMaxDynamicSharedMemorySize
    gpu.cudaFuncSetAttribute(func, most, 60 * 1024)
    same("set", gpu.cudaFuncGetAttributes(func).maxDynamicSharedSizeBytes, 60 * 1024)
    return f"{got.numRegs} registers, {got.sizeof} bytes"


@check("occupancy agrees with the device's numbers")
def occupancy() -> str:
    """Blocks of all threads, blocks limited by shared memory, clusters."""
    func, device = kernel("scale"), gpu.cudaGetDeviceProperties(0)
    threads = device.maxThreadsPerBlock
    blocks = gpu.cudaOccupancyMaxActiveBlocksPerMultiprocessor(func, threads, 0)
    same("blocks of all threads", blocks, device.maxThreadsPerMultiProcessor // threads)
    # Each block takes 1 KiB more than it asks for: 41 KiB here.
    few = gpu.cudaOccupancyMaxActiveBlocksPerMultiprocessor(func, 32, 40 * 1024)
    most = device.maxBlocksPerMultiProcessor
    same("blocks of 40 KiB", few, min(device.sharedMemPerMultiprocessor // (41 * 1024), most))
    two = min(2, most)
    room = gpu.cudaOccupancyAvailableDynamicSMemPerBlock(func, two, 128)
    holds("room for two", 0 < room <= device.sharedMemPerMultiprocessor // two)
    cluster = cuda.cudaLaunchAttribute(
        id=cuda.cudaLaunchAttributeClusterDimension, val={"clusterDim": (2, 1, 1)}
    )
    config = cuda.cudaLaunchConfig_t(gridDim=8, blockDim=128, attrs=[cluster])
    clusters = gpu.cudaOccupancyMaxActiveClusters(func, config)
    holds("clusters", clusters > 0)
    return f"{blocks} and {few} blocks, {room} bytes, {clusters} clusters"
