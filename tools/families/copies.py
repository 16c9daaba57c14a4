"""Copies of rows and boxes: arguments, structs by keyword, dict and tuple, batches."""

from __future__ import annotations

from typing import Any

import numpy as np
from check import check, holds, same
from memory import on_device, read

import PyGPU
from PyGPU import cuda

gpu = PyGPU.checked
TO, BACK, ON = (
    cuda.cudaMemcpyHostToDevice,
    cuda.cudaMemcpyDeviceToHost,
    cuda.cudaMemcpyDeviceToDevice,
)


@check("2-D: rows of 100 bytes between pitches, and a set part")
def rows() -> str:
    """cudaMallocPitch, cudaMemcpy2D both ways and cudaMemset2D."""
    sent = (np.arange(7 * 100) % 251).astype(np.uint8).reshape(7, 100)
    pointer, pitch = gpu.cudaMallocPitch(100, 7)
    holds("the pitch is enough", pitch >= 100)
    gpu.cudaMemcpy2D(pointer, pitch, sent, 100, 100, 7, TO)
    gpu.cudaMemset2D(pointer + pitch + 10, pitch, 255, 20, 3)
    back = np.zeros((7, 128), dtype=np.uint8)
    gpu.cudaMemcpy2D(back, 128, pointer, pitch, 100, 7, BACK)
    sent[1:4, 10:30] = 255
    same("what came back", back[:, :100].tolist(), sent.tolist())
    same("beyond the rows", int(back[:, 100:].sum()), 0)
    gpu.cudaFree(pointer)
    return f"pitch {pitch}"


@check("3-D: a box by struct, a part of it by dict, set and copied on the device")
def boxes() -> None:
    """cudaMalloc3D, cudaMemcpy3D, cudaMemset3D, cudaMemcpy3DAsync, with positions."""
    width, height, depth = 24, 6, 5
    sent = (np.arange(width * height * depth) % 241).astype(np.uint8).reshape(depth, height, width)
    box = gpu.cudaMalloc3D((width, height, depth))
    gpu.cudaMemcpy3D(
        cuda.cudaMemcpy3DParms(
            srcPtr=(sent, width, width, height), dstPtr=box, extent=(width, height, depth), kind=TO
        )
    )
    part: np.ndarray[Any, Any] = np.zeros((2, 3, 4), dtype=np.uint8)
    gpu.cudaMemcpy3D(
        {
            "srcPtr": box,
            "srcPos": {"x": 5, "y": 1, "z": 2},
            "dstPtr": {"ptr": part, "pitch": 4, "xsize": 4, "ysize": 3},
            "extent": (4, 3, 2),
            "kind": BACK,
        }
    )
    same("the part", part.tolist(), sent[2:4, 1:4, 5:9].tolist())
    other, stream = gpu.cudaMalloc3D((width, height, depth)), cuda.cudaStream_t()
    gpu.cudaMemset3D(other, 3, (width, height, depth))
    inner = cuda.cudaMemcpy3DParms(srcPtr=box, dstPtr=other, extent=(8, 2, 1), kind=ON)
    inner.dstPos = (4, 4, 4)
    gpu.cudaMemcpy3DAsync(inner, stream)
    gpu.cudaStreamSynchronize(stream)
    whole = np.zeros_like(sent)
    gpu.cudaMemcpy3D(
        cuda.cudaMemcpy3DParms(
            srcPtr=other, dstPtr=(whole, width, width, height), extent=sent.shape[::-1], kind=BACK
        )
    )
    wanted = np.full_like(sent, 3)
    wanted[4, 4:6, 4:12] = sent[0, 0:2, 0:8]
    same("the whole", whole.tolist(), wanted.tolist())
    gpu.cudaFree(box.ptr)
    gpu.cudaFree(other.ptr)


@check("a batch of copies, in one call of whatever form the release has")
def batch() -> None:
    """cudaMemcpyBatchAsync with two copies of different sizes."""
    first, second = np.arange(16, dtype=np.float32), np.arange(48, dtype=np.float32) * 2
    stream = cuda.cudaStream_t(flags=cuda.cudaStreamNonBlocking)
    with on_device(np.zeros(16, np.float32)) as one, on_device(np.zeros(48, np.float32)) as two:
        order = cuda.cudaMemcpyAttributes(srcAccessOrder=cuda.cudaMemcpySrcAccessOrderStream)
        sizes = [first.nbytes, second.nbytes]
        with on_device(first) as source, on_device(second) as other:
            gpu.cudaMemcpyBatchAsync([one, two], [source, other], sizes, 2, [order], [0], 1, stream)
            gpu.cudaStreamSynchronize(stream)
        same("the first", read(one, 16), first.tolist())
        same("the second", read(two, 48), second.tolist())
