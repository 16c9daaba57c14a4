"""The bar that `progress=True` shows."""

from __future__ import annotations

import gc
import sys

import pytest

from tests.conftest import required


@pytest.mark.parametrize(
    ("steps", "shown"), [([(1 << 20, 4 << 20), (4 << 20, 4 << 20)], True), ([(4096, 4096)], False)]
)
def test_a_copy_that_takes_its_time_shows_a_bar(steps, shown, capsys):
    """The bar names the call and the size. A copy that is done at once shows none."""
    required("rich")
    from PyGPU._arrays.progress import callback

    report = callback(True, "get()")
    for done, total in steps:
        report(done, total, 1e9)
    del report
    told = capsys.readouterr()
    assert not told.out
    assert ("get()" in told.err and "4.2/4.2 MB" not in told.err and "4.0/4.0" in told.err) == shown
    assert shown or not told.err


def test_only_a_callable_or_a_bool_is_taken():
    from PyGPU._arrays.progress import callback

    with pytest.raises(TypeError, match=r"parameter 'progress' must be a callable .*, not int"):
        callback(1, "get()")


class Unraisable(list):
    """Collects what Python can't raise, from finalisers above all."""

    def __call__(self, given: object) -> None:
        self.append(given)


def test_without_rich_one_line_says_what_to_install(monkeypatch):
    """The error has no other one before it, and none comes from the bar's finaliser."""
    from PyGPU._arrays.progress import callback

    unraisable = Unraisable()
    monkeypatch.setattr(sys, "unraisablehook", unraisable)
    monkeypatch.setitem(sys.modules, "rich", None)
    with pytest.raises(ImportError) as raised:
        callback(True, "GPUArray.get()")
    assert str(raised.value) == (
        "GPUArray.get(): progress=True shows a bar by rich: pip install rich"
    )
    assert raised.value.__suppress_context__ and raised.value.name == "rich"
    del raised
    gc.collect()
    assert unraisable == []
