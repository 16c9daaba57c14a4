"""ROCTX's real library, which needs no card; skipped without it."""

from __future__ import annotations

import pytest

import PyGPU
from PyGPU import _libraries


@pytest.fixture(scope="module")
def roctx():
    """PyGPU.roctx with the library loaded."""
    if not any(one.chosen for one in _libraries.survey("roctx")):
        pytest.skip("no libroctx64 (Debian's libroctx64-4)")
    return PyGPU.roctx


def test_the_release_is_the_librarys_own(roctx) -> None:
    version = f"{roctx.roctx_version_major()}.{roctx.roctx_version_minor()}"
    assert _libraries.installed("roctx")["release"] == version


def test_ranges_nest(roctx) -> None:
    """Without a profiler, too, the library counts the levels; C's numbers come bare."""
    assert [roctx.roctxRangePushA("outer"), roctx.roctxRangePushA(b"inner")] == [0, 1]
    assert [roctx.roctxRangePop(), roctx.roctxRangePop()] == [1, 0]
    assert roctx.roctxRangePop() < 0


def test_ranges_overlap(roctx) -> None:
    ids = [roctx.roctxRangeStartA(name) for name in ("one", "two")]
    assert len(set(ids)) == 2
    assert [roctx.roctxRangeStop(one) for one in ids] == [None, None]
    assert roctx.roctxMarkA("here") is None
    with pytest.raises(TypeError):
        roctx.roctxMarkA(1)
