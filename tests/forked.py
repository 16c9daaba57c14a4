"""Interpreters that begin with numpy imported, as forks of one that has done it.

Importing numpy takes most of the time of a small test. A server, one for each process of pytest,
imports it once. For each run it forks a keeper, which forks the interpreter, waits for it, and
tells how it ended.
"""

from __future__ import annotations

import functools
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping

# Variables that only a new process reads, or that need nothing else in it.
_READ_AT_START = ("LD_", "PYTHON", "MALLOC_", "GLIBC_", "COV", "OMP_", "OPENBLAS_", "LANG", "LC_")
_SANITIZERS = ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_PRELOAD")


def serves(environment: Mapping[str, str]) -> bool:
    """Whether a fork can have this environment: no variable differs that a new process reads."""
    if any(one in os.environ for one in _SANITIZERS):
        return False
    names = {one for one in {*environment, *os.environ} if one.startswith(_READ_AT_START)}
    names.discard("PYTHONDONTWRITEBYTECODE")  # the server has it, too
    return all(environment.get(one) == os.environ.get(one) for one in names)


def run(environment: Mapping[str, str], given: bytes, timeout: float) -> tuple[int, bytes, bytes]:
    """Run tests.child with `given` on stdin: the exit code as subprocess has it, stdout, stderr.

    Raises subprocess.TimeoutExpired after `timeout` seconds, and ends the interpreter.
    """
    files = [_memory(pickle.dumps(dict(environment))), _memory(given), _memory(), _memory()]
    ended, end = os.pipe()
    try:
        socket.send_fds(_server(), [b"."], [*files, end])
        os.close(end)
        child = int(_line(ended, timeout) or 0)
        status = _line(ended, timeout)
        if status is None:
            os.kill(child, signal.SIGKILL)
            raise subprocess.TimeoutExpired("tests.child", timeout)
        return os.waitstatus_to_exitcode(int(status)), _bytes(files[2]), _bytes(files[3])
    finally:
        for one in (*files, ended):
            os.close(one)


def _memory(content: bytes = b"") -> int:
    file = os.memfd_create("tests.forked")
    os.write(file, content)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _bytes(file: int) -> bytes:
    return os.pread(file, os.fstat(file).st_size, 0)


def _line(pipe: int, timeout: float) -> bytes | None:
    """The next line; None if none comes in time."""
    line = b""
    while not line.endswith(b"\n"):
        if not select.select([pipe], [], [], timeout)[0]:
            return None
        more = os.read(pipe, 1)
        if not more:
            raise RuntimeError("tests.forked: the keeper of an interpreter has ended")
        line += more
    return line


@functools.cache
def _server() -> socket.socket:
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with there:
        subprocess.Popen(
            [sys.executable, "-c", f"from tests.forked import serve; serve({there.fileno()})"],
            pass_fds=[there.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"},
            cwd=os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
        )
    return here


def serve(number: int) -> None:
    """Serve until the other side closes. Returns in a fork, too, which has run its test then."""
    import numpy  # noqa: F401

    from tests import child

    with socket.socket(fileno=number) as requests:
        while True:
            message, files, _, _ = socket.recv_fds(requests, 1, 5)
            if not message:
                return
            if not os.fork():
                break
            for one in files:
                os.close(one)
            while _reaped():
                pass
    environment, *streams, end = files
    interpreter = os.fork()
    if interpreter:
        os.write(end, b"%d\n" % interpreter)
        os.write(end, b"%d\n" % os.waitpid(interpreter, 0)[1])
        os._exit(0)
    os.close(end)
    os.environ.clear()
    os.environ.update(pickle.loads(_bytes(environment)))
    os.close(environment)
    for stream, file in enumerate(streams):
        os.dup2(file, stream)
        os.close(file)
    sys.argv = ["-c"]
    child.main()


def _reaped() -> bool:
    """Whether a keeper had ended, and is gone now."""
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False
