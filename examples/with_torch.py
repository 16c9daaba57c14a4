"""PyTorch and PyGPU on one array: a kernel of PyGPU's, and torch's operations, on the same memory.

    python examples/with_torch.py

Nothing is copied. The host runtime's memory is memory of the CPU, so torch needs no GPU there. If
torch is missing, or if PyGPU uses a GPU that torch can't use, the program says so, and ends.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys

import numpy as np

import PyGPU

COUNT, BLOCK = 1 << 16, 256
SOURCE = """
__global__ void square(float *values) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    values[at] *= values[at];
}
"""


def lacking() -> str:
    """Why this can't be shown here, or nothing."""
    if not importlib.util.find_spec("torch"):
        return "there is no torch here: pip install torch"
    if PyGPU.backend != "host" and not importlib.import_module("torch").cuda.is_available():
        return "this torch can't use the GPU: install one that is built for it"
    return ""


def main() -> None:
    if reason := lacking():
        print(reason)
        return
    torch = importlib.import_module("torch")
    square = PyGPU.SourceModule(SOURCE)["square"]
    x = np.arange(COUNT, dtype=np.float32) % 100
    array = PyGPU.to_gpu(x)
    tensor = torch.from_dlpack(array)  # comes after the upload
    tensor += 1
    if tensor.is_cuda:  # what PyGPU queues now comes after torch's work
        theirs = PyGPU.Stream.of(torch.cuda.current_stream().cuda_stream)
        PyGPU.Stream.of(None).wait(theirs)
    square(array, grid=COUNT // BLOCK, block=BLOCK)
    if tensor.data_ptr() != array.ptr:
        sys.exit("the memory isn't the same")
    if not np.array_equal(array.get(), (x + 1) ** 2):
        sys.exit("the array differs from numpy's")
    if not np.array_equal(tensor.cpu().numpy(), (x + 1) ** 2):
        sys.exit("torch sees other values than PyGPU")
    print(f"torch {torch.__version__} and PyGPU worked on the same memory: as numpy's")


if __name__ == "__main__":
    main()
