"""Linking by the driver, which joins PTX, cubins, fatbins, objects and libraries."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from PyGPU._errors import GPUError
from PyGPU._kernels import driver

_LOG = 1 << 15  # bytes of each log, as in PyCUDA


class Part(NamedTuple):
    """Code, or the path of a file with code; `kind` is one of CUjitInputType."""

    kind: Any
    code: bytes | str
    name: str = ""


class Linked(NamedTuple):
    """The code, or the error without which there is none, and both logs."""

    code: bytes
    error: GPUError | None
    info_log: str
    error_log: str


def link(parts: Sequence[Part], options: Sequence[tuple[Any, int]] = ()) -> Linked:
    """Join the parts in the current device's context; `options` are pairs of CUjit_option."""
    info, error = (ctypes.create_string_buffer(_LOG) for _ in range(2))
    logs = [
        (driver.constant(f"CU_JIT_{name}_LOG_BUFFER{suffix}"), value)
        for name, buffer in (("INFO", info), ("ERROR", error))
        for suffix, value in (("", ctypes.addressof(buffer)), ("_SIZE_BYTES", _LOG))
    ]
    options = [*logs, *options]
    values = (ctypes.c_void_p * len(options))(*(value for _, value in options))
    code, failure = b"", None
    driver.driver()  # initialises it
    with driver.context():
        state = driver.call("cuLinkCreate")(len(options), [one for one, _ in options], values)
        try:
            for kind, part, name in parts:
                if isinstance(part, bytes):
                    driver.call("cuLinkAddData")(state, kind, part, len(part), name, 0, [], [])
                else:
                    driver.call("cuLinkAddFile")(state, kind, part, 0, [], [])
            code = ctypes.string_at(*driver.call("cuLinkComplete")(state))
        except GPUError as raised:
            failure = raised
        finally:
            driver.call("cuLinkDestroy")(state)
    return Linked(code, failure, *(one.value.decode(errors="replace") for one in (info, error)))
