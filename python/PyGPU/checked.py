"""The portable names in the raising form, for `import PyGPU.checked`."""

from __future__ import annotations

from PyGPU import _backend as _backend
from PyGPU import _core as _core
from PyGPU._names import portable as _portable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return [one for one in __dir__() if not one.startswith("_")]
    if name.startswith("_"):  # tools ask for such names; the answer must not choose a backend
        raise AttributeError(f"module 'PyGPU.checked' has no attribute {name!r}")
    value = _portable.find(name, raising=True)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return dir(_core.portable(_backend.current(), True))


del TYPE_CHECKING
