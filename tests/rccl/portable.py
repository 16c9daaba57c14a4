"""A program of NCCL's names, on AMD's runtime and RCCL; test_rccl.py runs this file."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import GPUError, checked

if __name__ == "__main__":
    assert PyGPU.backend == "hip"
    comm = checked.ncclCommInitRank(1, checked.ncclGetUniqueId(), 0)
    assert type(comm) is PyGPU.rccl.ncclComm_t
    stream = PyGPU.cudaStream_t(1 << 20)
    numbers, sums = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    assert not PyGPU.ncclAllReduce(numbers, sums, 8, PyGPU.ncclFloat, PyGPU.ncclSum, comm, stream)
    np.testing.assert_array_equal(sums, numbers)
    _, err = PyGPU.ncclCommInitRank(1, checked.ncclGetUniqueId(), 1)
    assert err == PyGPU.ncclInvalidArgument
    with pytest.raises(GPUError, match="ncclInvalidArgument"):
        checked.ncclCommInitRank(1, checked.ncclGetUniqueId(), 1)
    assert not PyGPU.ncclCommDestroy(comm)
