"""A stand-in library, built for a release. ctypes sets what it does, and reads what it saw."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

from generator.model import Release
from tests.standin import apis
from tests.standin.source import source

FOLDER = Path(__file__).parent


def build(release: Release, version: str, folder: Path) -> Path:
    """Compile a release's stand-in into a folder; an existing library is kept."""
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc") or "cc"
    name = apis.file_name(release.api)
    soname = apis.soname(release.api, version.split(".")[0])
    status = apis.of(release.api).status.type
    assert status is not None
    told = apis.version_told(release)
    text = source(release, status, told, apis.version_call(release.api))
    code, library = folder / "standin.c", folder / f"{name}.{version}"
    whole = text + (FOLDER / "recorder.c").read_text(encoding="utf-8")
    stamp = folder / "built"
    if stamp.exists() and library.exists() and stamp.read_text(encoding="utf-8") == whole:
        return library
    folder.mkdir(parents=True, exist_ok=True)
    code.write_text(text, encoding="utf-8")
    command = [
        *compiler.split(),
        "-O0",
        "-fPIC",
        "-shared",
        "-pthread",
        "-fvisibility=hidden",
        "-w",
    ]
    command += ["-Wl,-Bsymbolic", f"-Wl,-soname,{soname}", "-I", str(FOLDER)]
    subprocess.run([*command, str(code), "-o", str(library)], check=True)
    stamp.write_text(whole, encoding="utf-8")
    return library


class StandIn:
    """The control of a loaded stand-in. Parameters count from 0, in C's order."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        for name, types, result in (
            ("reset", (), None),
            ("set_status", (ctypes.c_longlong,), None),
            ("quiet", (ctypes.c_int,), None),
            ("peek", (ctypes.c_int, ctypes.c_long), None),
            ("peek_inner", (ctypes.c_int, ctypes.c_long, ctypes.c_long), None),
            ("put", (ctypes.c_int, ctypes.c_char_p, ctypes.c_long), ctypes.c_int),
            ("lend", (ctypes.c_int, ctypes.c_char_p, ctypes.c_long), ctypes.c_int),
            (
                "put_behind",
                (ctypes.c_int, ctypes.c_char_p, ctypes.c_long, ctypes.c_int),
                ctypes.c_int,
            ),
            ("pattern", (ctypes.c_int, ctypes.c_long), ctypes.c_int),
            ("calls", (), ctypes.c_int),
            ("function", (ctypes.c_int,), ctypes.c_char_p),
            ("count", (ctypes.c_int,), ctypes.c_int),
            ("argument", (ctypes.c_int, ctypes.c_int), ctypes.c_void_p),
            ("size", (ctypes.c_int, ctypes.c_int), ctypes.c_int),
            ("behind", (ctypes.c_int, ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p),
            ("block", (ctypes.c_int, ctypes.c_long), None),
            ("overdue", (), ctypes.c_int),
            ("waiting", (), ctypes.c_int),
        ):
            function = getattr(self._library, f"standin_{name}")
            function.argtypes, function.restype = types, result
            setattr(self, f"_{name}", function)
        # Only now do functions record: before, the library answers what its loader asks.
        self.reset()

    def reset(self) -> None:
        """Forget all calls and settings; statuses are 0 again."""
        self._reset()

    def set_status(self, code: int) -> None:
        """Set what functions with a status return."""
        self._set_status(code)

    def quiet(self, on: bool = True) -> None:
        """Access nothing behind any pointer."""
        self._quiet(on)

    def peek(self, parameter: int, size: int) -> None:
        """Record that many bytes behind a pointer; with -2 a text up to its NUL."""
        self._peek(parameter, size)

    def peek_inner(self, parameter: int, count: int, size: int) -> None:
        """Record `size` bytes behind each of the `count` pointers in the array at a pointer."""
        self._peek(parameter, 8 * count)
        self._peek_inner(parameter, count, size)

    def put(self, parameter: int, data: bytes) -> None:
        """Write these bytes through a pointer instead of its pattern."""
        assert self._put(parameter, data, len(data))

    def lend(self, parameter: int, data: bytes) -> None:
        """Write the address of these bytes through a pointer."""
        assert self._lend(parameter, data, len(data))

    def put_behind(self, parameter: int, data: bytes, pieces: int) -> None:
        """Write equal pieces of these bytes behind as many pointers in the array at a pointer."""
        assert self._put_behind(parameter, data, len(data), pieces)

    def pattern(self, parameter: int, size: int) -> bytes:
        """The pattern that is written through a pointer by default; parameter 16 is the result."""
        return bytes(self._pattern(parameter, at) for at in range(size))

    def calls(self) -> list[str]:
        """The symbols called since the reset."""
        return [self._function(at).decode() for at in range(self._calls())]

    def argument(self, parameter: int, call: int = -1) -> bytes:
        """The bytes of an argument of the last call."""
        at = call % self._calls()
        return ctypes.string_at(self._argument(at, parameter), self._size(at, parameter))

    def behind(self, parameter: int, call: int = -1) -> bytes | None:
        """The bytes recorded behind a pointer of the last call; None for a null pointer."""
        size = ctypes.c_long()
        found = self._behind(call % self._calls(), parameter, ctypes.byref(size))
        return ctypes.string_at(found, size.value) if found else None

    def block(self, on: bool, patience: float = 0) -> None:
        """Let calls wait inside the library, at most that many seconds, or let them continue."""
        self._block(on, int(patience * 1000))

    def overdue(self) -> int:
        """How many calls since block(True) ran out of time."""
        return int(self._overdue())

    def waiting(self) -> int:
        """How many calls are inside the library."""
        return int(self._waiting())
