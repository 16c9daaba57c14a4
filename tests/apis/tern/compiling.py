"""Compiling for a third vendor: the compiler's names, options and kinds are in its folder."""

from __future__ import annotations

import os

import pytest

import PyGPU
from PyGPU import compiler

HEADERS = os.path.join(os.environ["TERN_HOME"], "device", "include")


def options(code: compiler.Compiled) -> list[str]:
    """The stand-in's code is the options that it got."""
    return bytes(code).decode().splitlines()


def test_the_device_decides() -> None:
    """Tern's device is of generation 7."""
    code = compiler.compile("void f();", ["+fast", "+feather"])
    assert (code.kind, code.arch, code.compiler) == ("feather", "t7", "TernC 3.1")
    assert options(code) == ["+machine:t7", "+feather", "+fast"]


def test_what_is_asked_for() -> None:
    code = compiler.compile("void f();", arch="t9", name_expressions=["f<int>"])
    assert (code.arch, code.names["f<int>"]) == ("t9", "tern$f<int>")
    with pytest.raises(ValueError, match="arch must be like 't7', not 'sm_90'"):
        compiler.compile("void f();", arch="sm_90")
    with pytest.raises(ValueError, match="TernC makes feather, not cubin"):
        compiler.compile("void f();", target="cubin")


def test_the_vendors_headers() -> None:
    code = compiler.compile("#include <tern_device.h>")
    assert f"-I{HEADERS}" in options(code)


def test_its_variables_decide(monkeypatch) -> None:
    """They are part of the key in the cache."""
    found = []
    for extra in ("1", "2", "1"):
        monkeypatch.setenv("TERNC_EXTRA", extra)
        found.append(len(os.listdir(os.environ["PYGPU_CACHE_DIR"])))
        compiler.compile("void g();")
    assert found[2] - found[0] == 2 == len(os.listdir(os.environ["PYGPU_CACHE_DIR"])) - found[0]


def test_a_refusal() -> None:
    with pytest.raises(PyGPU.CompileError, match=r"TernC 3.1 refused source.tern for t7") as raised:
        compiler.compile("refuse")
    (one,) = raised.value.diagnostics
    assert (one.severity, one.message) == ("error", "refused source.tern")
    assert raised.value.error.name == "TERNC_REFUSED"


def test_launching_needs_more_of_the_manifest() -> None:
    with pytest.raises(NotImplementedError, match="kernels on Tern"):
        compiler.SourceModule("void f();")
