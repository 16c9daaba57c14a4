"""A program of cuRAND's names, on AMD's runtime and hipRAND; test_stand_in.py runs this file."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import CURAND_RNG_PSEUDO_PHILOX4_32_10, GPUError, checked

if __name__ == "__main__":
    assert checked.curandGetVersion() == 201200
    generator = checked.curandCreateGenerator(CURAND_RNG_PSEUDO_PHILOX4_32_10)
    assert not PyGPU.curandSetStream(generator, PyGPU.cudaStream_t(0))
    assert not PyGPU.curandSetPseudoRandomGeneratorSeed(generator, 5)
    whole, parts = np.zeros(3, np.uint32), PyGPU.to_gpu(np.zeros(2, np.float32))
    checked.curandGenerate(generator, whole, 3)
    assert whole.tolist() == [5, 6, 7]
    checked.curandGenerateUniform(generator, parts, 2)
    assert parts.get().tolist() == [1, 9 / 8]
    checked.curandGenerateNormal(generator, parts, 2, 1.5, 2)
    assert parts.get().tolist() == [3.5, 3.5]
    with pytest.raises(ValueError, match="is too short: 12 needed, 8 given"):
        PyGPU.curandGenerateUniform(generator, parts, 3)
    assert not PyGPU.curandDestroyGenerator(generator)
    with pytest.raises(GPUError, match="CURAND_STATUS_TYPE_ERROR"):
        checked.curandCreateGenerator(99)
