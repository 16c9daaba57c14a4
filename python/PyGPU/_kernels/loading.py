"""Loads device code: by a library of the driver's, else as a module of the current context."""

from __future__ import annotations

from typing import Any

from PyGPU import _backend
from PyGPU._errors import GPUError
from PyGPU._kernels import base, driver, images
from PyGPU._names import portable

_LOG_SIZE = 16384


def loaded(image: bytes, device: int) -> base.Code:
    """The code on the current device. GPUError with the log of the driver's compiler."""
    if not _backend.kernels().loads_logs:
        module = driver.call("cuModuleLoadData")(image)
    else:
        if images.is_ptx(image) and not image.endswith(b"\0"):
            image = bytes(image) + b"\0"
        if driver.driver().takes_libraries and (code := _as_library(image, device)):
            return code
        module = _as_module(image)
    return base.Code(int(module), driver.driver().unload, device)


def _as_library(image: bytes, device: int) -> base.Code | None:
    """The code as a library, whose kernels have handles for the runtime's graphs, too.

    None where that fails. Loading it as a module tells why: a library would keep the address of the
    log, for the contexts that it is loaded into later.
    """
    load, module_of = (
        portable.find(name, raising=False) for name in ("cuLibraryLoadData", "cuLibraryGetModule")
    )
    library, err = load(image, [], [], 0, [], [], 0)
    if err:
        return None
    module, err = module_of(library)
    if err:
        driver.call("cuLibraryUnload")(library)
        return None
    return base.Code(int(module), driver.driver().unload_library or 0, device, int(library))


def _as_module(image: bytes) -> Any:
    """The driver's handle of the module. GPUError with the log of the driver's compiler."""
    log = bytearray(_LOG_SIZE)
    options = ("ERROR_LOG_BUFFER", "ERROR_LOG_BUFFER_SIZE_BYTES")
    names = [driver.constant(f"CU_JIT_{one}") for one in options]
    try:
        return driver.call("cuModuleLoadDataEx")(image, 2, names, [log, _LOG_SIZE])
    except GPUError as error:
        text = log.rstrip(b"\0").decode(errors="replace").strip()
        if text:
            raise type(error)(error.error, error.values, "Module()", text) from None
        raise
