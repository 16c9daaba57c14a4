"""The architecture that code is made for: the current device's, or the one asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from PyGPU import _backend, hip
from PyGPU._apis import APIS
from PyGPU._errors import check
from PyGPU._kernels.request import WHERE

_CUDA = re.compile(r"(sm|compute|lto)_([1-9][0-9]*)([af]?)")
_OLDEST = 75  # for PTX where there is no device: each later device takes it


class Target(NamedTuple):
    """The architecture for the compiler, the kind of its result, and a note for the log."""

    arch: str
    kind: str
    note: str = ""


def current_cuda() -> str | None:
    """The architecture of the current device, as sm_90; None without a device, or without a card.

    Asking makes no context. Raises GPUError where a device is there and can't be asked.
    """
    if _backend.fell_back():
        return None
    runtime = _backend.runtime(False)
    result = runtime.cudaGetDevice()
    if _tells_of_no_device("cuda", result[-1]):
        return None
    device = check(result)
    major, minor = (
        check(runtime.cudaDeviceGetAttribute(getattr(runtime, f"cudaDevAttr{one}"), device))
        for one in ("ComputeCapabilityMajor", "ComputeCapabilityMinor")
    )
    if not major:  # the host runtime is no card
        return None
    # The host runtime takes names and parameters of kernels from PTX.
    return f"{'compute' if _backend.current() == 'host' else 'sm'}_{major}{minor}"


def current_hip() -> str | None:
    """The architecture of the current device, as gfx942:sramecc+:xnack-; None without a device."""
    result = hip.hipGetDevice()
    if _tells_of_no_device("hip", result[-1]):
        return None
    properties = check(hip.hipGetDeviceProperties(check(result)))
    name: str = properties.gcnArchName
    return name if name.startswith("gfx") else None  # the host runtime is no card


def _tells_of_no_device(api: str, status: Any) -> bool:
    codes = APIS[api].codes
    lacking = ("no_library", "old_driver", "no_device")
    return status.code in [codes[one] for one in lacking if one in codes]


def cuda_target(asked: str | None, kind: str | None, supported: Sequence[int]) -> Target:
    """What NVRTC makes for the architecture asked for, if it knows the `supported` ones.

    For a newer architecture it makes PTX for the newest one it knows, and the driver compiles that.
    """
    if kind == "hsaco":
        raise ValueError(f"{WHERE}: target='hsaco' is AMD's; the backend is {_backend.current()}")
    if asked is None:
        number, letter, virtual = max(_OLDEST, min(supported)), "", kind != "cubin"
    else:
        match = _CUDA.fullmatch(asked)
        if match is None:
            raise ValueError(
                f"{WHERE}: arch must be like 'sm_90' (a cubin), 'compute_90' (PTX) or 'native', "
                f"not {asked!r}"
            )
        number, letter, virtual = int(match[2]), match[3], match[1] == "compute"
        if match[1] == "lto":
            kind = kind or "ltoir"
    kind = kind or ("ptx" if virtual else "cubin")
    if number not in supported:
        older = [one for one in supported if one < number]
        if not older or letter or kind == "ltoir":
            known = ", ".join(str(one) for one in supported)
            raise ValueError(f"{WHERE}: this NVRTC makes no code for {asked}: it knows {known}")
        note = (
            f"PyGPU: this NVRTC doesn't know {asked}; made PTX for compute_{older[-1]}, which the "
            f"driver compiles when it loads it"
        )
        return Target(f"compute_{older[-1]}", "ptx", note)
    arch = f"{'compute' if kind == 'ptx' else 'sm'}_{number}{letter}"
    note = "" if asked else f"PyGPU: there is no CUDA device; made {kind} for {arch}"
    return Target(arch, kind, note)


def hip_target(asked: str | None, kind: str | None) -> Target:
    """What hipRTC makes: always a hsaco, also if it is asked for by NVIDIA's name "cubin"."""
    if kind not in (None, "hsaco", "cubin"):
        raise ValueError(f"{WHERE}: hipRTC makes hsaco, not {kind}")
    if asked is None:
        raise ValueError(f"{WHERE}: there is no HIP device; name an arch, like 'gfx942'")
    if not asked.startswith("gfx"):
        raise ValueError(f"{WHERE}: arch must be like 'gfx942' on AMD, not {asked!r}")
    return Target(asked, "hsaco")
