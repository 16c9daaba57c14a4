"""The base class of the matrix's peers: their arrays, both ways of exchange, what they refuse."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

import PyGPU
from PyGPU import checked

# Every dtype that has a code in DLPack and a name in numpy or ml_dtypes.
DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
    "bfloat16", "float8_e4m3fn", "float8_e5m2",
)  # fmt: skip


class Absent(Exception):  # noqa: N818, no error
    """The reason why a peer can't be tested here."""


class Peer:
    """One library. `out` and `into` are the Python expressions that are run, and printed.

    They may use the GPUArray `a`, the peer's own array `x`, PyGPU, and the names that load() adds.
    """

    title = ""  # its name in the table
    module = ""  # the module to import; empty for a part of Python
    distribution = ""  # the distribution with the version, if its name isn't the module's
    needs_card = False
    out = into = ""
    refused = "", BufferError  # an expression, and what it raises
    shared = "out", "in"  # the ways that copy nothing
    ways = "out", "in"  # the ways that the library offers
    lacks: frozenset[str] = frozenset()  # dtypes that it lacks, or takes for others

    def __init__(self) -> None:
        self.on_host = PyGPU.backend == "host"
        self.names: dict[str, Any] = {"PyGPU": PyGPU, "np": np}
        self.version = ""
        if self.needs_card and self.on_host:
            raise Absent("needs a card")
        if self.module:
            self._find()
        self.load()

    def _find(self) -> None:
        try:
            found = importlib.util.find_spec(self.module)
        except ModuleNotFoundError:  # the package that the module is a part of is missing
            found = None
        if found is None:
            raise Absent("not installed")
        self.version = importlib.metadata.version(self.distribution or self.module)

    def load(self) -> None:
        """Import what the expressions need, into `names`. May raise ImportError or Absent."""

    def run(self, expression: str, **names: Any) -> Any:
        return eval(expression, {**self.names, **names})

    def give(self, a: Any) -> Any:
        """The peer's own object on the elements of a GPUArray."""
        return self.run(self.out, a=a)

    def take(self, x: Any) -> Any:
        """A GPUArray on the elements of the peer's own object."""
        return self.run(self.into, x=x)

    def make(self, values: Any) -> Any:
        """A new array of the peer's own on the device, with the elements of a numpy array."""
        raise NotImplementedError

    def values(self, x: Any) -> Any:
        """The elements of the peer's own array, as the peer itself reads them."""
        raise NotImplementedError

    def address(self, x: Any) -> int:
        """The address of the elements of the peer's own array."""
        raise NotImplementedError

    def side(self) -> AbstractContextManager[int] | None:
        """A side stream that is the peer's current one in a `with`; None if the peer has none."""
        return None

    def fill(self, x: Any, value: float) -> None:
        """Queues work on the peer's current stream that sets all elements of an array."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop what load() has started."""


class NumpyPeer(Peer):
    """A peer whose own arrays are numpy's."""

    def make(self, values: Any) -> Any:
        return values.copy()

    def values(self, x: Any) -> Any:
        return x

    def address(self, x: Any) -> int:
        return int(x.ctypes.data)


def address_of(function: str) -> int:
    """The address of a function of the runtime, such as address_of("Memcpy")."""
    vendor = "hip" if PyGPU.backend == "hip" else "cuda"
    return int(getattr(PyGPU, vendor).address(vendor + function))


def elements_at(address: int, values: Any) -> Any:
    """The elements at an address of the device, in the shape and dtype of `values`."""
    read = np.empty_like(values, order="C")
    kind = PyGPU.cudaMemcpyDeviceToHost
    checked.cudaMemcpy(read.ctypes.data, address, read.nbytes, kind)
    return read
