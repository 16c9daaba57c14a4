"""Threads import and use PyGPU at the same moment, and forks come between the import and a call."""

from __future__ import annotations

import os
import pathlib
import signal
import threading
import warnings

import pytest

import PyGPU
from PyGPU import _libraries
from tests.own_interpreter import own_interpreter


@pytest.mark.parametrize("backend", ["host", "hip", "cuda"])
def test_many_threads_see_the_same_objects(python, host_library, backend):
    libraries = {"PYGPU_HIP_LIBRARY": str(host_library), "PYGPU_CUDA_LIBRARY": str(host_library)}
    python(
        pathlib.Path(__file__).with_name("import_at_once.py"), PYGPU_BACKEND=backend, **libraries
    )


@own_interpreter(PYGPU_BACKEND="host")
def test_forked_between_the_import_and_the_first_call():
    """Each child finds its own library, even while another thread of the parent is searching."""
    warnings.simplefilter("ignore")
    ended = threading.Event()

    def search():
        while not ended.is_set():
            _libraries.survey("cuda")

    searching = threading.Thread(target=search, daemon=True)
    searching.start()
    for _ in range(10):
        child = os.fork()
        if not child:
            signal.alarm(30)  # ends a child that hangs, so the test fails
            code = 1
            try:
                code = 1 - (PyGPU.checked.cudaGetDeviceCount() == len(PyGPU.zeros(1).get()))
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    ended.set()
    searching.join()
    assert PyGPU.checked.cudaGetDeviceCount() == 1
