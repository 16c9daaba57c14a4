"""A stand-in for libhiprtc, made only from C's prototypes."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator import store
from generator.emit import SPECS
from generator.merge import release_of
from tests.loading.conftest import make_library  # noqa: F401
from tests.standin.library import build


@pytest.fixture(scope="session")
def library(once) -> str:
    """The path of the stand-in for the newest release."""
    api = store.load(SPECS / "hiprtc" / "api.json")

    def built(folder: Path) -> None:
        build(release_of(api, api.newest), f"{api.newest}.0", folder)

    (path,) = once("hiprtc", built).glob("libhiprtc.so.*")
    return str(path)


@pytest.fixture
def on_standin(python, library):
    """The interpreter with the stand-in as hipRTC."""
    return python.having(PYGPU_HIPRTC_LIBRARY=library)
