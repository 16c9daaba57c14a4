"""The ELF reader: SONAMEs and machines of made-up and of real files."""

from __future__ import annotations

import contextlib
import itertools
import pathlib
import sys

import pytest

from PyGPU._search import elf


@pytest.mark.parametrize(("bits", "order"), list(itertools.product((64, 32), "<>")))
def test_soname_in_every_class_and_byte_order(make_library, bits, order):
    path = make_library("lib.so", "libcudart.so.13", bits=bits, order=order)
    assert elf.soname(path) == "libcudart.so.13"
    assert (elf.header(path).bits, elf.header(path).order) == (bits, order)


def test_no_soname(make_library):
    assert elf.soname(make_library("lib.so", "")) == ""


def test_a_real_compiler_agrees(compile_library):
    path = compile_library("libcudart.so.12", "")
    assert elf.soname(path) == "libcudart.so.12"
    assert elf.misfit(path) == ""


def test_another_machine_is_told(make_library):
    own = elf.running()
    other = 183 if own.machine == 62 else 62
    problem = elf.misfit(make_library("lib.so", machine=other))
    assert problem.startswith("is built for 64-bit ")
    assert str(own) in problem
    assert "32-bit" in elf.misfit(make_library("lib32.so", bits=32))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"INPUT ( libcudart.so.13 )", "text file"),
        (b"", "not an ELF file"),
        (b"\x7fELF\2\1", "damaged"),
        (b"!<arch>\n\0\0", "not an ELF file"),
    ],
)
def test_what_is_no_library(tmp_path: pathlib.Path, content: bytes, said: str):
    file = tmp_path / "lib.so"
    file.write_bytes(content)
    assert said in elf.misfit(str(file))
    with pytest.raises(elf.NotElfError):
        elf.soname(str(file))


def test_every_truncation_ends_well(make_library, tmp_path):
    whole = pathlib.Path(make_library("lib.so", "libcudart.so.13")).read_bytes()
    file = tmp_path / "short.so"
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        with contextlib.suppress(elf.NotElfError):
            assert "libcudart.so.13".startswith(elf.soname(str(file)))


def test_what_cannot_be_read():
    assert "No such file" in elf.misfit("/nowhere/lib.so")


def test_the_running_program_is_no_library():
    assert elf.misfit(sys.executable) in ("", "is not a shared object")  # "" when it is a PIE
