"""cuFile: the real library, if it is installed, and a stand-in that moves the bytes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from PyGPU import _libraries
from tests.own_interpreter import Interpreter


@pytest.fixture
def real(python: Interpreter, tmp_path) -> Interpreter:
    """The real library. Its log goes into a folder that is removed."""
    if not any(one.chosen for one in _libraries.survey("cufile")):
        pytest.skip("no libcufile (pip install nvidia-cufile)")
    named = os.environ.get("PYGPU_CUFILE_LIBRARY")
    return python.having(
        PYGPU_CUFILE_LIBRARY=named, CUFILE_LOGFILE_PATH=str(tmp_path / "cufile.log")
    )


@pytest.fixture
def real_on_card(real: Interpreter, on_card) -> Interpreter:
    """The real library, beside a GPU. Where its kernel module is missing it copies by the host."""
    return real.having(CUFILE_ALLOW_COMPAT_MODE="true", CUFILE_FORCE_COMPAT_MODE="true")


@pytest.fixture
def on_standin(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in, beside the host runtime."""
    text = (Path(__file__).parent / "standin.cpp").read_text()
    library = compile_library("libcufile.so.0", text)
    return on_host.having(PYGPU_CUFILE_LIBRARY=library)
