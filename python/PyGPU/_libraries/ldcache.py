"""Reads the cache file of the system's loader: where it would find a name."""

from __future__ import annotations

import os
import struct

_MAGIC = b"glibc-ld.so.cache1.1"


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
    paths = []
    try:
        (count,) = struct.unpack_from("=I", data, start + 20)
        for i in range(count):
            key, value = struct.unpack_from("=4xII", data, start + 48 + 24 * i)
            if data.startswith(wanted, start + key):
                end = data.index(b"\0", start + value)
                paths.append(os.fsdecode(data[start + value : end]))
    except (struct.error, ValueError):
        pass  # what was read until the damage still counts
    return paths
