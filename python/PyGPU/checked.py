"""The portable names in the raising form, for `import PyGPU.checked`."""

from __future__ import annotations

import sys

from PyGPU import _backend, _core

sys.modules[__name__] = _core.portable(_backend.current(), True)
