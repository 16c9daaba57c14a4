"""PyCUDA's helpers for tests: a context around a test."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from typing import Any

from PyGPU._pycuda.choice import clear_context_caches, make_default_context


def init_cuda_context_fixture() -> Iterator[None]:
    """The body of a pytest fixture: `yield from init_cuda_context_fixture()`."""
    context = make_default_context()
    yield
    context.pop()
    clear_context_caches()
    gc.collect()


def mark_cuda_test(inner_f: Callable[..., Any]) -> Callable[..., Any]:
    """A test that runs in a context of its own, with pytest's mark `cuda` if pytest is there."""

    @functools.wraps(inner_f)
    def test(*args: Any, **named: Any) -> None:
        around = init_cuda_context_fixture()
        next(around)
        try:
            inner_f(*args, **named)
        finally:
            next(around, None)

    try:
        import pytest
    except ImportError:
        return test
    marked: Callable[..., Any] = pytest.mark.cuda(test)
    return marked
