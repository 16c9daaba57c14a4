"""What a platform and its compiler have; takes the place of `pycuda.characterize`.

Names follow https://documen.tician.de/pycuda/util.html.
"""

from __future__ import annotations

import sys as _sys

from PyGPU import driver as _driver

__all__ = ["has_double_support", "has_stack", "platform_bits", "sizeof"]


def platform_bits() -> int:
    """The bits of an address of the host."""
    return 64 if _sys.maxsize > 2**32 else 32


def has_stack() -> bool:
    """Whether the current device has a stack for calls of functions; all do since 2010."""
    return bool(_driver.Context.get_device().compute_capability() >= (2, 0))


def has_double_support() -> bool:
    """Whether the current device computes with float64."""
    return bool(_driver.Context.get_device().compute_capability() >= (1, 3))


def sizeof(type_name: str, preamble: str = "") -> int:
    """The bytes of a type of C++ on the device, which may be declared in the preamble.

    Raises CompileError for what is no type.
    """
    from PyGPU import gpuarray
    from PyGPU._codegen import loading

    source = (
        f"{preamble}\n"
        'extern "C" __global__ void pygpu_sizeof(unsigned long *to) '
        f"{{ *to = sizeof({type_name}); }}\n"
    )
    size = gpuarray.empty((), "u8")
    loading.kernel(source, "pygpu_sizeof")(size, grid=1, block=1)
    return int(size)


def __getattr__(name: str) -> object:
    from PyGPU._names.missing import MissingNameError

    raise MissingNameError(__name__, name)
