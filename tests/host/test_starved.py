"""Refused memory and threads become error codes: no abort, no hang, nothing lost."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def starved(compile_library, host_library):
    """Runs starved.py with the library that refuses requests; gives its output by first word."""
    if any(name in os.environ.get("LD_PRELOAD", "") for name in ("asan", "tsan")):
        pytest.skip("the sanitizers have an allocator of their own")
    text = (HERE / "starve.cpp").read_text(encoding="utf-8")
    preloaded = compile_library("libstarve.so", text, "-ldl")

    def run(*arguments: str) -> dict[str, list[str]]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYGPU_")}
        environment |= {"LD_PRELOAD": preloaded, "PYGPU_BACKEND": "host", "PYGPU_HOST_DEVICES": "2"}
        command = [sys.executable, HERE / "starved.py", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stdout + done.stderr
        lines = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
        assert not [line for line in lines if line[0] == "WRONG"], done.stdout
        return {word: rest[0].split() for word, *rest in lines}

    return run


@pytest.mark.parametrize("api", ["cuda", "hip"])
def test_every_call_says_that_it_had_no_memory_or_thread(starved, api):
    """Each request of each row's call is refused in turn: the call fails with a code, or works."""
    import PyGPU.host

    result = starved("rows", api)
    assert len(result["REFUSED"]) > 60
    functions = PyGPU.host.functions(api)
    implemented = {
        re.sub("_ptsz|_ptds|_spt|R0600", "", name) for name in functions if functions[name]
    }
    assert implemented - set(result["ASKED"]) == set(), "no row of the behaviour table asks them"


def test_a_process_may_have_no_memory_at_first(starved):
    assert int(starved("first")["REFUSED"][0]) > 20
