"""Compiler logs read as diagnostics: logs of old and new NVRTC, of clang, and of other tools."""

from __future__ import annotations

import time

import pytest

from PyGPU._kernels.log import annotated, diagnostics

SOURCE = "__global__ void kernel(float *a) {\n\ta[0] = nope;\n}\n"
OLD = """source.cu(2): error: identifier "nope" is undefined

source.cu(1): warning #177-D: parameter "a" was declared but never referenced

2 errors detected in the compilation of "source.cu".
"""
NEW = """source.cu(2): error: no instance of overloaded function "f" matches
          the argument list
            argument types are: (int)
  \ta[0] = nope;
         ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"
"""
CLANG = """/tmp/comgr-1/input/CompileSource:2:9: error: use of undeclared identifier 'nope'
    2 |         a[0] = nope;
      |                ^~~~
source.hip:1:32: warning: unused parameter 'a' [-Wunused-parameter]
1 error generated when compiling for gfx90a.
"""
OTHERS = """nvrtc: error: unrecognized option -O3 found
ptxas error   : Entry function '_Z1kPi' uses too much shared data
ptxas fatal   : Unresolved extern function 'f'
ptxas info    : Used 4 registers
"""


def test_an_older_compiler_shows_no_line_so_we_do():
    error, warning = diagnostics(OLD, {"source.cu": SOURCE})
    assert (error.severity, error.line, error.code) == ("error", 2, "")
    assert error.text.splitlines()[1:] == ["  \ta[0] = nope;", "  \t       ^"]
    assert (error.column, warning.column, warning.code) == (9, 31, "177-D")
    assert warning.text.splitlines()[2].index("^") == 32
    text = annotated(OLD, {"source.cu": SOURCE})
    assert "  \ta[0] = nope;\n  \t       ^\n\nsource.cu(1)" in text
    assert text.endswith('in the compilation of "source.cu".\n')
    assert annotated(OLD, {}) == OLD


def test_a_newer_one_shows_it_itself():
    (one,) = diagnostics(NEW, {"source.cu": SOURCE})
    assert one.message == (
        'no instance of overloaded function "f" matches the argument list argument types are: (int)'
    )
    assert one.text.endswith("^")
    assert annotated(NEW, {"source.cu": SOURCE}) == NEW


def test_clang():
    error, warning = diagnostics(CLANG, {})
    assert (error.severity, error.line, error.column) == ("error", 2, 9)
    assert error.text.count("\n") == 2
    assert (warning.file, warning.column) == ("source.hip", 32)


def test_other_parts_have_no_line():
    found = [(one.severity, one.file, one.line) for one in diagnostics(OTHERS, {})]
    assert found == [("error", "", 0)] * 3


@pytest.mark.parametrize("text", ["", "\n", "ptxas info    : Used 4 registers\n", "no newline"])
def test_what_is_no_message_stays(text):
    assert diagnostics(text, {}) == ()
    assert annotated(text, {}) == text


def test_a_long_line_takes_no_time():
    """Of blanks above all, which the search for carets would take apart in many ways."""
    before = time.process_time()
    (one,) = diagnostics("source.cu(1): error: wrong\n" + " " * 50000 + "x\n", {})
    assert one.message.startswith("wrong") and time.process_time() - before < 2
