"""Where the vendors' own headers lie: beside the compiler's library, in wheels, in toolkits."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence

from PyGPU._apis import APIS
from PyGPU._kernels import files

# PyGPU's own: small headers of C's library. All others come before them.
OWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")

# A folder is used if it has one of these files that no earlier folder has.
_CUDA_FILES = ("cuda_runtime_api.h", "crt/host_defines.h", "cuda/std/cstdint", "curand_kernel.h")
_CUDA_WHEELS = ("cuda_runtime", "cuda_nvcc", "cuda_cccl", "curand")  # up to CUDA 12
_HIP_FILES = ("hip/hip_version.h", "rocrand/rocrand_kernel.h", "rocprim/rocprim.hpp")

# The wheel that has a header: for CUDA 13 and later, and for CUDA up to 12.
_WHEELS = {
    r"crt/.*": ("nvidia-cuda-crt", "nvidia-cuda-nvcc-cu{major}"),
    r"(cuda|cub|thrust|nv)/.*": ("nvidia-cuda-cccl", "nvidia-cuda-cccl-cu{major}"),
    r"curand\w*\.h": ("nvidia-curand", "nvidia-curand-cu{major}"),
    r"(cuda\w*|cooperative_groups|math_constants|vector_\w+|device_\w+|mma|cuComplex|sm_\w+|\w+_types"
    r"|host_\w+|texture_\w+|surface_\w+)\.(h|hpp)|cooperative_groups/.*": (
        "nvidia-cuda-runtime",
        "nvidia-cuda-runtime-cu{major}",
    ),
}  # fmt: skip
_OF_HOSTS = re.compile(r"\w+|(errno|fcntl|locale|pthread|setjmp|signal|unistd|wchar)\.h|sys/\w+\.h")
_OF_CCCL = re.compile(
    r"array|atomic|barrier|bit|bitset|c(assert|float|limits|math|stddef|stdint|stdlib|string|time)"
    r"|chrono|complex|concepts|functional|initializer_list|iterator|limits|mdspan|memory|numeric"
    r"|optional|ratio|span|tuple|type_traits|utility|variant"
)


def folders_of_cuda(
    library: str, major: int, environ: Mapping[str, str] = os.environ,
    path: Sequence[str] | None = None, prefix: str = sys.prefix, root: str = "",
) -> list[str]:  # fmt: skip
    """The folders of CUDA's headers, of the major of an NVRTC whose library lies at `library`.

    `root` stands before the usual folders of the system.
    """
    sites = [one for one in (sys.path if path is None else path) if os.path.isabs(one)]
    candidates = _of_cuda(library, major, environ, sites, prefix, root)
    return _first_with(_CUDA_FILES, (one for one in candidates if _fits(one, major)))


def folders_of_hip(
    library: str, environ: Mapping[str, str] = os.environ, root: str = ""
) -> list[str]:
    """The folders of ROCm's headers; hipRTC itself brings those of HIP's device code."""
    homes = [_above(library)]
    known = APIS["hip"].library
    homes += [environ[name] for name in known.homes if environ.get(name)]
    for pattern in known.usual:
        homes += sorted(glob.glob(root + pattern), reverse=True)
    return _first_with(_HIP_FILES, (os.path.join(home, "include") for home in homes if home))


def advice(name: str, api: str, major: int) -> str:
    """How to get a header that wasn't found."""
    if api != "nvrtc":
        return (
            f"{name} is not among hipRTC's own headers; pass its text in headers=, or its folder "
            "in include_dirs="
        )
    if _OF_CCCL.fullmatch(name):
        wheel = _wheel(r"(cuda|cub|thrust|nv)/.*", major)
        return f"NVRTC has no standard library; <cuda/std/{name}> is in CCCL: pip install {wheel}"
    for pattern in _WHEELS:
        if re.fullmatch(pattern, name):
            return (
                f"{name} comes with pip install {_wheel(pattern, major)}, or with a CUDA "
                f"{major} toolkit that CUDA_HOME names"
            )
    if name.startswith("pycuda-"):
        return f"{name} is PyCUDA's own; pass its folder in include_dirs=, or leave it out"
    if _OF_HOSTS.fullmatch(name):
        return (
            f"{name} is for host code: leave it out, or pass a text for it in headers=; PyGPU has "
            "the headers of C's library that make sense on a device"
        )
    return f"pass the text of {name} in headers=, or its folder in include_dirs="


def _wheel(pattern: str, major: int) -> str:
    return _WHEELS[pattern][major < 13].format(major=major)


def _of_cuda(
    library: str, major: int, environ: Mapping[str, str], sites: Sequence[str], prefix: str,
    root: str,
) -> Iterator[str]:  # fmt: skip
    yield from _of_toolkit(_above(library))
    for site in sites:
        if major >= 13:
            yield from _of_toolkit(os.path.join(site, "nvidia", f"cu{major}"))
        else:
            for name in _CUDA_WHEELS:
                yield os.path.join(site, "nvidia", name, "include")
    if os.path.isdir(os.path.join(prefix, "conda-meta")):
        yield from _of_toolkit(prefix)
    for name in ("CUDA_PATH", "CUDA_HOME"):
        if environ.get(name):
            yield from _of_toolkit(os.path.expanduser(environ[name]))
    for pattern in APIS["cuda"].library.usual:
        for home in sorted(glob.glob(root + pattern), reverse=True):
            yield from _of_toolkit(home)


def _of_toolkit(home: str) -> Iterator[str]:
    if home:
        for folder in (
            os.path.join(home, "include"),
            *sorted(glob.glob(os.path.join(glob.escape(home), "targets", "*", "include"))),
        ):
            yield folder
            yield os.path.join(folder, "cccl")  # there since CUDA 13


def _above(library: str) -> str:
    """The folder of an installation, by the place of its library; "" where it has no path."""
    if "/" not in library:
        return ""
    folder = os.path.dirname(os.path.realpath(library))
    return os.path.dirname(folder) if os.path.basename(folder) in ("lib", "lib64") else folder


def _fits(folder: str, major: int) -> bool:
    """Whether headers are of that major. Only the runtime's say it; other folders fit always."""
    home = folder.removesuffix("/cccl")
    try:
        text = files.read(os.path.join(home, "cuda_runtime_api.h"), 16 << 20)
    except OSError:
        return True
    version = re.search(rb"^#define\s+CUDART_VERSION\s+(\d+)", text[: 1 << 15], re.MULTILINE)
    return version is None or int(version[1]) // 1000 == major


def _first_with(files: Sequence[str], folders: Iterator[str]) -> list[str]:
    """In their order, the folders with at least one of the files that no earlier folder has."""
    left = set(files)
    taken: list[str] = []
    for folder in folders:
        if not left:
            break
        if folder in taken or not os.path.isdir(folder):
            continue
        new = {name for name in left if os.path.exists(os.path.join(folder, name))}
        if new:
            left -= new
            taken.append(folder)
    return taken
