"""Code in programs and shared objects: a fatbin per file, and the linker's without code."""

from __future__ import annotations

import subprocess

import pytest

import PyGPU
from tests.host.device_code import CUBIN, PTX, compiled, fat_binary
from tests.own_interpreter import own_interpreter

ONE = 'extern "C" __global__ void one() {}\n__device__ int first[2];'
TWO = 'extern "C" __global__ void two(float) {}\n__device__ int second[4];'


@pytest.fixture
def as_linked(nvrtc, compile_library) -> str:
    """A shared object as nvcc's linker lays it out: parts in sequence, with stray bytes between."""
    parts = [
        fat_binary((CUBIN, compiled("", "sm_90"))),
        fat_binary((CUBIN, compiled(ONE, "sm_90")), (PTX, compiled(ONE))),
        bytes(24),
        fat_binary((CUBIN, compiled(TWO, "sm_90"))),
    ]
    listed = ",".join(map(str, b"".join(parts)))
    section = '__attribute__((section(".nv_fatbin"), used, aligned(8)))'
    source = (
        f"extern const unsigned char code[];\n{section} const unsigned char code[] = {{{listed}}};"
    )
    return compile_library("libparts.so", source)


@pytest.fixture
def linked(nvcc, tmp_path) -> str:
    """A shared object linked by nvcc."""
    sources = {"one.cu": ONE, "two.cu": TWO}
    for name, source in sources.items():
        (tmp_path / name).write_text(source)
    command = [nvcc, "-shared", "-Xcompiler=-fPIC", "-arch=sm_90", *sources, "-o", "both.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    return f"{tmp_path}/both.so"


def check(path: str) -> None:
    module = PyGPU.Module(path)
    assert list(module) == ["one", "two"] and len(module) == 2
    assert "one" in module and "two" in module and "three" not in module
    assert (module.get_global("first")[1], module.get_global("second")[1]) == (8, 16)
    with pytest.raises(TypeError, match=r"two\(\) takes 1 arguments, got 0"):
        module["two"](grid=1, block=1)
    with pytest.raises(KeyError, match="there are: one, two"):
        module["three"]
    module.unload()
    for name in ("one", "two"):
        with pytest.raises(ValueError, match="the module was unloaded"):
            module[name]


@own_interpreter("on_host")
def test_each_part_of_a_program_is_loaded(as_linked):
    check(as_linked)


@own_interpreter("on_host")
def test_what_nvcc_links_is_loaded(linked):
    check(linked)
