"""The doctor: what PyGPU finds on this machine, what works, and what to do where nothing does."""

from __future__ import annotations

from .collect import collect
from .text import render

__all__ = ["collect", "render"]
