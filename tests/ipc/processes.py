"""Starts another process, and communicates with it."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any


@contextmanager
def another(function: Callable[..., None], *arguments: Any) -> Iterator[Connection]:
    """A process that runs a function, whose first argument is a connection to this process."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=function, args=(there, *arguments))
    process.start()
    del arguments
    there.close()
    try:
        yield here
    finally:
        here.close()
        process.join(60)
    assert process.exitcode == 0


def answer(connection: Connection) -> Any:
    assert connection.poll(60)
    return connection.recv()
