"""What handing an array over costs, out and in: PyGPU and its peers, by turns.

    python benchmarks/interop.py [--rounds N] [--calls N] [--json FILE|-] [--check]

An array of 1000 numbers is handed over by DLPack's C exchange API (called in a C++ loop, as
extension modules call it), by DLPack's capsules, and by the CUDA Array Interface. The numbers are
nanoseconds for a call and the release of what it returned. On the host runtime the peers hold
memory of the CPU, and there is no CUDA Array Interface. For a peer that isn't installed, or lacks
the protocol, the table gives the reason.

With --check the exit code is 1 if PyGPU takes more than 100 ns in one direction by the C exchange
API, or if its capsule is slower than the fastest peer's.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measure import Cell, machine, print_table, run, write_json

import PyGPU

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = ("PyGPU", "CuPy", "torch", "Numba", "numpy")
TARGET = 100.0  # ns in one direction by the C exchange API

Timed = Callable[[int], float]  # makes so many calls; nanoseconds of one


class Absent(Exception):  # noqa: N818, no error
    """Why a library lacks a row."""


def loop(call: Callable[[], object]) -> Timed:
    def timed(calls: int) -> float:
        begin = time.perf_counter_ns()
        for _ in range(calls):
            call()
        return (time.perf_counter_ns() - begin) / calls

    return timed


class Interface:
    """An object that has an array interface and nothing else."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


class Capsule:
    """An object that has DLPack's methods and no table on its class."""

    def __init__(self, array: Any) -> None:
        self.__dlpack__ = array.__dlpack__
        self.__dlpack_device__ = array.__dlpack_device__


class Libraries:
    """The libraries, with one array of each."""

    def __init__(self, on_host: bool) -> None:
        self.on_host = on_host
        self.own = PyGPU.zeros(1000, "f4")
        self.c = self.compiled()

    def compiled(self) -> ctypes.PyDLL:
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "interop.so"
            source = ROOT / "benchmarks" / "interop.cpp"
            command = [os.environ.get("CXX", "g++"), "-std=c++20", "-O2", "-shared", "-fPIC"]
            command += [f"-I{ROOT / 'third_party'}", str(source), "-o", str(made)]
            subprocess.run(command, check=True)
            library = ctypes.PyDLL(str(made))
        pointer, thing = ctypes.c_void_p, ctypes.py_object
        for name in ("out", "borrow", "in"):
            function = getattr(library, name)
            function.restype = ctypes.c_double
            pointers = (pointer, pointer) if name == "in" else (pointer,)
            function.argtypes = (*pointers, thing, ctypes.c_int)
        return library

    def array_of(self, name: str) -> Any:
        if name == "PyGPU":
            return self.own
        if name == "numpy":
            if not self.on_host:
                raise Absent("the host's memory only")
            return np.zeros(1000, "f4")
        try:
            if name == "torch":
                import torch

                return torch.zeros(1000, device="cpu" if self.on_host else "cuda")
            if self.on_host:
                raise Absent("a GPU's memory only")
            if name == "CuPy":
                import cupy

                return cupy.zeros(1000, "f4")
            from numba import cuda

            return cuda.to_device(np.zeros(1000, "f4"))
        except ImportError:
            raise Absent("not installed") from None
        except RuntimeError as error:
            raise Absent(str(error).splitlines()[0][:40]) from None

    def taker_of(self, name: str) -> Any:
        """The library's from_dlpack()."""
        if name == "PyGPU":
            return PyGPU.from_dlpack
        self.array_of(name)
        if name == "torch":
            import torch

            return torch.from_dlpack
        if name == "CuPy":
            import cupy

            return cupy.from_dlpack
        if name == "numpy":
            return np.from_dlpack
        from numba import cuda

        if not hasattr(cuda, "from_dlpack"):
            raise Absent("has none")
        return cuda.from_dlpack

    def table_of(self, name: str) -> int:
        kind = type(self.array_of(name))
        if not hasattr(kind, "__dlpack_c_exchange_api__"):
            raise Absent("has none")
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        address: int = pointer(kind.__dlpack_c_exchange_api__, b"dlpack_exchange_api")
        return address

    # Rows

    def out_by_table(self, name: str) -> Timed:
        table, array = self.table_of(name), self.array_of(name)
        return lambda calls: self.checked(self.c.out(table, array, calls))

    def borrowed_by_table(self, name: str) -> Timed:
        table, array = self.table_of(name), self.array_of(name)
        return lambda calls: self.checked(self.c.borrow(table, array, calls))

    def in_by_table(self, name: str) -> Timed:
        table, own = self.table_of(name), self.table_of("PyGPU")
        return lambda calls: self.checked(getattr(self.c, "in")(table, own, self.own, calls))

    def out_by_capsule(self, name: str) -> Timed:
        array = self.array_of(name)
        if not hasattr(array, "__dlpack__"):
            raise Absent("has none")
        if name in ("PyGPU", "CuPy", "numpy") or self.on_host:
            return loop(lambda: array.__dlpack__(max_version=(1, 0)))
        return loop(lambda: array.__dlpack__(stream=1, max_version=(1, 0)))

    def in_by_capsule(self, name: str) -> Timed:
        take, lender = self.taker_of(name), Capsule(self.own)
        return loop(lambda: take(lender))

    def in_from(self, lender: str) -> Callable[[str], Timed]:
        def row(name: str) -> Timed:
            take, array = self.taker_of(name), self.array_of(lender)
            return loop(lambda: take(array))

        return row

    def out_by_interface(self, name: str) -> Timed:
        array = self.array_of(name)
        if not hasattr(array, "__cuda_array_interface__"):
            raise Absent("has none here")
        return loop(lambda: array.__cuda_array_interface__)

    def in_by_interface(self, name: str) -> Timed:
        if self.on_host or name == "numpy":
            raise Absent("has none here")
        self.array_of(name)
        lender = Interface(self.own)
        if name == "PyGPU":
            return loop(lambda: PyGPU.asarray(lender))
        if name == "torch":
            import torch

            return loop(lambda: torch.as_tensor(lender, device="cuda"))
        if name == "CuPy":
            import cupy

            return loop(lambda: cupy.asarray(lender))
        from numba import cuda

        return loop(lambda: cuda.as_cuda_array(lender))

    @staticmethod
    def checked(taken: float) -> float:
        if taken < 0:
            raise Absent("fails")
        return taken


def measure(rounds: int, calls: int, on_host: bool) -> dict[str, dict[str, Cell]]:
    all_of = Libraries(on_host)
    rows: dict[str, Callable[[str], Timed]] = {
        "out, C exchange API": all_of.out_by_table,
        "borrowed, C exchange API": all_of.borrowed_by_table,
        "in, C exchange API": all_of.in_by_table,
        "out, capsule": all_of.out_by_capsule,
        "in, capsule of PyGPU": all_of.in_by_capsule,
        "from_dlpack of torch's": all_of.in_from("torch"),
        "from_dlpack of CuPy's": all_of.in_from("CuPy"),
        "from_dlpack of PyGPU's": all_of.in_from("PyGPU"),
        "out, array interface": all_of.out_by_interface,
        "in, array interface of PyGPU": all_of.in_by_interface,
    }
    found: dict[str, dict[str, Cell]] = {row: {} for row in rows}
    timed: list[tuple[Cell, Timed]] = []
    for row, make in rows.items():
        for name in LIBRARIES:
            cell = found[row][name] = Cell()
            try:
                one = make(name)
                one(10)
                timed.append((cell, one))
            except Absent as why:
                cell.absent = str(why)
            except Exception as error:
                cell.absent = f"{type(error).__name__}: {error}".splitlines()[0][:40]
    for _ in range(rounds):
        for cell, one in timed:
            cell.times.append(one(calls))
    return found


def misses(found: dict[str, dict[str, Cell]]) -> list[str]:
    told = []
    for row in ("out, C exchange API", "in, C exchange API"):
        if found[row]["PyGPU"].least > TARGET:
            told.append(f"{row}: {found[row]['PyGPU']} ns, {TARGET:.0f} are due")
    for row in ("out, capsule", "in, capsule of PyGPU"):
        peers = [one.least for name, one in found[row].items() if name != "PyGPU" and one.times]
        if peers and found[row]["PyGPU"].least > min(peers):
            told.append(f"{row}: {found[row]['PyGPU']} ns, a peer takes {min(peers):.0f}")
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    found = measure(given.rounds, given.calls, PyGPU.backend == "host")
    shown = [[row, *(str(cells[name]) for name in LIBRARIES)] for row, cells in found.items()]
    print_table("ns a call, least / median", ("", *LIBRARIES), shown)
    if given.json:
        about = machine() | {"backend": str(PyGPU.backend)}
        rows = {row: {n: one.as_json() for n, one in cells.items()} for row, cells in found.items()}
        write_json({"machine": about, "rows": rows}, given.json)
    told = misses(found)
    print(*told, sep="\n", end="\n" if told else "")
    return 1 if given.check and told else 0


if __name__ == "__main__":
    sys.exit(run(main))
