"""The same as PyGPU.autoinit, whose context is the primary one already."""

from __future__ import annotations

from PyGPU.autoinit import context as context
from PyGPU.autoinit import device as device
