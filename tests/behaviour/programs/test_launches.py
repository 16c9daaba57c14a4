"""Kernels: loaded from PTX, launched with arguments of every form, their attributes, occupancy."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda
from tests.behaviour.programs.kernels import KERNELS, PTX, kernel, load
from tests.behaviour.programs.memory import on_device, read
from tests.behaviour.programs.program import program, refuses
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked
COUNT = 1000


@program
def test_library() -> None:
    """A library from PTX: its kernels, a global variable, unloaded.

    Also asks for a kernel that the library lacks.
    """
    loaded = load()
    assert gpu.cudaLibraryGetKernelCount(loaded) == len(KERNELS), "kernels"
    kernels = gpu.cudaLibraryEnumerateKernels(loaded)
    named = {name: gpu.cudaLibraryGetKernel(loaded, name) for name in KERNELS}
    assert sorted(map(int, kernels)) == sorted(map(int, named.values())), "the same kernels"
    for name, one in named.items():
        assert gpu.cudaFuncGetName(one) == name, "cudaFuncGetName"
    address, size = gpu.cudaLibraryGetGlobal(loaded, "answer")
    assert (size, read(address, 1, np.uint64)) == (8, [42]), "its global"
    missing, err = cuda.cudaLibraryGetKernel(loaded, "nowhere")
    assert missing is None, "a kernel that it lacks"
    refuses("its error", err, "cudaErrorSymbolNotFound")
    gpu.cudaLibraryUnload(loaded)


@program
def test_wrong_ptx() -> None:
    """PTX that can't be compiled: the error, and the compiler's words in a log.

    The load fails or, if the driver compiles late, the first question about a kernel.
    """
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
    assert "mull" in text, f"the log names the word: {said_by} wrote {text!r}"


@program
def test_forms() -> None:
    """cudaLaunchKernel: arguments as numpy scalars, ctypes, (values, types), pointers.

    The launch in each form doubles the array.
    """
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
            assert read(pointer, COUNT) == (start * 2**at).tolist(), f"after form {at}"


@program
def test_parameters() -> None:
    """Parameters of 1, 8, 2, 12 and 8 bytes arrive in their places.

    One is a struct by value, from PyGPU and from ctypes.
    """

    class Three(ctypes.Structure):
        _fields_ = [("a", ctypes.c_uint32), ("b", ctypes.c_uint32), ("c", ctypes.c_uint32)]

    with on_device(np.zeros(6)) as out:
        for three in (cuda.dim3(7, 8, 9), Three(7, 8, 9)):
            args = [np.uint8(200), np.float64(0.1), np.int16(-5), three, ctypes.c_void_p(out)]
            gpu.cudaMemset(out, 0, 48)
            gpu.cudaLaunchKernel(kernel("parameters"), 1, 1, args, 0, 0)
            assert read(out, 6, np.float64) == [200.0, 0.1, -5.0, 7.0, 8.0, 9.0], "what it got"


@program
def test_sizes() -> None:
    """What the runtime knows of parameters is checked before a launch.

    cudaFuncGetParamInfo, and a float64 in place of a float32.
    """
    func = kernel("scale")
    layout = [gpu.cudaFuncGetParamInfo(func, at) for at in range(3)]
    assert layout == [(0, 8), (8, 4), (12, 4)], "offset and size"
    wrong = [np.uint64(0), np.float64(2), np.uint32(0)]
    with pytest.raises(ValueError, match=r"args\[1\]"):
        cuda.cudaLaunchKernel(func, 1, 1, wrong, 0, 0)


@program
def test_extended() -> None:
    """cudaLaunchKernelExC with an attribute, and a cooperative launch.

    A config with an array of one attribute.
    """
    with on_device(np.ones(64, dtype=np.float32)) as pointer:
        args = [np.uint64(pointer), np.float32(3), np.uint32(64)]
        together = cuda.cudaLaunchAttribute(
            id=cuda.cudaLaunchAttributeCooperative, val={"cooperative": 1}
        )
        config = cuda.cudaLaunchConfig_t(gridDim=2, blockDim=32, attrs=[together])
        gpu.cudaLaunchKernelExC(config, kernel("scale"), args)
        assert read(pointer, 64) == [3.0] * 64, "after the first"
        gpu.cudaLaunchCooperativeKernel(kernel("scale"), 2, 32, args, 0, 0)
        assert read(pointer, 64) == [9.0] * 64, "after the second"


@program
def test_too_many() -> None:
    """A launch that can't be: the error, and that it is the last one.

    2048 threads in a block.
    """
    args = [np.uint64(0), np.float32(1), np.uint32(0)]
    err = cuda.cudaLaunchKernel(kernel("scale"), 1, 2048, args, 0, 0)
    names = ("cudaErrorInvalidValue", "cudaErrorInvalidConfiguration")
    assert err.name in names, f"an error of the arguments: {err}"
    assert cuda.cudaGetLastError() == err, "cudaGetLastError"
    assert int(cuda.cudaGetLastError()) == 0, "once taken"


@program
def test_attributes() -> None:
    """Function attributes: read, set, read back.

    cudaFuncGetAttributes, cudaFuncSetAttribute, cudaFuncSetCacheConfig.
    """
    func = kernel("scale")
    got = gpu.cudaFuncGetAttributes(func)
    device = gpu.cudaGetDeviceProperties(0)
    assert got.maxThreadsPerBlock == device.maxThreadsPerBlock, "maxThreadsPerBlock"
    assert got.binaryVersion == device.major * 10 + device.minor, "binaryVersion"
    assert got.ptxVersion == 75, "ptxVersion"
    assert (got.sharedSizeBytes, got.localSizeBytes) == (0, 0), "memory"
    assert 0 < got.numRegs < 64, "registers"
    most = cuda.cudaFuncAttributeMaxDynamicSharedMemorySize
    gpu.cudaFuncSetAttribute(func, most, 60 * 1024)
    assert gpu.cudaFuncGetAttributes(func).maxDynamicSharedSizeBytes == 60 * 1024, "set"


@program
def test_occupancy() -> None:
    """Occupancy agrees with the device's numbers.

    Blocks of all threads, blocks limited by shared memory, clusters.
    """
    func, device = kernel("scale"), gpu.cudaGetDeviceProperties(0)
    threads = device.maxThreadsPerBlock
    blocks = gpu.cudaOccupancyMaxActiveBlocksPerMultiprocessor(func, threads, 0)
    assert blocks == device.maxThreadsPerMultiProcessor // threads, "blocks of all threads"
    # Each block takes 1 KiB more than it asks for: 41 KiB here.
    few = gpu.cudaOccupancyMaxActiveBlocksPerMultiprocessor(func, 32, 40 * 1024)
    most = device.maxBlocksPerMultiProcessor
    assert few == min(device.sharedMemPerMultiprocessor // (41 * 1024), most), "blocks of 40 KiB"
    two = min(2, most)
    room = gpu.cudaOccupancyAvailableDynamicSMemPerBlock(func, two, 128)
    assert 0 < room <= device.sharedMemPerMultiprocessor // two, "room for two"
    cluster = cuda.cudaLaunchAttribute(
        id=cuda.cudaLaunchAttributeClusterDimension, val={"clusterDim": (2, 1, 1)}
    )
    config = cuda.cudaLaunchConfig_t(gridDim=8, blockDim=128, attrs=[cluster])
    clusters = gpu.cudaOccupancyMaxActiveClusters(func, config)
    assert clusters > 0, "clusters"
