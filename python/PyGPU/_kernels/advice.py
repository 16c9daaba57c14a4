"""What to do about an error of a compiler's: the end of a CompileError's text."""

from __future__ import annotations

import re

from PyGPU._apis import APIS
from PyGPU._kernels import headers

# NVRTC's words, and clang's.
_NOT_FOUND = re.compile(
    r"(?:could not|cannot) open source file \"([^\"\n]+)\"|'([^'\n]+)' file not found"
)
_UNKNOWN = re.compile(
    r"(?:unrecognized option|unknown argument|unsupported option):? '?(\S+?)'?(?: found)?(?:\n|$)"
)
_ADVICE = {
    r"\b(texture|surface) is not a template|no template named '(texture|surface)'"
    r"|identifier \"(texture|surface)\" is undefined": (
        "CUDA 12 removed texture and surface references: let the kernel take a cudaTextureObject_t "
        "or cudaSurfaceObject_t, which PyGPU.cudaCreateTextureObject or cudaCreateSurfaceObject "
        "makes from an Array's handle"
    ),
    r"identifier \"__(shfl|shfl_up|shfl_down|shfl_xor|any|all|ballot)\" is undefined"
    r"|Instruction '(vote|shfl)' without '\.sync'": (
        "since cards of compute capability 7.0 these functions end with _sync and take a mask of "
        "lanes first: __shfl_sync(0xffffffff, value, lane)"
    ),
    r"may not have (extern )?\"C\" linkage|templates must have C\+\+ linkage"
    r"|more than one instance of overloaded function .* has \"C\" linkage": (
        'SourceModule puts the source into extern "C" { }, which has no templates or overloads: '
        'give no_extern_c=True, and declare the kernels extern "C"'
    ),
}
_KINDS = {"-cubin": "cubin", "--cubin": "cubin", "-ptx": "ptx", "--ptx": "ptx"}


def hint(log: str, api: str, major: int) -> str:
    """What to do about a log; "" where there is no advice."""
    if missing := _NOT_FOUND.search(log):
        return headers.advice(missing[1] or missing[2], api, major)
    if unknown := _UNKNOWN.search(log):
        return _option(unknown[1], APIS[api].label)
    return next((text for form, text in _ADVICE.items() if re.search(form, log)), "")


def _option(name: str, compiler: str) -> str:
    if kind := _KINDS.get(name):
        return f"nvcc isn't run, so {name} has no effect; give target={kind!r}"
    return (
        f"{name} is not an option of {compiler}, which compiles in place of nvcc; PyGPU drops "
        "nvcc's options that don't change device code (-O3, -Xcompiler, -ccbin, -l, -keep, ...)"
    )
