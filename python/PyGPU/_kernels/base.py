"""The compiled part of kernels, under names that type checkers know (base.pyi)."""

from __future__ import annotations

from PyGPU._core import kernels

Code = kernels.Code
ConfiguredKernel = kernels.ConfiguredKernel
Kernel = kernels.Kernel
