"""PyGPU.Linker: one code of several parts, joined by nvJitLink or by the driver."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from PyGPU import _backend, _libraries
from PyGPU._apis import APIS
from PyGPU._errors import GPUError
from PyGPU._kernels import driver, driver_linker, files, images, parameters
from PyGPU._kernels.compiled import Compiled
from PyGPU._kernels.errors import CompileError
from PyGPU._kernels.toolchain import Toolchain

_LIBRARY = APIS["nvjitlink"]
_LARGEST = 1 << 30  # of a file to link, in bytes
# How codes of these kinds begin: NVRTC's LTO-IR, and what `ar` makes.
_BEGINS = {b"\x50\xed\x55\xba": "fatbin", b"!<arch>\n": "library", b"\xedCN\x7f": "ltoir"}
_MACHINE = slice(18, 20)  # of an ELF file's header
_CUDA = b"\xbe\x00"  # EM_CUDA; a file for another machine is an object with device code in it
_KINDS = ("cubin", "ptx", "ltoir", "fatbin", "object", "library")


class Linker:
    """Parts of a program, which are joined to one code.

    linker = PyGPU.Linker(first, second, "libmine.a")
    module = PyGPU.Module(linker.link())

    A part is what `compiler.compile` gives, other code as bytes, a path, or a pair (kind, part)
    where the bytes don't tell the kind: "cubin", "ptx", "ltoir", "fatbin", "object", "library".
    Compile parts with the option "-rdc=true". LTO-IR is optimised as a whole.

    arch: "sm_90"; by default the current device's
    options: nvJitLink's, such as "-lineinfo" and "-O3"

    nvJitLink links where it is installed (pip install 'PyGPU[nvidia]' nvidia-nvjitlink). LTO-IR
    needs it, and so do options. Else, and for PTX on the host runtime, the driver links.
    """

    __slots__ = ("_options", "_parts", "arch", "error_log", "info_log")

    def __init__(
        self, *parts: Any, arch: str | None = None, options: str | Sequence[str] = ()
    ) -> None:
        if (api := _backend.api()).stands_for:
            raise NotImplementedError(f"Linker: PyGPU can't link code of {api.label}")
        self.arch = arch
        self.error_log = self.info_log = ""
        self._options = options.split() if isinstance(options, str) else [*options]
        self._parts: list[tuple[str, bytes, str]] = []
        for part in parts:
            self.add(part)

    def add(self, part: Any) -> None:
        """Add a part. TypeError, OSError, and ValueError for one of an unknown kind."""
        kind = ""
        if isinstance(part, tuple) and len(part) == 2:
            kind, part = part
        name = f"part {len(self._parts)}"
        if isinstance(part, (str, os.PathLike)):
            name = os.fsdecode(part)
            part = files.read(name, _LARGEST)
        try:
            data = bytes(part)
        except TypeError:
            kind_of_it = type(part).__name__
            raise TypeError(f"Linker: a part is code or a path, not {kind_of_it}") from None
        kind = kind or getattr(part, "kind", "") or _kind(data)
        if kind not in _KINDS:
            raise ValueError(f"Linker: {name} is of kind {kind!r}, not one of {', '.join(_KINDS)}")
        self._parts.append((kind, data, name))

    @property
    def backend(self) -> str:
        """Who links the parts: "nvJitLink" or "driver"."""
        return "nvJitLink" if self._by_library() else "driver"

    def link(self, target: str | None = None) -> Compiled:
        """The code: "cubin" or, of LTO-IR, "ptx"; by default what the current device takes.

        The host runtime's linker joins PTX, and gives PTX for both. Raises CompileError with the
        log where parts don't fit together, ValueError for a target that these parts can't give.
        """
        if not self._parts:
            raise ValueError("Linker: there is nothing to link")
        whole = any(kind == "ltoir" for kind, _, _ in self._parts)
        on_host = _backend.current() == "host"
        target = target or ("ptx" if whole and on_host else "cubin")
        if target not in ("cubin", "ptx") or (target == "ptx" and not (whole or on_host)):
            raise ValueError(f"Linker.link(): these parts give a cubin, not {target!r}")
        return self._linked_by_library(target, whole) if self._by_library() else self._by_driver()

    def _by_library(self) -> bool:
        if self._options or any(kind == "ltoir" for kind, _, _ in self._parts):
            return True  # the import, or the first call, says what is to be installed
        if _backend.current() == "host" or not _LIBRARY.is_installed:
            return False
        return any(one.chosen for one in _libraries.survey(_LIBRARY.namespace))

    def _by_driver(self) -> Compiled:
        prefix = "CU_JIT_INPUT_"
        parts = [
            driver_linker.Part(driver.constant(prefix + kind.upper()), data, name)
            for kind, data, name in self._parts
        ]
        done = driver_linker.link(parts)
        self.info_log, self.error_log = done.info_log, done.error_log
        if done.error:
            raise self._failure("the driver", done.error)
        return self._compiled(done.code, "cubin", "the driver's linker")

    def _linked_by_library(self, target: str, whole: bool) -> Compiled:
        nvjitlink = import_module(f"PyGPU.{_LIBRARY.namespace}")
        call = nvjitlink.checked
        options = [f"-arch={self._arch()}", *self._options]
        options += ["-lto"] * whole + ["-ptx"] * (target == "ptx")
        with _state(nvjitlink, options) as state:
            try:
                for kind, data, name in self._parts:
                    number = getattr(nvjitlink, f"NVJITLINK_INPUT_{kind.upper()}")
                    call.nvJitLinkAddData(state, number, data, len(data), name)
                call.nvJitLinkComplete(state)
            except GPUError as error:
                self.error_log = nvjitlink.nvJitLinkGetErrorLog(state)[0] or ""
                raise self._failure("nvJitLink", error) from None
            self.info_log = nvjitlink.nvJitLinkGetInfoLog(state)[0] or ""
            take = call.nvJitLinkGetLinkedPtx if target == "ptx" else call.nvJitLinkGetLinkedCubin
            release = ".".join(map(str, call.nvJitLinkVersion()))
            return self._compiled(take(state), target, f"nvJitLink {release}")

    def _arch(self) -> str:
        asked = self.arch or Toolchain(_backend.kernels().compiler).current()
        if not asked:
            raise ValueError("Linker: without a device, arch must name the architecture")
        return "sm_" + asked.rpartition("_")[2]

    def _compiled(self, code: bytes, kind: str, linker: str) -> Compiled:
        """The code, with the names that the parts have."""
        if images.is_ptx(code):
            kind = "ptx"
        known = parameters.of_ptx(code) if kind == "ptx" else {}
        return Compiled(code, kind, self.arch or "", self.info_log, linker,
                        parameters.plain_names(known), known)  # fmt: skip

    def _failure(self, who: str, error: GPUError) -> CompileError:
        names = tuple(name for _, _, name in self._parts)
        text = f"{who} can't link {', '.join(names)} ({error.error})"
        return CompileError(text, self.error_log, ("link", *names), error.error)

    def __repr__(self) -> str:
        kinds = ", ".join(kind for kind, _, _ in self._parts)
        return f"<PyGPU.Linker of {kinds or 'nothing'}>"


Linker.__module__ = "PyGPU"


def _kind(data: bytes) -> str:
    for begin, kind in _BEGINS.items():
        if data.startswith(begin):
            return kind
    if data.startswith(b"\x7fELF"):
        return "cubin" if data[_MACHINE] == _CUDA else "object"
    return "ptx" if images.is_ptx(data) else ""


@contextmanager
def _state(nvjitlink: Any, options: Sequence[str]) -> Iterator[Any]:
    state = nvjitlink.checked.nvJitLinkCreate(len(options), options)
    try:
        yield state
    finally:
        nvjitlink.nvJitLinkDestroy(state)
