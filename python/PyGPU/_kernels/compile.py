"""compile(): from a source in a string to device code, which may come from the cache."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence

from PyGPU import _backend
from PyGPU._apis import APIS
from PyGPU._base import caller
from PyGPU._core import __version__
from PyGPU._kernels import advice, files, includes, log, parameters
from PyGPU._kernels import cache as store
from PyGPU._kernels import headers as vendors
from PyGPU._kernels._vendors import COMPILERS
from PyGPU._kernels.compiled import Compiled, unpacked
from PyGPU._kernels.errors import CompileError, CompileWarning
from PyGPU._kernels.request import WHERE, Request, checked_request, refuse
from PyGPU._kernels.toolchain import Output, Toolchain

# How compilers say that a name is missing. nvcc knows some without an include: implied.h has them.
_UNDECLARED = re.compile(
    r"identifier \"\w+\" is undefined|has no member \"\w+\"|must be a class or namespace name"
    r"|undeclared identifier|unknown type name|no member named"
)


def compile(
    source: str | bytes,
    options: str | Sequence[str] | None = (),
    arch: str | None = None,
    headers: Mapping[str, str | bytes] | None = None,
    name_expressions: Sequence[str] = (),
    *,
    name: str = "",
    target: str | None = None,
    include_dirs: Sequence[str | os.PathLike[str]] | None = None,
    no_extern_c: bool = True,
    cache: bool = True,
    cache_dir: str | os.PathLike[str] | bool | None = None,
    nvcc: str = "nvcc",
    keep: bool = False,
    code: str | None = None,
) -> Compiled:
    """Compile CUDA C++ by NVRTC, on AMD HIP C++ by hipRTC, to code for the current device.

    options: as the compiler takes them, a list or one str: "-DN=4 -Ifolder --use_fast_math".
        nvcc's that change no device code (-O3, -Xcompiler, ...) are dropped
    arch: "sm_90" makes a cubin, "compute_90" PTX, "gfx942" hsaco; None or "native" is the current
        device's. Without a device the result is PTX for all later devices. If the compiler is too
        old for an architecture, it makes PTX for the newest one that it knows.
    headers: name -> text of files that the source includes
    name_expressions: "kernel<float>", "&table": instantiated, their lowered names in `.names`
    name: of the source, for messages; a path lets `#include "x.h"` look beside it
    target: "cubin", "ptx", "ltoir" or "hsaco", if `arch` isn't enough
    include_dirs: folders of headers, as -I. Those of CUDA or ROCm are found by themselves.
    no_extern_c: False puts the source in extern "C" { }, PyCUDA's default
    cache: False neither looks into the cache on disk nor fills it; so does cache_dir=False
    cache_dir: where it lies, else PYGPU_CACHE_DIR, $XDG_CACHE_HOME/PyGPU or ~/.cache/PyGPU
    code: nvcc's: "sm_90" with arch="compute_90"
    nvcc, keep: PyCUDA's; only their defaults are accepted, because no program runs

    Raises CompileError with the log if the compiler refuses the source. Its warnings are
    CompileWarning. GPUError without a compiler, TypeError and ValueError for wrong arguments.

    It stands for pycuda.compiler.compile (https://documen.tician.de/pycuda/driver.html), for what
    cupy.RawModule does (https://docs.cupy.dev/en/stable/reference/generated/cupy.RawModule.html)
    and cuda.core.Program.compile
    (https://nvidia.github.io/cuda-python/cuda-core/latest/generated/cuda.core.Program.html).
    """
    if nvcc != "nvcc":
        variables = " or ".join(APIS[one].library.variable for one in COMPILERS)
        refuse("nvcc", nvcc, f"nvcc isn't run; {variables} chooses the compiler's library")
    if keep:
        refuse("keep", keep, "there are no temporary files; the result can be written to one")
    tools = Toolchain(_backend.kernels().compiler)
    request = checked_request(
        source, options, arch, headers, name_expressions, name or f"source{tools.known.suffix}",
        target, include_dirs, no_extern_c, code, is_clang=tools.known.is_clang,
    )  # fmt: skip
    asked = request.arch or tools.current()
    place = _place(cache, cache_dir) if request.cacheable else None
    library = tools.library()
    folders = _folders(tools, library, request)
    read = _read(request, folders)
    key = _key(tools, library, asked, request, read) if place and read.known else None
    if place and key and (cached := _cached(place, key)):
        _warn(cached.log, request)
        return cached
    compiled = _run_compiler(tools, asked, request, folders)
    # Only now is the library open. The key fits only if it is the expected one.
    if place and key and (tools.library() == library):
        store.store(place, key, compiled.packed())
    _warn(compiled.log, request)
    return compiled


def _run_compiler(
    tools: Toolchain, asked: str | None, request: Request, folders: Sequence[str]
) -> Compiled:
    """Compile it now."""
    release = tools.release()
    target = tools.target(asked, request.kind)
    options = [*tools.own_options(target, request.options), *request.options]
    options += [f"-I{one}" for one in folders]

    def compiled(*more: str) -> Output:
        return tools.compile(
            request.source, request.name, [*options, *more], request.headers,
            request.name_expressions, target.kind,
        )  # fmt: skip

    done = compiled()
    more = _retried(tools, done.log, folders) if done.status else []
    if more:
        done = compiled(*more)
    if done.status and _UNDECLARED.search(done.log):
        header = os.path.join(vendors.OWN, "implied.h")
        implied = compiled(*more, f"-I{vendors.OWN}", tools.known.pre_include + header)
        # Where both fail, the log with fewer errors names none that implied.h corrects.
        if not implied.status or implied.log.count("error:") < done.log.count("error:"):
            done = implied
    text = log.annotated(done.log, _sources(request))
    if done.status:
        raise _failure(tools, done, text, request, target.arch, options, release)
    if target.note:
        text = target.note + "\n" + text
    return Compiled(
        done.image, target.kind, target.arch, text, release,
        {**parameters.plain_names(done.kernels), **done.names}, done.kernels,
    )  # fmt: skip


def _retried(tools: Toolchain, text: str, folders: Sequence[str]) -> list[str]:
    """The option to try again with, if a log refuses what a header of the vendor's declares."""
    retry, within = tools.known.retry, tuple(os.path.join(one, "") for one in folders)
    matches = re.finditer(retry.log, text) if retry else ()
    return [retry.option] if retry and any(one[1].startswith(within) for one in matches) else []


def _failure(
    tools: Toolchain, done: Output, text: str, request: Request, arch: str,
    options: Sequence[str], release: str,
) -> CompileError:  # fmt: skip
    return CompileError(
        f"{release} refused {request.name} for {arch} ({done.status.name})",
        text,
        (tools.api, *options, request.name),
        done.status,
        advice.hint(done.log, tools.api, int(release.split()[-1].split(".")[0])),
        log.diagnostics(done.log, _sources(request)),
    )


def _folders(tools: Toolchain, library: str, request: Request) -> list[str]:
    """The folders of the vendor's headers, then PyGPU's own; none if nothing is included."""
    if request.included or includes.has_any(request.source, request.headers):
        return [*tools.folders(library), vendors.OWN]
    return []


def _read(request: Request, folders: Sequence[str]) -> includes.Reached:
    """What the compiler may read besides the source. ValueError where it might never finish."""
    try:
        return includes.reached(
            request.source, os.path.dirname(request.name), request.headers,
            (*request.folders, *(one for one in folders if one == vendors.OWN)), folders,
            request.included,
        )  # fmt: skip
    except files.NotAFileError as error:
        what = f"{error.filename!r} can't be read as a header: {error.strerror}"
        raise ValueError(f"{WHERE}: {what}") from None


def _key(
    tools: Toolchain, library: str, asked: str | None, request: Request, read: includes.Reached
) -> str:
    """A digest of all that decides the result."""
    parts = [
        __version__,
        tools.api,
        tools.identity(library),
        [os.environ.get(one) for one in tools.known.environment],
        asked,
        request._replace(headers={}),
        sorted(request.headers.items()),
        read.digest,
    ]
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _place(cache: bool, cache_dir: str | os.PathLike[str] | bool | None) -> str | None:
    """The folder of the cache; None where none is to be used."""
    if cache_dir is None or cache_dir is False:
        place = ""
    elif isinstance(cache_dir, (str, os.PathLike)):
        place = os.fsdecode(cache_dir)
        if "\0" in place:
            raise ValueError(f"{WHERE}: cache_dir contains a NUL character: {place!r}")
    else:
        raise TypeError(f"{WHERE}: cache_dir must be a path, None or False, not {cache_dir!r}")
    if not cache or cache_dir is False or store.is_disabled():
        return None
    return store.folder(place)


def _cached(place: str, key: str) -> Compiled | None:
    content = store.load(place, key)
    try:
        return unpacked(content) if content is not None else None
    except ValueError:  # damaged: it is compiled again
        return None


def _sources(request: Request) -> dict[str, str]:
    """The texts whose lines a log may name."""
    source = request.source.removeprefix(b'extern "C" {\n#line 1\n')
    texts = {request.name: source, **request.headers}
    return {name: text.decode("utf-8", "replace") for name, text in texts.items()}


def _warn(text: str, request: Request) -> None:
    """Show the compiler's warnings as Python's, from the line that called into the package."""
    for one in log.diagnostics(text, _sources(request)):
        if one.severity == "warning":
            caller.warn(one.text, CompileWarning)
