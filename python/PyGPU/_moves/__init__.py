"""Device code of the kernels that move elements: PTX for NVIDIA, made by hipRTC for AMD.

arrays/transfer/moves.cpp loads a kernel when the first copy needs it. move.cu is the source of all.
"""

from __future__ import annotations

import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(FOLDER, "move.cu")

WORDS = (1, 2, 4, 8, 16)
KERNELS = {
    **{f"copy_{word}": f"-DCOPY=1 -DWORD={word}" for word in WORDS},
    **{f"swap_{word}": f"-DSWAP=1 -DWORD={word}" for word in (2, 4, 8)},
    **{f"join_{word}": f"-DJOIN=1 -DWORD={word}" for word in WORDS},
    **{f"fill_{word}": f"-DFILL=1 -DWORD={word}" for word in WORDS},
    **{f"transpose_{word}": f"-DTRANSPOSE=1 -DWORD={word} -DSIDE=1" for word in WORDS},
    **{f"squares_{word}": f"-DTRANSPOSE=1 -DWORD={word} -DSIDE={4 // word}" for word in (1, 2)},
}


def options(name: str) -> list[str]:
    """The compiler's options for a kernel."""
    return ["-std=c++17", f"-DNAME=pygpu_{name}", *KERNELS[name].split()]


def source() -> bytes:
    """The source of all kernels."""
    with open(SOURCE, "rb") as opened:
        return opened.read()


def path(name: str) -> str:
    """The file with a kernel's PTX."""
    return os.path.join(FOLDER, f"{name}.ptx")


def image(name: str) -> bytes | None:
    """A kernel's code for the backend in force; None where none can be made."""
    from PyGPU import _backend

    if _backend.api().namespace == _backend.PORTABLE[0]:  # NVIDIA, or the host runtime in its place
        with open(path(name), "rb") as opened:
            return opened.read() + b"\0"
    from PyGPU._errors import GPUError
    from PyGPU.compiler import compile

    try:
        return bytes(compile(source(), options(name)))
    except GPUError:  # no compiler, or one that refuses the source
        return None
