"""A filter by cuFFT: a transform, zeros above a frequency, and the transform back.

    python examples/spectral_filter.py [SAMPLES]

A signal of two waves and noise has 2^20 samples by default. Needs PyGPU[nvidia] and cuFFT.
"""

import sys

import numpy as np

import PyGPU
from PyGPU import cufft

fft = cufft.checked

samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20
kept = samples // 16  # frequencies below it stay

time = np.arange(samples) / samples
clean = np.sin(2 * np.pi * 3 * time) + 0.5 * np.cos(2 * np.pi * 11 * time)
noise = np.random.default_rng(0).standard_normal(samples)
signal = (clean + 0.3 * noise).astype(np.float32)

array = PyGPU.to_gpu(signal)
spectrum = PyGPU.empty(samples // 2 + 1, np.complex64)
forward = fft.cufftPlan1d(samples, cufft.CUFFT_R2C, 1)
back = fft.cufftPlan1d(samples, cufft.CUFFT_C2R, 1)

fft.cufftExecR2C(forward, array, spectrum)
spectrum[kept:] = 0
fft.cufftExecC2R(back, spectrum, array)  # cuFFT divides by nothing
filtered = array.get() / samples

for plan in (forward, back):
    fft.cufftDestroy(plan)

due = np.fft.rfft(signal)
due[kept:] = 0
if not np.allclose(filtered, np.fft.irfft(due, samples), atol=1e-3):
    sys.exit("the filtered signal differs from numpy's")
before, after = (np.sqrt(np.mean((one - clean) ** 2)) for one in (signal, filtered))
device = PyGPU.checked.cudaGetDeviceProperties(0).name
print(f"{samples:,} samples on {device}: noise {before:.2f} -> {after:.2f}, as numpy's")
