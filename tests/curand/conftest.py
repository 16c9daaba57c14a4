"""cuRAND from the PyPI package: its host generators run on any machine, without a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import PyGPU
from PyGPU import _libraries
from tests.conftest import unavailable


@pytest.fixture(scope="session")
def curand():
    """PyGPU.curand with the library loaded."""
    if not any(one.chosen for one in _libraries.survey("curand")):
        unavailable("no libcurand (pip install nvidia-curand)")
    return PyGPU.curand


@pytest.fixture
def generator(curand) -> Iterator[Callable[..., object]]:
    """(type) -> a generator whose results lie on the host, destroyed at the end."""
    made = []

    def create(kind: int):
        one, err = curand.curandCreateGeneratorHost(kind)
        assert not err
        made.append(one)
        return one

    yield create
    for one in made:
        assert not curand.curandDestroyGenerator(one)
