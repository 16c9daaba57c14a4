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
    r"(?:unrecognized option|unknown argument|unsupported option):? '?(.+?)'?(?: found)?(?:\n|$)"
)
_ADVICE = {
    r"\b(texture|surface) is not a template|no template named '(texture|surface)'"
    r"|identifier \"(texture|surface)\" is undefined": (
        "CUDA 12 removed texture and surface references. Let the kernel take a cudaTextureObject_t "
        "or cudaSurfaceObject_t; PyGPU.cudaCreateTextureObject and cudaCreateSurfaceObject make "
        "one from the handle of an Array"
    ),
    r"identifier \"__(shfl|shfl_up|shfl_down|shfl_xor|any|all|ballot)\" is undefined"
    r"|Instruction '(vote|shfl)' without '\.sync'": (
        "since compute capability 7.0 the names of these functions end with _sync, and their first "
        "argument is a mask of lanes: __shfl_sync(0xffffffff, value, lane)"
    ),
    r"may not have (extern )?\"C\" linkage|templates must have C\+\+ linkage"
    r"|more than one instance of overloaded function .* has \"C\" linkage": (
        'SourceModule puts the source into extern "C" { }, where templates, overloads and C++ '
        "headers are errors: give no_extern_c=True, and write "
        """'extern "C" __global__ void' where a kernel starts"""
    ),
}
_KINDS = {"-cubin": "cubin", "--cubin": "cubin", "-ptx": "ptx", "--ptx": "ptx"}


def hint(log: str, api: str, major: int) -> str:
    """What to do about a log, a line for each cause; "" where there is no advice."""
    lines = []
    if missing := _NOT_FOUND.search(log):
        lines.append(headers.advice(missing[1] or missing[2], api, major))
    if unknown := _UNKNOWN.search(log):
        lines.append(_option(unknown[1], APIS[api].label))
    lines += [text for form, text in _ADVICE.items() if re.search(form, log)]
    return "\n".join(lines)


def _option(name: str, compiler: str) -> str:
    if kind := _KINDS.get(name):
        return f"{compiler} compiles, not nvcc: give target={kind!r} instead of {name}"
    if " " in name:
        return f"each word is an item of options=: {', '.join(map(repr, name.split()))}"
    return (
        f"{compiler} compiles, not nvcc, and has no option {name}: leave it out. PyGPU itself "
        "leaves out nvcc's options that don't change device code (-O3, -Xcompiler, -ccbin, -l, ...)"
    )
