"""`pygpu host run` finds the compilers of the Python that a command is run by."""

from __future__ import annotations

import os
import sys
import venv
from pathlib import Path

import pytest

from PyGPU._libraries.candidates import Surroundings
from PyGPU._programs import interpreters


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment."""
    folder = tmp_path_factory.mktemp("other") / "environment"
    venv.create(folder)
    return folder


def around(path: str) -> Surroundings:
    return Surroundings({"PATH": path}, sys.path, [], sys.prefix)


def script(folder: Path, *lines: str) -> Path:
    file = folder / "script"
    file.write_text("\n".join(lines) + "\n")
    file.chmod(0o755)
    return file


def places(asked: Surroundings | None) -> list[str]:
    assert asked is not None
    return list(asked.sys_path)


def test_a_python_of_another_environment_is_asked(other):
    asked = interpreters.surroundings_of([str(other / "bin" / "python"), "-c", ""], around(""))
    assert any(one.startswith(f"{other}/lib/python") for one in places(asked))
    assert asked.prefix == str(other)


@pytest.mark.parametrize(
    "lines",
    [
        ("#!{python}", "print()"),
        ("#!{python} -E", "print()"),
        ("#!/usr/bin/env python", "print()"),
        ("#!/usr/bin/env -S python -E", "print()"),
        ("#!/bin/sh", "'''exec' {python} \"$0\" \"$@\"", "' '''", "print()"),
        ("#!/bin/sh", '\'\'\'exec\' "{python}" "$0" "$@"', "' '''", "print()"),
        ("#!/bin/sh", "python train.py"),
        ("no script at all",),
    ],
)
def test_a_script_names_its_python_or_finds_it_on_the_path(other, tmp_path, lines):
    python = str(other / "bin" / "python")
    command = [str(script(tmp_path, *(line.replace("{python}", python) for line in lines)))]
    asked = interpreters.surroundings_of(command, around(f"{other}/bin:/usr/bin:/bin"))
    assert any(one.startswith(f"{other}/lib/python") for one in places(asked))


def test_this_python_isn_t_asked(tmp_path):
    assert interpreters.surroundings_of([sys.executable], around("")) is None
    folder = os.path.dirname(sys.executable)
    assert interpreters.surroundings_of(["make"], around(folder)) is None


def test_no_answer_is_none(tmp_path):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    assert interpreters.surroundings_of([str(broken)], around("")) is None
    assert interpreters.surroundings_of(["no-such-command"], around(str(tmp_path))) is None
    silent = script(tmp_path, "#!/bin/sh", "true")
    silent.rename(tmp_path / "python3")
    assert interpreters.surroundings_of([str(tmp_path / "python3")], around("")) is None


def test_the_current_directory_gives_no_module(other, tmp_path, monkeypatch):
    (tmp_path / "sys.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "json.py").write_text("raise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    assert interpreters.surroundings_of([str(other / "bin" / "python")], around(""))
