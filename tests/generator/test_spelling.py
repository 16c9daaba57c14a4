"""Names of parameters in the generated wrappers: none hides what a wrapper uses."""

from __future__ import annotations

import re

from generator.plan.spelling import OF_WRAPPERS, cpp_formula, cpp_name, python_name
from tests.generator.headers import ROOT


def test_every_name_that_a_wrapper_uses_is_known() -> None:
    """A parameter may be called like one of them: hipGetDriverEntryPoint has a `status`."""
    used = set()
    for header in (ROOT / "generated").glob("*_runtime/*.hpp"):
        for body in re.findall(r"^inline [^{;]*?\{\n(.*?)^\}", header.read_text(), re.M | re.S):
            used |= set(re.findall(r"(?:[=,{(] ?|\n *|return )([a-z]\w*)(?:<[^;()]*>)?\(", body))
            used |= set(re.findall(r"Error_t (\w+) =", body))
    used = {name for name in used if not name.startswith(("cuda", "hip"))} - {"if", "static_cast"}
    assert {"status", "asked", "room", "kept_on"} <= used <= OF_WRAPPERS


def test_what_is_renamed_keeps_its_name_in_python() -> None:
    assert (cpp_name("status"), python_name("status")) == ("status_", "status")
    assert (cpp_name("from"), python_name("from")) == ("from", "from_")
    assert cpp_formula("pitched(pitch, text, 4) + new * 2") == "pitched(pitch, text_, 4) + new_ * 2"
