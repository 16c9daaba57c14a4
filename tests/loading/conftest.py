"""Invented machines for the search: libraries of headers only, and a core that opens nothing."""

from __future__ import annotations

import os
import pathlib
import struct
from collections.abc import Callable

import pytest

from PyGPU import _backend, _libraries
from PyGPU._libraries import elf


def elf_bytes(soname: str, bits: int, order: str, machine: int) -> bytes:
    """A shared object with only a SONAME: header, two segments, dynamic section, strings."""
    wide = bits == 64
    strings = b"\0" + soname.encode() + b"\0"
    head, entry = (64, 56) if wide else (52, 32)
    at = head + 2 * entry
    address = 0x1000  # so that addresses and offsets in the file differ
    tag = order + ("qQ" if wide else "iI")
    size = 3 * struct.calcsize(tag)
    table = address + at + size
    dynamic = b"".join(
        struct.pack(tag, *pair) for pair in ((5, table), (14, 1 if soname else 0), (0, 0))
    )
    if not soname:
        dynamic = struct.pack(tag, 5, table) + struct.pack(tag, 0, 0) * 2
    total = at + len(dynamic) + len(strings)
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1 if order == "<" else 2, 1]) + bytes(9)
    layout = "HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"
    top = struct.pack(order + layout, 3, machine, 1, 0, head, 0, 0, head, entry, 2, 0, 0, 0)

    def segment(kind: int, offset: int, length: int) -> bytes:
        where = address + offset
        if wide:
            return struct.pack(order + "IIQQQQQQ", kind, 4, offset, where, where, length, length, 8)
        return struct.pack(order + "IIIIIIII", kind, offset, where, where, length, length, 4, 4)

    return ident + top + segment(1, 0, total) + segment(2, at, len(dynamic)) + dynamic + strings


@pytest.fixture
def make_library(tmp_path: pathlib.Path) -> Callable[..., str]:
    """(path below tmp_path, SONAME, bits=, order=, machine=) -> the path of an invented library."""
    own = elf.own()
    assert own is not None

    def make(
        path: str,
        soname: str | None = None,
        bits: int = own.bits,
        order: str = own.order,
        machine: int = own.machine,
    ) -> str:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        name = file.name if soname is None else soname
        file.write_bytes(elf_bytes(name, bits, order, machine))
        return str(file)

    return make


class FakeCore:
    """The part of the core that the search needs.

    It notes the libraries to open, and opens none.
    """

    def __init__(self) -> None:
        self.loaded: list[str] = []
        self.driver: int | None = None
        self.broken: dict[str, str] = {}
        self.asked: list[tuple[str, str]] = []
        self.in_use: dict[str, dict[str, object]] = {}

    def loaded_objects(self) -> list[str]:
        return self.loaded

    def driver_version(self, api: str) -> int | None:
        return self.driver if api == "cuda" else None

    def installed(self, api: str) -> dict[str, object] | None:
        return self.in_use.get(api)

    def load(self, api: str, function: str, portable: bool) -> bool:
        """Opens what the search finds, as the real core does."""
        search = _libraries.paths(api, function, portable)
        try:
            path = next(search)
            while True:
                try:
                    told = self.install(api, path)
                except OSError as error:
                    path = search.send(str(error))
                else:
                    path = search.send(told)
        except StopIteration as end:
            return end.value is True

    def install(self, api: str, path: str) -> dict[str, object]:
        self.asked.append((api, path))
        if path in self.broken or not os.path.exists(path):
            raise OSError(self.broken.get(path, f"{path}: cannot open shared object file"))
        soname = os.path.basename(path)
        self.in_use[api] = {
            "path": path,
            "soname": soname,
            "release": "",
            "found": 0,
            "missing": [],
        }
        return self.in_use[api]


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> FakeCore:
    """A search on an invented machine: its own core, without variables, sys.path or folders."""
    fake = FakeCore()
    monkeypatch.setattr(_libraries, "_extension", lambda api: fake)
    monkeypatch.setattr(_libraries, "_failures", {"cuda": {}, "hip": {}})
    monkeypatch.setattr(_libraries, "_taken", {})
    monkeypatch.setattr(_libraries, "_warned", set())
    monkeypatch.setattr(_backend, "_name", "cuda")
    monkeypatch.setattr(_backend, "_why", "the test says so")
    monkeypatch.setattr(_backend, "_used", "")
    monkeypatch.setattr(_backend, "_asked_for", False)
    monkeypatch.setattr(_backend, "HOST_RUNTIME", str(tmp_path / "libpygpu_host.so"))
    environ: dict[str, str] = {}

    def around(core: object = None) -> _libraries.Surroundings:
        return _libraries.Surroundings(
            environ,
            [str(tmp_path / "site")],
            fake.loaded,
            folders=[str(tmp_path / "root/usr/lib64")],
            root=str(tmp_path / "root"),
        )

    monkeypatch.setattr(_libraries, "surroundings", around)
    fake.environ = environ  # type: ignore[attr-defined]
    return fake
