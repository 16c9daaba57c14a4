"""How many bytes of data a trace keeps, as numbers and as texts."""

from __future__ import annotations

import re

DEFAULT = 256 << 20
_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def bound_of(value: object, setting: str) -> int | None:
    """The bound that a setting gives: None without data. ValueError for another text.

    True, "1" and "on" are the default; False, None, "", "0" and "off" mean no data. An int is
    bytes, a text has a unit: "64 MiB".
    """
    if value in (None, False, "", "0", "off"):
        return None
    if value is True or value in ("1", "on"):
        return DEFAULT
    if isinstance(value, int) and value > 0:
        return value
    found = re.fullmatch(
        r"\s*(\d+(?:\.\d+)?)\s*([KMG]iB|B)\s*", value if isinstance(value, str) else ""
    )
    if not found or not float(found[1]):
        raise ValueError(f"{setting}: {value!r} is neither 1 nor a size such as 64 MiB or 2 GiB")
    return int(float(found[1]) * _UNITS[found[2]])


def text_of_size(size: int) -> str:
    """A size in the largest unit of which it has a whole number."""
    for unit in ("GiB", "MiB", "KiB"):
        if size % _UNITS[unit] == 0:
            return f"{size // _UNITS[unit]:,} {unit}"
    return f"{size:,} bytes"
