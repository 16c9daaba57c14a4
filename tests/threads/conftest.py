"""Eight threads at once, in an interpreter of its own."""

from __future__ import annotations

import textwrap

import pytest

START = """
import copy, gc, os, random, sys, threading
import PyGPU
from PyGPU import cuda, hip

sys.setswitchinterval(1e-6)
THREADS = 8

def at_once(work):
    '''What work(number) gave on each of eight threads that start together.'''
    barrier = threading.Barrier(THREADS)
    results, wrong = [None] * THREADS, []
    def run(number):
        try:
            barrier.wait()
            results[number] = work(number)
        except BaseException as error:
            wrong.append(repr(error))
    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong, wrong
    return results

def same_for_all(results):
    for one in results[1:]:
        assert len(one) == len(results[0])
        for name, thing in one.items():
            first = results[0][name]
            plain = type(first) is int or type(first).__name__.endswith("_t")  # constants
            assert thing is first or (plain and thing == first), (name, thing, first)
"""


@pytest.fixture
def run_threads(python):
    """Runs code that has at_once(work); what is written to stderr fails the test."""

    def run_one(code: str, **environment: str) -> None:
        result = python(START + textwrap.dedent(code), **environment)
        assert result.stderr == ""

    return run_one
