"""PyGPU.pytest_plugin fails the test in which a report arose, and no other."""

from __future__ import annotations

import pathlib
import re

import pytest

SUITE = pathlib.Path(__file__).with_name("checked_suite.py")
OUTCOMES = {
    "test_sound": "PASSED",
    "test_race": "FAILED",
    "test_race_on_a_stream": "FAILED",
    "test_race_and_failure": "FAILED",
    "test_fault": "FAILED",
    "test_sound_after_a_fault": "PASSED",
    "test_expected": "PASSED",
    "test_of_a_fixture": "ERROR",
    "test_known_race": "XFAIL",
}
RUN = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"
OPTIONS = ("-v", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(SUITE.parent))


def outcomes(on_host, *options: str, **environment: str) -> tuple[dict[str, str], str]:
    done = on_host(RUN, *OPTIONS, *options, str(SUITE), check=False, **environment)
    matches = re.findall(r"::(\w+) ([A-Z]+)", done.stdout)
    return dict(matches), done.stdout + done.stderr


@pytest.mark.parametrize("value", [None, "1", "error"])
def test_the_test_fails_in_which_a_report_arose(on_host, value):
    """Also by an error that later calls would return, and with the reports as the reason."""
    arguments = {} if value is None else {"PYGPU_HOST_CHECK": value}
    result, output = outcomes(on_host, "-p", "PyGPU.pytest_plugin", **arguments)
    assert result == OUTCOMES, output
    assert "race in shared memory" in output
    assert re.search(
        r"--- Captured reports of the host runtime call ---+\n.*race in shared", output
    )
    assert "access out of bounds" in output


def test_the_checker_can_be_left_off(on_host):
    """PYGPU_HOST_CHECK=0 stays: only failures of kernels count then."""
    result, output = outcomes(on_host, "-p", "PyGPU.pytest_plugin", PYGPU_HOST_CHECK="0")
    failed = {name for name, outcome in result.items() if outcome == "FAILED"}
    # test_known_race passes, which its mark forbids.
    expected = {"test_race_and_failure", "test_fault", "test_expected", "test_known_race"}
    assert failed == expected, output


def test_no_plugin_no_failure(on_host):
    """Without the plugin the same race goes to stderr, and the test passes."""
    asked = ("-s", "-k", "test_race_on_a_stream")  # pytest would show no report of a passed test
    result, output = outcomes(on_host, *asked, PYGPU_HOST_CHECK="1")
    assert result == {"test_race_on_a_stream": "PASSED"}, output
    assert "race in shared memory" in output


def test_the_package_doesn_t_import_pytest(on_host):
    """Users who never test need no pytest."""
    done = on_host("import sys, PyGPU, PyGPU.host; print('pytest' in sys.modules)")
    assert done.stdout == "False\n"
