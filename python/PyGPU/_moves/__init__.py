"""Device code of the kernels that move elements: PTX for NVIDIA, made by hipRTC for AMD.

arrays/transfer/moves.cpp loads a kernel when the first copy or cast needs it. move.cu is the source
of the kernels that copy and fill, cast.cu of those that convert.
"""

from __future__ import annotations

import os

FOLDER = os.path.dirname(os.path.abspath(__file__))

WORDS = (1, 2, 4, 8, 16)
_MOVES = {
    **{f"copy_{word}": f"-DCOPY=1 -DWORD={word}" for word in WORDS},
    **{f"swap_{word}": f"-DSWAP=1 -DWORD={word}" for word in (2, 4, 8)},
    **{f"join_{word}": f"-DJOIN=1 -DWORD={word}" for word in WORDS},
    **{f"fill_{word}": f"-DFILL=1 -DWORD={word}" for word in WORDS},
    **{f"transpose_{word}": f"-DTRANSPOSE=1 -DWORD={word} -DSIDE=1" for word in WORDS},
    **{f"squares_{word}": f"-DTRANSPOSE=1 -DWORD={word} -DSIDE={4 // word}" for word in (1, 2)},
}

_KINDS = {"i": "integer", "f": "real", "bf": "brain", "b": "boolean"}
_INTEGERS = [("i", size) for size in (1, 2, 4, 8)]
_REALS = [("f", size) for size in (2, 4, 8)]
_NUMBERS = _INTEGERS + _REALS
_CASTS = [
    *((one, other) for one in _NUMBERS for other in _NUMBERS if one != other),
    *((one, ("b", 1)) for one in (*_INTEGERS, ("i", 16))),
    (("i", 8), ("i", 16)),
    (("bf", 2), ("f", 4)),
    (("f", 4), ("bf", 2)),
]

KERNELS = _MOVES | {
    f"cast_{kind}{size}_{to}{bytes_}": f"-DFROM={_KINDS[kind]} -DFROM_BYTES={size} "
    f"-DTO={_KINDS[to]} -DTO_BYTES={bytes_}"
    for (kind, size), (to, bytes_) in _CASTS
}


def options(name: str) -> list[str]:
    """The compiler's options for a kernel."""
    return ["-std=c++17", f"-DNAME=pygpu_{name}", *KERNELS[name].split()]


def source(name: str) -> bytes:
    """The source of a kernel."""
    text = b""
    for file in ("words.cuh", "move.cu" if name in _MOVES else "cast.cu"):
        with open(os.path.join(FOLDER, file), "rb") as opened:
            text += opened.read()
    return text


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
        return bytes(compile(source(name), options(name)))
    except GPUError:  # no compiler, or one that refuses the source
        return None
