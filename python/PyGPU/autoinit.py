"""Chooses a device and makes it current when it is imported; `pycuda.autoinit` in PyGPU."""

from __future__ import annotations

from PyGPU import tools as _tools
from PyGPU.driver import Context as _Context
from PyGPU.driver import Device as _Device

context: _Context = _tools.make_default_context()
device: _Device = _Context.get_device()
