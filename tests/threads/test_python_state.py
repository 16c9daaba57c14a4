"""What PyGPU's Python modules remember, when eight threads change it at once."""

from __future__ import annotations

from collections import deque

import PyGPU
from tests.own_interpreter import own_interpreter
from tests.threads.at_once import at_once

pytestmark = own_interpreter("run_on_host")


def test_each_thread_has_its_calls_in_its_trace():
    """One thread begins the common file while another ends it."""
    PyGPU.cudaGetDevice()

    def work(number):
        for _ in range(200):
            with PyGPU.trace() as trace:
                PyGPU.cudaDeviceGetAttribute(number % 3 + 1, 0)
            assert "cudaDeviceGetAttribute" in [one.name for one in trace.calls]

    at_once(work)


class TakenMeanwhile(deque):
    """Another thread takes the last object after it was seen."""

    def __len__(self):
        seen = super().__len__()
        self.clear()
        return seen


def test_another_thread_sweeps_what_finalisers_have_left(monkeypatch):
    from PyGPU._objects import retired

    monkeypatch.setattr(retired, "dropped", TakenMeanwhile([(object(), [])]))
    retired.sweep()


def test_another_thread_clears_the_cache_of_a_context(monkeypatch):
    from PyGPU._pycuda import choice

    class Cleared(dict):
        def __contains__(self, key):
            found = super().__contains__(key)
            self.clear()
            return found

    PyGPU.cudaFree(None)
    squared = choice.context_dependent_memoize(lambda number: number * number)
    cells = [one for one in squared.__closure__ if one.cell_contents is choice._caches[-1]]
    cells[0].cell_contents = Cleared()
    assert squared(3) == 9 and squared(3) == 9
