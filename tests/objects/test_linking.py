"""PyGPU.Program and PyGPU.Linker: parts of a program become one code."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import _libraries
from PyGPU._apis import APIS
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
FACTOR = PyGPU.Program("__device__ int factor(int number) { return number * 7; }", "-rdc=true")
USER = PyGPU.Program(
    '__device__ int factor(int);extern "C" __global__ void kernel(int *out) { *out = factor(6); }',
    ["-rdc=true"],
)


def result(code):
    out = PyGPU.zeros(1, np.int32)
    PyGPU.Module(code)["kernel"](out, grid=1, block=1)
    return int(out.get()[0])


def test_ptx_is_linked(tmp_path):
    factor, user = FACTOR.compile("ptx"), USER.compile("ptx")
    linked = PyGPU.Linker(factor, user).link()
    assert result(linked) == 42
    file = tmp_path / "factor.ptx"
    file.write_bytes(factor)
    assert result(PyGPU.Linker(file, ("ptx", bytes(user))).link()) == 42


def test_link_time_optimisation():
    if not APIS["nvjitlink"].is_installed:
        pytest.skip("PyGPU.nvjitlink is not installed")
    if not any(one.chosen for one in _libraries.survey("nvjitlink")):
        pytest.skip("there is no nvJitLink")
    linker = PyGPU.Linker(FACTOR.compile("ltoir"), USER.compile("ltoir"))
    assert linker.backend == "nvJitLink"
    assert result(linker.link()) == 42
    ptx = linker.link("ptx")
    assert ptx.kind == "ptx"
    assert b"factor" not in ptx  # the call is gone


@pytest.mark.parametrize(
    ("options", "arguments", "said"),
    [
        ("c++", {}, r"'c\+\+' is no option: the source is always C\+\+"),
        ("ptx", {}, "PyGPU.Module loads PTX"),
        ((), {"std": "c++17"}, r"no argument 'std': there are options, arch, headers, .*'-std="),
        ((), {"target": "ptx"}, "no argument 'target'"),
    ],
)
def test_a_program_refuses_arguments_of_cuda_core_s(options, arguments, said):
    """When it is made, not when it is compiled later."""
    with pytest.raises(TypeError, match=said):
        PyGPU.Program("", options, **arguments)


def test_what_doesnt_fit_is_said():
    with pytest.raises(PyGPU.CompileError, match="factor"):
        PyGPU.Linker(USER.compile("ptx")).link()
    with pytest.raises(ValueError, match="nothing"):
        PyGPU.Linker().link()
    with pytest.raises(ValueError, match="kind"):
        PyGPU.Linker(b"no code")
    with pytest.raises(TypeError, match="part"):
        PyGPU.Linker(object())
    if PyGPU.backend == "host":  # its linker joins PTX
        parts = FACTOR.compile("ptx"), USER.compile("ptx")
        assert result(PyGPU.Linker(*parts).link("ptx")) == 42
    else:
        with pytest.raises(ValueError, match="cubin"):
            PyGPU.Linker(USER.compile("ptx")).link("ptx")
    with pytest.raises(ValueError, match="give a cubin, not 'hsaco'"):
        PyGPU.Linker(USER.compile("ptx")).link("hsaco")
    with pytest.raises(FileNotFoundError):
        PyGPU.Linker("/nowhere.ptx")


def test_a_program_keeps_its_arguments():
    program = PyGPU.Program("__global__ void fill(int *a) { *a = N; }", "-DN=5", name="fill.cu")
    code = program.compile("ptx", arch="compute_80")
    assert (code.kind, code.arch) == ("ptx", "compute_80")
    assert "fill" in code.names
    assert program.compile("ptx", options="-DN=6") != program.compile("ptx")
    with pytest.raises(PyGPU.CompileError, match=r"fill\.cu"):
        program.compile(options="")


def test_a_program_keeps_its_name_expressions():
    """A call without any doesn't forget them, and a call with some replaces them."""
    source = "template <typename T> __global__ void fill(T *a) { *a = 1; }"
    program = PyGPU.Program(source, name_expressions=["fill<int>"])
    assert "fill<int>" in program.compile("ptx").names
    others = program.compile("ptx", name_expressions=["fill<float>"]).names
    assert "fill<float>" in others and "fill<int>" not in others
