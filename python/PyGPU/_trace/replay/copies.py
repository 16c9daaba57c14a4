"""What is known of copies by their parameters' names: which side is the host's, and its extent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_COUNTS = ("count", "sizeBytes", "ByteCount", "sizeInBytes")
# A side's pitch and rows of a slice, by the side's parameter.
_PITCHES = {"src": "spitch", "dst": "dpitch", "srcHost": "spitch", "dstHost": "dpitch"}
_ROWS = {"src": "srows", "dst": "drows"}
_TO_HOST, _FROM_HOST = ((0, 2), (0, 1))  # the vendors' cudaMemcpyKind and hipMemcpyKind


REGISTERS = "HostRegister"
_UNREGISTERS = "HostUnregister"


def is_copy(name: str) -> bool:
    """Whether a function of this name copies memory."""
    return "memcpy" in name.lower()


def is_of_host(name: str, parameter: str, arguments: Mapping[str, Any]) -> bool | None:
    """Whether a copy's side is memory of the host; None where the call doesn't say."""
    if parameter in ("srcHost", "dstHost"):
        return True
    if parameter in ("srcDevice", "dstDevice") or not is_copy(name):
        return False if parameter.endswith("Device") else None
    if name.endswith(("DtoH", "DtoHAsync")):
        return parameter == "dst"
    if name.endswith(("HtoD", "HtoDAsync")):
        return parameter == "src"
    kind = arguments.get("kind")
    if not isinstance(kind, int) or not 0 <= kind <= 3:
        return None
    return int(kind) in (_TO_HOST if parameter == "dst" else _FROM_HOST)


def extent(name: str, parameter: str, arguments: Mapping[str, Any]) -> int | None:
    """How many bytes of a side a copy reaches, from the side's first; None if that isn't known."""
    if not is_copy(name):
        return None

    def number(of: str, default: int = 1) -> int:
        value = arguments.get(of, default)
        return int(value) if isinstance(value, int) else default

    if "width" in arguments:
        width, height, depth = number("width"), number("height"), number("depth")
        if not width * height * depth:
            return 0
        pitch = number(_PITCHES.get(parameter, ""), width)
        rows = number(_ROWS.get(parameter, ""), height)
        return ((depth - 1) * rows + height - 1) * pitch + width
    for count in _COUNTS:
        if isinstance(value := arguments.get(count), int):
            return int(value)
    return None


def size_of_allocation(
    name: str, arguments: Mapping[str, Any], results: Mapping[str, Any]
) -> int | None:
    """The bytes at the address that a call returns; None if it allocates nothing of known size."""
    if isinstance(pitch := results.get("pitch", results.get("pPitch")), int):
        height = arguments.get("height", arguments.get("Height"))
        return pitch * height if isinstance(height, int) else None
    for size in ("size", "bytesize", "sizeBytes", "bytes"):
        for values in (arguments, results):
            if isinstance(value := values.get(size), int):
                return int(value)
    return None


def is_visible(name: str) -> bool:
    """Whether the host reads and writes what a function allocates without calls."""
    return "Host" in name or "Managed" in name


def frees(name: str) -> bool:
    """Whether a function frees the address that it is given."""
    return "Free" in name or name.endswith(_UNREGISTERS)
