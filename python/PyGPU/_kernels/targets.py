"""The architecture that code is made for: the current device's, or the one asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from PyGPU import _backend
from PyGPU._errors import check
from PyGPU._kernels.request import WHERE
from PyGPU._kernels.vendor import Compiler


class Target(NamedTuple):
    """The architecture for the compiler, the kind of its result, and a note for the log."""

    arch: str
    kind: str
    note: str = ""


def current(known: Compiler) -> str | None:
    """The current device's architecture, as sm_90 or gfx942:sramecc+:xnack-; None without one.

    The host runtime is no card: it has none, or takes what lists names and parameters of kernels.
    Asking makes no context. Raises GPUError where a device is there and can't be asked.
    """
    if _backend.fell_back():
        return None
    runtime, kernels = _backend.runtime(False), _backend.kernels()
    result = runtime.cudaGetDevice()
    if _tells_of_no_device(result[-1]):
        return None
    device = check(result)
    own = next(iter(known.kinds))
    if kernels.architecture_field:
        properties = check(runtime.cudaGetDeviceProperties(device))
        name: str = getattr(properties, kernels.architecture_field)
        return name if name.startswith(known.kinds[own].architecture) else None
    numbers = [
        check(runtime.cudaDeviceGetAttribute(getattr(runtime, one), device))
        for one in kernels.architecture_attributes
    ]
    if not any(numbers):
        return None
    kind = known.portable if _backend.current() == "host" else own
    return known.kinds[kind].architecture + "".join(map(str, numbers))


def _tells_of_no_device(status: Any) -> bool:
    codes = _backend.api().codes
    lacking = ("no_library", "old_driver", "no_device")
    return status.code in [codes[one] for one in lacking if one in codes]


def target(
    known: Compiler, label: str, asked: str | None, kind: str | None, supported: Sequence[int] = ()
) -> Target:
    """What a compiler makes for the architecture asked for, if it knows the `supported` ones.

    For a newer architecture it makes the portable kind for the newest one that it knows, and the
    driver compiles that.
    """
    kind = known.also.get(kind, kind) if kind else None
    if kind and kind not in known.kinds:
        raise ValueError(f"{WHERE}: {label} makes {', '.join(known.kinds)}, not {kind}")
    if not known.oldest:
        return _named(known, asked, kind or next(iter(known.kinds)))
    if asked is None:
        number, letter, kind = max(known.oldest, min(supported)), "", kind or known.portable
        prefix = known.kinds[kind].prefix
    else:
        kinds = {one.prefix: name for name, one in known.kinds.items()}
        match = re.fullmatch(rf"({'|'.join(kinds)})([1-9][0-9]*)([{known.letters}]?)", asked)
        if match is None:
            raise _unlike(known, asked)
        prefix, number, letter = match[1], int(match[2]), match[3]
        kind = kind or kinds[prefix]
    if number not in supported:
        older = [one for one in supported if one < number]
        if not older or letter or known.kinds[kind].fixed:
            known_ones = ", ".join(f"{prefix}{one}" for one in supported)
            way = "" if older else f"; an older {label} may know it"
            text = f"{WHERE}: this {label} makes no code for {asked}: it knows {known_ones}{way}"
            raise ValueError(text)
        arch = f"{known.kinds[known.portable].architecture}{older[-1]}"
        note = (
            f"PyGPU: this {label} doesn't know {asked}; made {known.portable.upper()} for {arch}, "
            "which the driver compiles when it loads it"
        )
        return Target(arch, known.portable, note)
    arch = f"{known.kinds[kind].architecture}{number}{letter}"
    note = "" if asked else f"PyGPU: {_no_device()}; made {kind} for {arch}"
    return Target(arch, kind, note)


def _named(known: Compiler, asked: str | None, kind: str) -> Target:
    """The target where architectures are any names."""
    if asked is None:
        raise ValueError(f"{WHERE}: {_no_device()}; name an arch, like {known.example}")
    if not asked.startswith(known.kinds[kind].prefix):
        raise _unlike(known, asked)
    return Target(asked, kind)


def _no_device() -> str:
    return f"there is no {_backend.api().label} device"


def _unlike(known: Compiler, asked: str) -> ValueError:
    return ValueError(f"{WHERE}: arch must be like {known.example}, not {asked!r}")
