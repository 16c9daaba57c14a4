"""Whose packages a command sees: asks the Python that runs it where its modules lie."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

from PyGPU._libraries.candidates import Surroundings

_PYTHON = re.compile(r"(python|pypy)[\d.]*t?")
# Only sys is imported: others could come from the current directory.
_ASKED = """
import sys
text = "\\0".join(["", sys.prefix] + sys.path)
sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
"""
_PATIENCE = 10  # seconds for an interpreter to start
_HEAD = 1024  # bytes of a script that may name its interpreter


def surroundings_of(command: Sequence[str], own: Surroundings) -> Surroundings | None:
    """What a search finds from the Python of a command; None if that is this one, or none answers.

    A command that is no Python and no script of one may start the `python` on the PATH, as shells
    and `make` do.
    """
    path = own.environ.get("PATH")
    asked = _interpreter(command[0], path) or shutil.which("python", path=path)
    asked = asked or shutil.which("python3", path=path)
    if not asked or os.path.abspath(asked) == os.path.abspath(sys.executable):
        return None
    answer = _ask(asked, own.environ)
    if not answer or answer[0] == own.prefix:
        return None
    prefix, places = answer
    return own._replace(sys_path=places, prefix=prefix, loaded=(), package="")


def _interpreter(program: str, path: str | None) -> str | None:
    """The Python that a program is, or that its first line names."""
    file = shutil.which(program, path=path)
    if not file or _is_python(file):
        return file
    try:
        with open(file, "rb") as script:
            head = script.read(_HEAD).decode(errors="replace")
    except OSError:
        return None
    if not head.startswith("#!"):
        return None
    lines = head.splitlines()
    words = lines[0][2:].split()
    if words and os.path.basename(words[0]) == "env":
        names = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        return shutil.which(names[0], path=path) if names and _is_python(names[0]) else None
    if words and _is_python(words[0]):
        return words[0]
    # pip's way where the path is long: `'''exec' /long/python "$0" "$@"` for /bin/sh.
    match = re.match(r"'''exec' \"?([^\"]+?)\"? \"\$0\"", lines[1]) if len(lines) > 1 else None
    return match[1] if match and _is_python(match[1]) else None


def _is_python(path: str) -> bool:
    return bool(_PYTHON.fullmatch(os.path.basename(path)))


def _ask(interpreter: str, environment: Mapping[str, str]) -> tuple[str, list[str]] | None:
    """An interpreter's prefix, and where it finds modules; None if it doesn't say."""
    try:
        done = subprocess.run(
            [interpreter, "-c", _ASKED],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            env=dict(environment),
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    _, prefix, *places = [*os.fsdecode(done.stdout).split("\0"), ""]
    return (prefix, places[:-1]) if prefix else None
