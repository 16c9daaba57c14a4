"""A filter by cuFFT: a transform, zeros above a frequency, and the transform back.

    python examples/spectral_filter.py [SAMPLES]

A signal of two waves and noise has 2^20 samples by default. Needs PyGPU[nvidia] and cuFFT. With
PYGPU_BACKEND=hip the same names are hipFFT's, and PyGPU[amd] is needed, too.
"""

import sys

import numpy as np

import PyGPU

gpu = PyGPU.checked

samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20
kept = samples // 16  # frequencies below it stay

time = np.arange(samples) / samples
clean = np.sin(2 * np.pi * 3 * time) + 0.5 * np.cos(2 * np.pi * 11 * time)
noise = np.random.default_rng(0).standard_normal(samples)
signal = (clean + 0.3 * noise).astype(np.float32)

array = PyGPU.to_gpu(signal)
spectrum = PyGPU.empty(samples // 2 + 1, np.complex64)
forward = gpu.cufftPlan1d(samples, PyGPU.CUFFT_R2C, 1)
back = gpu.cufftPlan1d(samples, PyGPU.CUFFT_C2R, 1)

gpu.cufftExecR2C(forward, array, spectrum)
spectrum[kept:] = 0
gpu.cufftExecC2R(back, spectrum, array)  # cuFFT divides by nothing
filtered = array.get() / samples

for plan in (forward, back):
    gpu.cufftDestroy(plan)

due = np.fft.rfft(signal)
due[kept:] = 0
if not np.allclose(filtered, np.fft.irfft(due, samples), atol=1e-3):
    sys.exit("the filtered signal differs from numpy's")
before, after = (np.sqrt(np.mean((one - clean) ** 2)) for one in (signal, filtered))
device = gpu.cudaGetDeviceProperties(0).name
print(f"{samples:,} samples on {device}: noise {before:.2f} -> {after:.2f}, as numpy's")
