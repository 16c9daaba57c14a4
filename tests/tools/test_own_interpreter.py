"""tests/own_interpreter.py: what the interpreter of its own reports to the test that starts it."""

from __future__ import annotations

import os
import sys

import pytest

from tests.own_interpreter import AT_EXIT, Interpreter


class Crash:
    def __del__(self) -> None:
        os._exit(3)


def skip() -> None:
    pytest.skip("no such\ncard")


def skip_with_a_report() -> None:
    print("misuse", file=sys.stderr)
    skip()


def skip_and_crash() -> None:
    AT_EXIT.append(Crash())
    skip()


def fail() -> None:
    assert [1] == [2]


def raise_a_skip_of_another_kind() -> None:
    raise type("Skipped", (Exception,), {})("not pytest's")


def say_skip() -> None:
    print("tests.child: no skip", file=sys.stderr)


def has_leaks() -> None:
    raise AssertionError("a leak")


def test_a_skip_is_a_skip():
    with pytest.raises(pytest.skip.Exception, match=r"^no such card$"):
        Interpreter()(skip)
    with pytest.raises(pytest.skip.Exception, match=r"^no such card$"):
        Interpreter(clean=True)(skip)


@pytest.mark.parametrize(
    ("what", "interpreter", "said"),
    [
        (fail, Interpreter(), r"assert \[1\] == \[2\]"),
        (raise_a_skip_of_another_kind, Interpreter(), "not pytest's"),
        (skip_and_crash, Interpreter(), "exit code 3"),
        (skip_with_a_report, Interpreter(clean=True), "misuse"),
        (skip, Interpreter(last=has_leaks), "a leak"),
    ],
)
def test_a_failure_stays_one(what, interpreter, said):
    """A skip hides nothing: not a crash at the exit, a report on stderr, or a leak."""
    with pytest.raises(pytest.fail.Exception, match=said):
        interpreter(what)


def test_other_output_is_no_skip():
    assert "no skip" in Interpreter()(say_skip).stderr
