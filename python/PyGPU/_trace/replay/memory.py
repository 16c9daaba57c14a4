"""Reading the process's own memory, at addresses that may be wrong, and writing to it."""

from __future__ import annotations

import ctypes
import errno
import os

_libc = ctypes.CDLL(None, use_errno=True)


_libc.process_vm_readv.restype = ctypes.c_ssize_t


class _Piece(ctypes.Structure):
    _fields_ = (("address", ctypes.c_void_p), ("size", ctypes.c_size_t))


def read(address: int, size: int) -> bytes | None:
    """The bytes there; None if there is no such memory. It reads what the process may read."""
    kept = ctypes.create_string_buffer(size)
    done = 0
    while done < size:
        here = _Piece(ctypes.addressof(kept) + done, size - done)
        there = _Piece(address + done, size - done)
        ends = ctypes.byref(here), ctypes.c_ulong(1), ctypes.byref(there), ctypes.c_ulong(1)
        count = _libc.process_vm_readv(os.getpid(), *ends, ctypes.c_ulong(0))
        if count <= 0:
            if ctypes.get_errno() in (errno.ENOSYS, errno.EPERM):  # in some containers
                return ctypes.string_at(address, size)
            return None
        done += count
    return kept.raw


def write(address: int, data: bytes) -> None:
    """Write to memory that the caller knows."""
    ctypes.memmove(address, data, len(data))
