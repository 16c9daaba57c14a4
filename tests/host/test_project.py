"""hostgpu is a project of its own: a C program can use the installed library, without Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PROGRAM = Path(__file__).with_name("plain_program.c")
TOOLS = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def run(*command: object, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        env=os.environ | {"PATH": TOOLS} | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.skipif(shutil.which("g++") is None, reason="builds the library with g++")
def test_a_c_program_uses_the_installed_library(tmp_path):
    build, prefix, program = tmp_path / "build", tmp_path / "installed", tmp_path / "program"
    flags = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O0"]
    run("cmake", "-S", ROOT / "hostgpu", "-B", build, "-DCMAKE_CXX_COMPILER=g++", *flags)
    run("cmake", "--build", build)
    run("cmake", "--install", build, "--prefix", prefix)
    (library,) = prefix.rglob("libpygpu_host.so")
    needed = run("readelf", "-d", library)
    assert "libpython" not in needed
    run("gcc", PROGRAM, "-o", program, f"-L{library.parent}", "-lpygpu_host")
    said = run(program, LD_LIBRARY_PATH=str(library.parent), PYGPU_HOST_DEVICES="2")
    assert said == "2 devices, 42, released 709\n"
