"""Names of parameters and fields in generated C++ are no macros, and hide no name in use."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig

import pytest

from generator import manifest
from generator.cpp.formula import formula
from generator.cpp.text import OF_WRAPPERS, member, variable
from generator.emit import SPECS
from generator.plan.spelling import python_name
from tests.generator.headers import ROOT

CASTS = {"static_cast", "reinterpret_cast"}


def test_every_name_that_a_wrapper_uses_is_known() -> None:
    """A parameter may have the name of one of them: hipGetDriverEntryPoint has a `status`."""
    known = [manifest.load(name, SPECS) for name in manifest.names(SPECS)]
    known = [one for one in known if not one.extra]
    prefixes = tuple(one.namespace for one in known)
    statuses = [one.status.type for one in known if one.status.type]
    used = set()
    for header in (ROOT / "generated").glob("*/*.hpp"):
        for body in re.findall(r"^inline [^{;]*?\{\n(.*?)^\}", header.read_text(), re.M | re.S):
            used |= set(re.findall(r"(?:[=,{(] ?|\n *|return )([a-z]\w*)(?:<[^;()]*>)?\(", body))
            used |= set(re.findall(rf"(?:{'|'.join(statuses)}) (\w+) =", body))
    used = {name for name in used if not name.startswith(prefixes)} - CASTS - {"if"}
    assert {"status", "query_status", "zeroed", "valid_on"} <= used <= OF_WRAPPERS


def test_what_is_renamed_keeps_its_name_in_python() -> None:
    assert (variable("status"), python_name("status")) == ("status_", "status")
    assert (variable("from"), python_name("from")) == ("from", "from_")
    given = formula("pitched(new.pitch, text, 4)", variable)
    assert given == "pitched(new_.pitch, text_, 4)"


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
def test_no_macro_of_python_s_headers_is_a_name() -> None:
    """A parameter or field called st_mtime would be another text behind Python.h."""
    include = sysconfig.get_path("include")
    command = ["g++", "-std=c++20", "-dM", "-E", "-x", "c++", "-I", include, "-"]
    done = subprocess.run(
        command, input="#include <Python.h>\n", check=True, capture_output=True, text=True
    )
    spelled = r"[a-z][a-z0-9_]*|[A-Z][A-Z0-9_]+|Py\w+"
    macros = re.findall(rf"^#define ({spelled}) (.+)$", done.stdout, re.M)
    changed = [name for name, body in macros if name != body]
    assert {"errno", "BUFSIZ", "Py_None"} <= {*changed}
    assert [name for name in changed if name in (variable(name), member(name))] == []
