"""Reading the process's own memory, at addresses that may be wrong, and writing to it."""

from __future__ import annotations

import ctypes
import errno
import os
from typing import Any

_libc = ctypes.CDLL(None, use_errno=True)
_libc.process_vm_readv.restype = ctypes.c_ssize_t
_libc.write.restype = ctypes.c_ssize_t
_PIECE = 1 << 24


def read(address: int, size: int) -> bytes | None:
    """The bytes there; None if there is no such memory. It reads what the process may read."""
    kept = ctypes.create_string_buffer(size)
    start, done = ctypes.addressof(kept), 0
    while done < size:
        here, there = (_iovec(one + done, size - done) for one in (start, address))
        ends = ctypes.byref(here), ctypes.c_ulong(1), ctypes.byref(there), ctypes.c_ulong(1)
        count = _libc.process_vm_readv(os.getpid(), *ends, ctypes.c_ulong(0))
        if count <= 0:
            is_refused = ctypes.get_errno() in (errno.ENOSYS, errno.EPERM)  # in some containers
            return _read_by_file(address, size) if is_refused else None
        done += count
    return kept.raw


def _read_by_file(address: int, size: int) -> bytes | None:
    """The same by a file in memory: the kernel finds out whether the address is right."""
    file = os.memfd_create("pygpu-replay")
    try:
        for done in range(0, size, _PIECE):
            part = min(_PIECE, size - done)
            where = ctypes.c_void_p(address + done), ctypes.c_size_t(part)
            if _libc.write(ctypes.c_int(file), *where) != part:
                return None
        return os.pread(file, size, 0)
    finally:
        os.close(file)


def _iovec(address: int, size: int) -> Any:
    """C's struct iovec."""
    return (ctypes.c_size_t * 2)(address, size)


def write(address: int, data: bytes) -> None:
    """Write to memory that the caller knows."""
    ctypes.memmove(address, data, len(data))
