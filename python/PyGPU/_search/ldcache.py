"""Where the system's loader would find a name: LD_LIBRARY_PATH, its cache file, its own folders."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping

_MAGIC = b"glibc-ld.so.cache1.1"
_OWN_FOLDERS = (
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib",
)


def cached(prefix: str, path: str = "/etc/ld.so.cache") -> list[str]:
    """The libraries of glibc's cache file whose names start with `prefix`, in the cache's order.

    An unreadable, foreign or damaged cache gives an empty list. Source: glibc's dl-cache.h.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return []
    start = data.find(_MAGIC)  # an old-style table may stand before it
    if start < 0:
        return []
    wanted = prefix.encode()
    found = []
    try:
        (count,) = struct.unpack_from("=I", data, start + 20)
        for i in range(count):
            key, value = struct.unpack_from("=4xII", data, start + 48 + 24 * i)
            if data.startswith(wanted, start + key):
                end = data.index(b"\0", start + value)
                found.append(os.fsdecode(data[start + value : end]))
    except (struct.error, ValueError):
        pass  # what was read until the damage still counts
    return found


def folders(environ: Mapping[str, str], root: str = "") -> tuple[list[str], list[str]]:
    """The folders that the loader looks into before and after its cache."""
    before = [f for f in environ.get("LD_LIBRARY_PATH", "").split(":") if f.startswith("/")]
    return before, [root + folder for folder in _OWN_FOLDERS]
