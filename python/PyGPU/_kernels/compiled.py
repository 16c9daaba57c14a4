"""Compiled: device code as bytes, with what its compiler knows of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from PyGPU._kernels.parameters import Parameter
from PyGPU._names.elsewhere import Elsewhere, HidesElsewhere


class Compiled(HidesElsewhere, bytes):
    """Device code: the object is the bytes themselves.

    `kind` is "cubin", "ptx", "ltoir" or "hsaco". `arch` is the target, "sm_90" or "compute_90".
    `log` is the compiler's log, `compiler` its name and release. `names` gives the mangled name of
    each name expression, and of each kernel with a unique C++ name. `parameters` describes the
    parameters of each kernel, by mangled name; for LTO-IR they are unknown. `cached` says that the
    code came from the cache.
    """

    kind: str
    arch: str
    log: str
    compiler: str
    names: Mapping[str, str]
    parameters: Mapping[str, tuple[Parameter, ...]]
    cached: bool

    def __new__(
        cls,
        image: bytes,
        kind: str = "cubin",
        arch: str = "",
        log: str = "",
        compiler: str = "",
        names: Mapping[str, str] | None = None,
        parameters: Mapping[str, tuple[Parameter, ...]] | None = None,
        cached: bool = False,
    ) -> Compiled:
        self = super().__new__(cls, image)
        self.kind = kind
        self.arch = arch
        self.log = log
        self.compiler = compiler
        self.names = MappingProxyType(dict(names or {}))
        self.parameters = MappingProxyType(dict(parameters or {}))
        self.cached = cached
        return self

    def __repr__(self) -> str:
        kernels = ", ".join(self.parameters) or "not listed"
        arch = f" for {self.arch}" if self.arch else ""
        return f"<Compiled: {self.kind}{arch}, {len(self)} bytes, kernels: {kernels}>"

    __str__ = __repr__

    get_kernel = Elsewhere("PyGPU.Module(code)[name] is a kernel")  # cuda.core's

    def __reduce__(self) -> tuple[Any, ...]:
        facts = self.kind, self.arch, self.log, self.compiler
        tables = dict(self.names), dict(self.parameters)
        return type(self), (bytes(self), *facts, *tables, self.cached)

    def packed(self) -> bytes:
        """All of it, for the cache."""
        facts = {name: getattr(self, name) for name in ("kind", "arch", "log", "compiler")}
        tables = {"names": dict(self.names), "parameters": dict(self.parameters)}
        head = json.dumps(facts | tables).encode()
        return len(head).to_bytes(8, "little") + head + self


def unpacked(data: bytes) -> Compiled:
    """The Compiled of which `packed` made the bytes. Raises ValueError for other bytes."""
    end = 8 + int.from_bytes(data[:8], "little")
    try:
        facts = json.loads(data[8:end])
        listed = facts.pop("parameters").items()
        parameters = {name: tuple(Parameter(*one) for one in ones) for name, ones in listed}
        compiled = Compiled(data[end:], parameters=parameters, cached=True, **facts)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not packed code: {error}") from error
    if not _is_well_typed(compiled):
        raise ValueError("not packed code: a value of another type")
    return compiled


def _is_well_typed(compiled: Compiled) -> bool:
    texts = [
        compiled.kind,
        compiled.arch,
        compiled.log,
        compiled.compiler,
        *compiled.names.values(),
    ]
    for one in (one for ones in compiled.parameters.values() for one in ones):
        texts += [one.kind, one.type]
        if type(one.size) is not int or type(one.offset) is not int:
            return False
        if one.signed not in (None, True, False):
            return False
    return all(type(text) is str for text in texts)
