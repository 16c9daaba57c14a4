"""The compiled part of kernels, under names that type checkers know (base.pyi)."""

from __future__ import annotations

from PyGPU._core import kernels

Code = kernels.Code
ConfiguredKernel = kernels.ConfiguredKernel
Elementwise = kernels.Elementwise
Kernel = kernels.Kernel
demangled = kernels.demangled
images = kernels.images
metadata = kernels.metadata
ptx_kernels = kernels.ptx_kernels
