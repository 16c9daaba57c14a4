"""What Dask asks of arrays: sizes through the entry point, and tokens made from the elements."""

from __future__ import annotations

import importlib.metadata
import sys

import numpy as np
import pytest

import PyGPU
from tests.conftest import ROOT, required
from tests.own_interpreter import own_interpreter

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@pytest.fixture
def with_dask(on_host):
    required("dask")
    return on_host


def entry_point() -> importlib.metadata.EntryPoint:
    """The entry point that an installation registers."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    ((name, value),) = project["entry-points"]["dask.sizeof"].items()
    return importlib.metadata.EntryPoint(name, value, "dask.sizeof")


@own_interpreter("python")
def test_the_entry_point_imports_nothing():
    """Everybody who imports Dask loads the entry point."""
    before = set(sys.modules)
    entry_point().load()
    loaded = {name for name in set(sys.modules) - before if not name.startswith("PyGPU")}
    assert not loaded & {"dask", "distributed"}


@own_interpreter("with_dask")
def test_sizes_are_those_of_the_elements():
    from dask.sizeof import sizeof

    entry_point().load()(sizeof)
    a = PyGPU.zeros((100, 50), "f4")
    assert sizeof(a) == 20_000
    assert sizeof(a[:, ::2]) == 10_000
    assert sizeof([a, a]) > 40_000
    assert sizeof(PyGPU.zeros((0, 3))) == 0


@own_interpreter("with_dask")
def test_equal_elements_have_equal_tokens():
    from dask.tokenize import tokenize

    host = np.arange(24.0).reshape(2, 3, 4)
    a = PyGPU.to_gpu(host)
    equal = [a, a.copy(), PyGPU.to_gpu(np.asfortranarray(host)), PyGPU.to_gpu(host[::-1])[::-1]]
    assert len({tokenize(one, ensure_deterministic=True) for one in equal}) == 1
    other = a.copy()
    other[1, 2, 3] = -1
    short = [np.zeros(0), np.zeros((0, 1)), np.float64(1), np.zeros(3, "i4,f8"), np.zeros(3, ">f4")]
    unlike = [a, other, a.reshape(6, 4), a.view("i8"), a[1:], *map(PyGPU.to_gpu, short)]
    assert len({tokenize(one, ensure_deterministic=True) for one in unlike}) == len(unlike)


def print_a_token() -> None:
    from dask.tokenize import tokenize

    print(tokenize(PyGPU.arange(10, dtype="f4")))


def test_tokens_are_the_same_in_each_process(with_dask):
    assert with_dask(print_a_token).stdout == with_dask(print_a_token).stdout != ""
