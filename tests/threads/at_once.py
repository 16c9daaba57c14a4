"""Runs work on eight threads at once."""

from __future__ import annotations

import sys
import threading

THREADS = 8


def at_once(work):
    """The results of work(number) on eight threads that start together."""
    sys.setswitchinterval(1e-6)
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
