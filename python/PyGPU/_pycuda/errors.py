"""PyCUDA's exceptions: kinds of GPUError, by status."""

from __future__ import annotations

from typing import Any

from PyGPU import _backend, _errors
from PyGPU._errors import GPUError


class LogicError(GPUError):
    """The program asked for something wrong: a value, a handle, a name, an order of calls."""


class LaunchError(GPUError):
    """A kernel failed, or couldn't be launched. Often a later call raises it."""


class RuntimeError(GPUError):
    """Something outside the program is wrong: no device, no driver, a missing file."""


class MissingSymbolError(LogicError, KeyError):
    """A module has no kernel or variable of a name."""


for _class in (LogicError, LaunchError, RuntimeError):
    _class.__module__ = "PyGPU.driver"

# The numbers are those of CUDA's runtime, of its driver, and of HIP.
_LAUNCH = (
    701,  # LAUNCH_OUT_OF_RESOURCES
    702,  # LAUNCH_TIMEOUT
    703,  # LAUNCH_INCOMPATIBLE_TEXTURING
    719,  # LAUNCH_FAILED
)
_OUTSIDE = (
    35,  # the runtime's InsufficientDriver
    100,  # NO_DEVICE
    209,  # NO_BINARY_FOR_GPU
    214,  # ECC_UNCORRECTABLE
    301,  # FILE_NOT_FOUND
    302,  # PyGPU's own: the library lacks the function
    303,  # PyGPU's own: no library
    600,  # NOT_READY
)
_UNKNOWN = 999


def kind(error: Any) -> type[GPUError]:
    """The class for a status, as PyCUDA has it (src/cpp of PyCUDA, translate_cuda_error)."""
    code = int(error)
    # The numbers above are those of the APIs that the host runtime has, too.
    if type(error)._api not in _backend.HOSTED or code == _UNKNOWN:
        return GPUError
    if code in _LAUNCH:
        return LaunchError
    return RuntimeError if code in _OUTSIDE else LogicError


def missing_symbol(call: str, what: str) -> MissingSymbolError:
    """The exception for a name that a module hasn't got."""
    from PyGPU._kernels import driver

    status = driver.constant("CUDA_ERROR_NOT_FOUND")
    return MissingSymbolError(status, (), call, what)


def invalid_value(call: str, what: str) -> LogicError:
    """The exception for what can't be done as it was asked for."""
    from PyGPU._kernels import driver

    return LogicError(driver.constant("CUDA_ERROR_INVALID_VALUE"), (), call, what)


def invalid_context(call: str, what: str) -> LogicError:
    """The exception for a context that isn't the current one."""
    from PyGPU._kernels import driver

    status = driver.constant("CUDA_ERROR_INVALID_CONTEXT")
    return LogicError(status, (), call, what)


_errors.kind_of = kind
