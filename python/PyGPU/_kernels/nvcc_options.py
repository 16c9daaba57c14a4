"""Options of nvcc's that NVRTC and hipRTC don't know: dropped if they change no device code.

Their names are those of https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/. What is neither
here nor known to the compiler is an error of the compiler's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# With a value: for the host's compiler and the linker, and on nvcc's own work.
_OF_NVCC = (
    "-Xcompiler", "--compiler-options", "-ccbin", "--compiler-bindir", "-Xarchive",
    "--archive-options", "-Xlinker", "--linker-options", "-cudart", "--cudart", "-cudadevrt",
    "--cudadevrt", "-default-stream", "--default-stream", "-keep-dir", "--keep-dir", "-odir",
    "--output-directory", "-t", "--threads",
)  # fmt: skip
# Others have these names, too, but mean something else by them.
_OF_LINKERS = (
    "-L", "--library-path", "-l", "--library", "-m", "--machine", "-x", "--x", "-O", "--optimize",
)  # fmt: skip
_ALONE = re.compile(
    r"-m64|-O\w?|-L.+|-l(?!ineinfo$).+|-v|--verbose|-g|--debug|-c|--compile|-keep|--keep"
    r"|-dryrun|--dryrun|-shared|--shared|-Wno-\S+|-res-usage|--resource-usage"
    r"|-allow-unsupported-compiler|--allow-unsupported-compiler|--?(expt-)?relaxed-constexpr"
    r"|--?(expt-)?extended-lambda"
)
# NVRTC's, whose values look like options.
_PASSED_ON = ("-Xptxas", "--ptxas-options", "-Xcudafe", "--cudafe-options")


def without(options: Sequence[str], *, is_clang: bool) -> list[str]:
    """The options that the run-time compiler is to get. clang, which is hipRTC, knows more."""
    named = _OF_NVCC if is_clang else (*_OF_NVCC, *_OF_LINKERS)
    left = []
    waiting = list(reversed(options))
    while waiting:
        one = waiting.pop()
        if one in _PASSED_ON:
            left += [one, *waiting[-1:]]
            del waiting[-1:]
        elif one in named:
            if waiting and (one in _OF_NVCC or waiting[-1][:1] != "-"):
                waiting.pop()
        elif one.partition("=")[0] not in named and (is_clang or not _ALONE.fullmatch(one)):
            left.append(one)
    return left
