"""Finding libnvrtc, and what the API is without it."""

from __future__ import annotations

import os

import pytest

from PyGPU import _search
from PyGPU._apis import APIS


def test_without_a_library_every_call_says_so(alone):
    alone("no_library", PYGPU_NVRTC_LIBRARY="/nowhere/libnvrtc.so.13")


@pytest.mark.parametrize("backend", ["auto", "host", "cuda"])
def test_it_is_nobodys_backend(alone, nvrtc, backend):
    alone("backend_stays_open", PYGPU_BACKEND=backend)


def test_the_library_is_that_of_the_package(nvrtc):
    assert not nvrtc.nvrtcVersion()[-1]
    chosen = next(one for one in _search.survey("nvrtc") if one.chosen)
    assert chosen.soname.startswith("libnvrtc.so.")
    assert _search.installed("nvrtc")["missing"] is not None


@pytest.mark.parametrize(
    ("name", "is_it"),
    [
        ("libnvrtc.so.13", True),
        ("libnvrtc.so", True),
        ("libnvrtc-672ee683.so.11.2", True),
        ("libnvrtc-builtins.so.13.0", False),
        ("libnvrtc-builtins-2dc4bf68.so.11.8", False),
        ("libnvrtc.alt.so.13", False),
        ("libnvrtc_static.a", False),
    ],
)
def test_names_of_the_library(name, is_it):
    assert APIS["nvrtc"].library.matches(name) is is_it


def test_its_builtins_are_those_beside_it(nvrtc, program):
    """Not those of a toolkit that the system's loader knows."""
    program("__global__ void kernel() {}")
    with open("/proc/self/maps") as file:
        loaded = {line.split()[-1] for line in file if "libnvrtc-builtins" in line}
    folder = os.path.dirname(os.path.realpath(_search.installed("nvrtc")["path"]))
    assert {os.path.dirname(path) for path in loaded} == {folder}
