"""The columns of the matrix: each is a test that is run with the peer, and a short result."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from typing import Any

import numpy as np
from peer import DTYPES, Peer
from row import Cell

import PyGPU

VALUES = np.arange(1, 25, dtype="f4").reshape(2, 3, 4)


class Wrong(AssertionError):  # noqa: N818, short in a cell
    """What is not as it should be."""


def same(got: Any, expected: Any, what: str) -> None:
    got = np.asarray(got)
    if got.shape != expected.shape:
        raise Wrong(f"{what}: shape {got.shape}, not {expected.shape}")
    if not np.array_equal(got.astype("c16"), expected.astype("c16")):
        raise Wrong(f"{what}: other elements")


def goes_out(peer: Peer) -> Cell:
    same(peer.values(peer.give(PyGPU.to_gpu(VALUES))), VALUES, peer.out)
    return Cell(f"`{peer.out}`")


def comes_in(peer: Peer) -> Cell:
    same(peer.take(peer.make(VALUES)).get(), VALUES, peer.into)
    return Cell(f"`{peer.into}`")


def is_shared(peer: Peer) -> Cell:
    """Whether the addresses are equal."""
    shared = []
    if "out" in peer.ways:
        a = PyGPU.to_gpu(VALUES)
        x = peer.give(a)
        if peer.address(x) == a.ptr:
            shared.append("out")
    if "in" in peer.ways:
        x = peer.make(VALUES)
        a = peer.take(x)
        if peer.address(x) == a.ptr:
            shared.append("in")
    return Cell(", ".join(shared) or "copied", tuple(shared) == tuple(peer.shared))


_usleep = ctypes.CDLL(None).usleep


def queue_behind_a_slow_one(stream: Any, queue: Callable[[], object]) -> None:
    """Queues work behind a long sleep that needs no Python; returns while the stream is busy."""
    for microseconds in (30_000, 300_000, 3_000_000):
        PyGPU.checked.cudaLaunchHostFunc(stream, _usleep, microseconds)
        queue()
        if not PyGPU.checked.cudaStreamQuery(stream):
            return
    raise Wrong("the slow producer was not slow")


def is_in_order(peer: Peer) -> Cell:
    """A slow producer on a side stream, and a consumer that reads after it."""
    right = []
    if "out" in peer.ways:
        side, a, source = PyGPU.Stream(True), PyGPU.zeros(VALUES.shape, "f4"), pinned(VALUES)
        queue_behind_a_slow_one(side, lambda: a.set_async(source, side))
        same(peer.values(peer.give(a)), VALUES, "out, of a slow stream")
        right.append("out")
    if "in" in peer.ways and (current := peer.side()) is not None:
        x = peer.make(VALUES)
        PyGPU.checked.cudaDeviceSynchronize()
        with current as stream:
            queue_behind_a_slow_one(stream, lambda: peer.fill(x, 7))
            a = peer.take(x)
        same(a.get(), np.full_like(VALUES, 7), "in, of a slow stream")
        right.append("in")
    return Cell(", ".join(right))


def is_kept(peer: Peer) -> Cell:
    """The producer's object is dropped, and other arrays take memory of the same size."""
    right = []
    if "out" in peer.ways:
        a = PyGPU.to_gpu(VALUES)
        x = peer.give(a)
        del a
        others = take_memory(peer)
        same(peer.values(x), VALUES, "out, the array was dropped")
        del x, others
        right.append("out")
    if "in" in peer.ways:
        x = peer.make(VALUES)
        a = peer.take(x)
        del x
        others = take_memory(peer)
        same(a.get(), VALUES, "in, the peer's array was dropped")
        del others
        right.append("in")
    return Cell(", ".join(right))


def take_memory(peer: Peer) -> list[Any]:
    gc.collect()
    others = [PyGPU.zeros(VALUES.shape, "f4") for _ in range(8)]
    return others + [peer.make(np.zeros_like(VALUES)) for _ in range(8 if "in" in peer.ways else 0)]


def has_dtypes(peer: Peer) -> Cell:
    """The dtypes whose elements and name are the same after a way there and back."""
    lacking = [name for name in DTYPES if not has_dtype(peer, name)]
    right = frozenset(lacking) == peer.lacks
    if not lacking:
        return Cell(f"all {len(DTYPES)}", right)
    return Cell("all but " + ", ".join(lacking), right)


def has_dtype(peer: Peer, name: str) -> bool:
    dtype = dtype_of(name)
    if dtype is None:
        return False
    values = VALUES.astype(dtype)
    try:
        if "out" in peer.ways:
            x = peer.give(PyGPU.to_gpu(values))
            same(peer.values(x), values, f"out, {name}")
        if "in" in peer.ways:
            a = peer.take(peer.make(values))
            if a.dtype != dtype:
                return False
            same(a.get(), values, f"in, {name}")
    except Wrong:
        raise
    except Exception:  # each library raises an exception of its own
        return False
    return True


def dtype_of(name: str) -> Any:
    """The dtype of a name, also one of ml_dtypes; None if that is not installed."""
    try:
        return np.dtype(name)
    except TypeError:
        try:
            import ml_dtypes
        except ImportError:
            return None
        return np.dtype(getattr(ml_dtypes, name))


def refuses(peer: Peer) -> Cell:
    """Whether an exchange that can't work raises the right exception."""
    expression, error = peer.refused
    a = PyGPU.to_gpu(VALUES)
    x = peer.make(VALUES) if "x" in expression else None
    try:
        peer.run(expression, a=a, x=x)
    except Exception as raised:
        if isinstance(raised, error):
            return Cell(f"`{expression}`: {type(raised).__name__}")
        return Cell(f"`{expression}`: {type(raised).__name__}, not {error.__name__}", False)
    return Cell(f"`{expression}` raises nothing", False)


def pinned(values: Any) -> Any:
    memory = PyGPU.pagelocked_empty(values.shape, values.dtype)
    memory[...] = values
    return memory


CHECKS: dict[str, Callable[[Peer], Cell]] = {
    "out": goes_out,
    "in": comes_in,
    "zero-copy": is_shared,
    "stream order": is_in_order,
    "lifetime": is_kept,
    "dtypes": has_dtypes,
    "refused": refuses,
}


def cell_of(column: str, peer: Peer) -> Cell:
    """One cell; if the test failed, its text is the exception."""
    if column in ("out", "in") and column not in peer.ways:
        return Cell("-")
    try:
        return CHECKS[column](peer)
    except Exception as error:
        text = str(error).splitlines()[0][:120] if str(error) else ""
        return Cell(f"WRONG: {type(error).__name__}: {text}", False)
