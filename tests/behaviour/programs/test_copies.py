"""Copies of rows and boxes: arguments, structs by keyword, dict and tuple, batches."""

from __future__ import annotations

from typing import Any

import numpy as np

import PyGPU
from PyGPU import cuda
from tests.behaviour.programs.memory import on_device, read
from tests.behaviour.programs.program import program
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked
TO, BACK, ON = (
    cuda.cudaMemcpyHostToDevice,
    cuda.cudaMemcpyDeviceToHost,
    cuda.cudaMemcpyDeviceToDevice,
)


@program
def test_rows() -> None:
    """2-D: rows of 100 bytes between pitches, and a set part.

    cudaMallocPitch, cudaMemcpy2D both ways and cudaMemset2D.
    """
    sent = (np.arange(7 * 100) % 251).astype(np.uint8).reshape(7, 100)
    pointer, pitch = gpu.cudaMallocPitch(100, 7)
    assert pitch >= 100, "the pitch is enough"
    gpu.cudaMemcpy2D(pointer, pitch, sent, 100, 100, 7, TO)
    gpu.cudaMemset2D(pointer + pitch + 10, pitch, 255, 20, 3)
    back = np.zeros((7, 128), dtype=np.uint8)
    gpu.cudaMemcpy2D(back, 128, pointer, pitch, 100, 7, BACK)
    sent[1:4, 10:30] = 255
    assert back[:, :100].tolist() == sent.tolist(), "what came back"
    assert int(back[:, 100:].sum()) == 0, "beyond the rows"
    gpu.cudaFree(pointer)


@program
def test_boxes() -> None:
    """3-D: a box by struct, a part of it by dict, set and copied on the device.

    cudaMalloc3D, cudaMemcpy3D, cudaMemset3D, cudaMemcpy3DAsync, with positions.
    """
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
    assert part.tolist() == sent[2:4, 1:4, 5:9].tolist(), "the part"
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
    assert whole.tolist() == wanted.tolist(), "the whole"
    gpu.cudaFree(box.ptr)
    gpu.cudaFree(other.ptr)


@program
def test_batch() -> None:
    """A batch of copies, in one call of whatever form the release has.

    cudaMemcpyBatchAsync with two copies of different sizes.
    """
    first, second = np.arange(16, dtype=np.float32), np.arange(48, dtype=np.float32) * 2
    stream = cuda.cudaStream_t(flags=cuda.cudaStreamNonBlocking)
    with on_device(np.zeros(16, np.float32)) as one, on_device(np.zeros(48, np.float32)) as two:
        order = cuda.cudaMemcpyAttributes(srcAccessOrder=cuda.cudaMemcpySrcAccessOrderStream)
        sizes = [first.nbytes, second.nbytes]
        with on_device(first) as source, on_device(second) as other:
            gpu.cudaMemcpyBatchAsync([one, two], [source, other], sizes, 2, [order], [0], 1, stream)
            gpu.cudaStreamSynchronize(stream)
        assert read(one, 16) == first.tolist(), "the first"
        assert read(two, 48) == second.tolist(), "the second"
