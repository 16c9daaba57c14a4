"""The ELF reader on invented, real, damaged and hostile files: its reports, and that it ends."""

from __future__ import annotations

import itertools
import os
import pathlib
import random
import resource
import socket
import struct
import sys
import threading
from collections.abc import Iterator

import pytest

from PyGPU._libraries import elf
from PyGPU._libraries.candidates import inspect_file


def problem(path: str) -> str:
    """Why the file isn't taken; "" if it would be taken."""
    return inspect_file(path, "the test", 0).problem


@pytest.mark.parametrize(("bits", "order"), list(itertools.product((64, 32), "<>")))
def test_every_class_and_byte_order_is_told(make_library, bits, order):
    """The SONAME of a library that this process can't load isn't read."""
    path = make_library("lib.so", "libcudart.so.13", bits=bits, order=order)
    library, own = elf.read(path), elf.own()
    assert (library.header.bits, library.header.order) == (bits, order)
    fits = (bits, order) == (own.bits, own.order)
    assert library.soname == ("libcudart.so.13" if fits else "")
    assert fits or problem(path).startswith("is built for ")


def test_no_soname(make_library):
    path = make_library("lib.so", "")
    assert (elf.read(path).soname, problem(path)) == ("", "")


def test_a_real_compiler_agrees(compile_library):
    path = compile_library("libcudart.so.12", "")
    assert (elf.read(path).soname, problem(path)) == ("libcudart.so.12", "")


def test_another_machine_is_told(make_library):
    own = elf.own()
    other = 183 if own.machine == 62 else 62
    said = problem(make_library("lib.so", machine=other))
    assert said.startswith("is built for 64-bit ")
    assert str(own) in said
    assert "32-bit" in problem(make_library("lib32.so", bits=32))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"INPUT ( libcudart.so.13 )", "is a text file, not a shared object"),
        (b"", "is empty"),
        (b"\x7fELF\2\1", "is a damaged ELF file"),
        (b"!<arch>\n\0\0", "is not an ELF file"),
        (bytes(4096), "is not an ELF file"),
    ],
)
def test_what_is_no_library(tmp_path: pathlib.Path, content: bytes, said: str):
    file = tmp_path / "lib.so"
    file.write_bytes(content)
    assert problem(str(file)) == said


def test_every_truncation_is_found(make_library, tmp_path):
    """The dynamic linker would map pages beyond the end of such a file, and die by SIGBUS."""
    whole = pathlib.Path(make_library("lib.so", "libcudart.so.13")).read_bytes()
    file = tmp_path / "short.so"
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        assert problem(str(file)), length


def test_a_real_library_is_found_cut_wherever_it_is(cuda_library, tmp_path):
    whole = pathlib.Path(cuda_library).read_bytes()
    assert problem(cuda_library) == ""
    end = max(offset + size for kind, offset, _, size in segments(whole) if kind == 1)
    file = tmp_path / "libcudart.so.13"
    file.write_bytes(whole[:end])
    assert problem(str(file)) == ""  # behind it are only sections, which nothing maps
    for length in (end - 1, end // 2, 4096):
        os.truncate(file, length)
        assert problem(str(file)) == f"is cut short: it has {length} bytes of {end} or more"


def test_a_tail_of_zeros_is_found(cuda_library, tmp_path):
    """A full disk or a power failure leaves such a file: of the right size, but not written."""
    whole = bytearray(pathlib.Path(cuda_library).read_bytes())
    start = next(offset for kind, offset, _, _ in segments(bytes(whole)) if kind == 2)
    whole[start:] = bytes(len(whole) - start)
    file = tmp_path / "libcudart.so.13"
    file.write_bytes(whole)
    assert problem(str(file)) == "is a damaged ELF file: it has no table of strings"


def segments(data: bytes) -> list[tuple[int, int, int, int]]:
    """Kind, offset, address and file size of each segment of a 64-bit library."""
    start, count = struct.unpack_from("=Q", data, 32)[0], struct.unpack_from("=H", data, 56)[0]
    return [struct.unpack_from("=I4xQQ8xQ", data, start + 56 * at) for at in range(count)]


def test_a_dynamic_section_that_nothing_maps(cuda_library, tmp_path):
    """The loader would read it nevertheless: dlopen() of such a file crashes."""
    data = bytearray(pathlib.Path(cuda_library).read_bytes())
    (start,) = struct.unpack_from("=Q", data, 32)
    (dynamic,) = (address for kind, _, address, _ in segments(data) if kind == 2)
    for at, (kind, _, begin, size) in enumerate(segments(data)):
        if kind == 1 and begin <= dynamic < begin + size:
            struct.pack_into("=I", data, start + 56 * at, 0x6FFFFFFF)
    file = tmp_path / "lib.so"
    file.write_bytes(data)
    assert problem(str(file)).endswith("its dynamic section is in no loaded segment")


@pytest.fixture
def odd_files(tmp_path) -> Iterator[dict[str, str]]:
    """Paths that aren't ordinary files, each with the expected message."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "broken").symlink_to("nothing")
    here = os.getcwd()
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(tmp_path)  # a socket's address must be short
        listener.bind("socket")
        os.chdir(here)
        yield {
            f"{tmp_path}/pipe": "is a named pipe, not a shared object",
            f"{tmp_path}/folder": "is a folder, not a shared object",
            f"{tmp_path}/socket": "is a socket, not a shared object",
            f"{tmp_path}/loop": "cannot be read: Too many levels of symbolic links",
            f"{tmp_path}/broken": "cannot be read: No such file or directory",
            "/dev/zero": "is a device, not a shared object",
            "/dev/full": "is a device, not a shared object",
            "/nowhere/lib.so": "cannot be read: No such file or directory",
            "/dev/null/lib.so": "cannot be read: Not a directory",
            "/tmp/" + "x" * 300: "cannot be read: File name too long",
            "/tmp/a\0b": "cannot be read: ",
            "/tmp/\ud800": "cannot be read: ",
            "": "cannot be read: No such file or directory",
        }


def test_what_is_no_ordinary_file(odd_files):
    """A named pipe would wait for its writer, and a device may give endless bytes."""
    answers: dict[str, str] = {}

    def ask() -> None:
        for path in odd_files:
            answers[path] = problem(path)

    asking = threading.Thread(target=ask, daemon=True)  # a thread, so that a hang is a failure
    asking.start()
    asking.join(30)
    for path, said in odd_files.items():
        assert answers.get(path, "no answer").startswith(said), path


def test_what_may_not_be_read(make_library, monkeypatch):
    def refuse(path: str, flags: int) -> int:
        raise PermissionError(13, "Permission denied")

    path = make_library("lib.so")
    monkeypatch.setattr(os, "open", refuse)
    assert problem(path) == "cannot be read: Permission denied"


def test_a_file_that_changes_while_it_is_read(make_library, monkeypatch):
    """Between any two steps of the reader, the file is cut, or another file replaces it."""
    path = make_library("lib.so", "libcudart.so.13")
    whole = pathlib.Path(path).read_bytes()
    steps: list[int] = []
    for name in ("fstat", "pread"):
        original = getattr(os, name)

        def stepping(*arguments, original=original):
            steps.append(0)
            if len(steps) == cut_at:
                os.truncate(path, 70)
            return original(*arguments)

        monkeypatch.setattr(os, name, stepping)
    for cut_at in range(1, 100):
        steps.clear()
        pathlib.Path(path).write_bytes(whole)
        found = inspect_file(path, "the test", 0)
        assert found.problem or found.soname == "libcudart.so.13"
        if len(steps) < cut_at:  # every step had its turn
            break
    assert 5 < cut_at < 99


def mutated(data: bytes, seed: int) -> bytes:
    """A library with bad numbers in some places of its headers and dynamic section."""
    chance = random.Random(seed)
    wide = data[4] == 2
    mutant = bytearray(data)
    start = struct.unpack_from("=Q", data, 32)[0] if wide else 52
    places = [(0, 64), (start, 56 * 12)]
    if wide:
        dynamic = [one for one in segments(data) if one[0] == 2]
        places += [(offset, min(size, 512)) for _, offset, _, size in dynamic]
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        base, length = chance.choice(places)
        size = chance.choice((1, 2, 4, 8))
        at = min(base + chance.randrange(length) // size * size, len(mutant) - size)
        limit = (1 << 8 * size) - 1
        number = chance.choice((0, 1, limit, limit >> 1, limit ^ limit >> 1, len(data) & limit))
        if chance.random() < 0.5:
            number = chance.randrange(limit)
        mutant[at : at + size] = number.to_bytes(size, "little")
    if chance.random() < 0.2:
        del mutant[chance.randrange(len(mutant)) :]
    return bytes(mutant)


def test_mutants_are_read_or_refused(cuda_library, make_library, tmp_path, monkeypatch):
    """Thousands of damaged files: each gives a result, quickly and with little memory."""
    whole = pathlib.Path(cuda_library).read_bytes()
    end = max(offset + size for kind, offset, _, size in segments(whole) if kind == 2)
    small = pathlib.Path(make_library("s.so", "libcudart.so.13")).read_bytes()
    narrow = pathlib.Path(make_library("n.so", "libcudart.so.13", bits=32)).read_bytes()
    most: list[int] = []
    original = os.pread
    descriptors = len(os.listdir("/proc/self/fd"))

    def measured(descriptor: int, size: int, offset: int) -> bytes:
        most.append(size)
        return original(descriptor, size, offset)

    monkeypatch.setattr(os, "pread", measured)
    file = tmp_path / "mutant.so"
    taken = 0
    file.write_bytes(whole)
    for seed in range(1500):  # written in place, as the file is large
        with open(file, "r+b") as target:
            target.write(mutated(whole[:end], seed))
        taken += not problem(str(file))
    for seed in range(3000):
        file.write_bytes(mutated((small, narrow)[seed % 2], seed))
        found = inspect_file(str(file), "the test", 0)
        assert found.problem or len(found.soname) < 256
        taken += not found.problem
    assert 100 < taken < 4000  # neither all nor none: so the mutants test something
    assert max(most) < 1 << 22
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_a_huge_dynamic_section_in_a_sparse_file(make_library, tmp_path):
    """The file really has the size. The reader still reads no more than such a section needs."""
    path = make_library("lib.so", "libcudart.so.13")
    if elf.own().bits != 64:
        pytest.skip("the numbers are those of a 64-bit file")
    data = bytearray(pathlib.Path(path).read_bytes())
    struct.pack_into("=Q", data, 64 + 56 + 32, 1 << 42)
    pathlib.Path(path).write_bytes(data)
    os.truncate(path, 1 << 43)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 36, limits[1]))
    try:
        assert elf.read(path).soname == "libcudart.so.13"
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


@pytest.mark.parametrize(
    ("number", "major"), [("²", None), ("٣", None), ("9" * 200, int("9" * 200))]
)
def test_a_name_with_a_number_of_another_kind(make_library, number, major):
    """isdigit() accepts characters that int() refuses."""
    name = f"libcudart.so.{number}"
    found = inspect_file(make_library("lib.so", name), "the test", 0)
    assert (found.soname, found.problem, found.major) == (name, "", major)


def test_the_running_program_is_no_library():
    assert problem(sys.executable) in ("", "is not a shared object")  # "" if it is a PIE
