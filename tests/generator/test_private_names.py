"""Names that meet: private ones of an API's files, which are compiled together, and a module's."""

from __future__ import annotations

import collections
import pathlib
import re

import pytest

import PyGPU
from generator.plan.spelling import OWN_NAMES
from PyGPU import _nvrtc

GENERATED = pathlib.Path(__file__).resolve().parents[2] / "generated"
PRIVATE = re.compile(r"^namespace \{\n(.*?)^\} // namespace$", re.S | re.M)
DEFINED = re.compile(
    r"^(?:[\w:<>*&, ]+?)[ *&]+(\w+)(?:\[\]|\(| =|\{)|^(?:struct|class|enum(?: class)?) (\w+)", re.M
)


@pytest.mark.parametrize("api", sorted(path.name for path in GENERATED.iterdir() if path.is_dir()))
def test_no_private_name_stands_in_two_files(api):
    files = collections.defaultdict(set)
    for path in (GENERATED / api).glob("*.cpp"):
        if not path.name.startswith("host_"):  # these are compiled one by one
            for part in PRIVATE.findall(path.read_text(encoding="utf-8")):
                for names in DEFINED.findall(part):
                    files["".join(names)].add(path.name)
    assert {name: sorted(of) for name, of in files.items() if len(of) > 1} == {}
    assert files


def test_the_names_that_a_module_has_itself_are_known():
    """Names of C that are the same get an underscore."""
    own = {name for name in vars(PyGPU.nvrtc) if not name.startswith("__")}
    assert own - {*_nvrtc.names("nvrtc")} == OWN_NAMES
