"""NCCL on a stand-in, and what the library itself does without a device, if it is installed."""

from __future__ import annotations

import gc
import os
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

from PyGPU import GPUArray, GPUError, _libraries, cuda, nccl
from tests.conftest import unavailable
from tests.own_interpreter import Interpreter, own_interpreter


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stand-in of nccl.c."""
    compiler = os.environ.get("CC") or shutil.which("gcc") or unavailable("no C compiler")
    library = tmp_path_factory.mktemp("nccl") / "libnccl.so.2"
    source = Path(__file__).with_name("nccl.c")
    options = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-Wl,-soname,{library.name}"]
    subprocess.run([str(compiler), *options, str(source), "-o", str(library)], check=True)
    return library


@pytest.fixture
def stand_in(on_host: Interpreter, library: Path) -> Interpreter:
    """The host runtime, with the stand-in as its NCCL."""
    return on_host.having(PYGPU_NCCL_LIBRARY=str(library))


def rank() -> nccl.ncclComm_t:
    """A communicator of one rank."""
    name = nccl.checked.ncclGetUniqueId()
    return nccl.ncclComm_t(nranks=1, commId=name, rank=0)


@own_interpreter("stand_in")
def test_arrays_and_streams_go_in():
    stream = cuda.cudaStream_t(flags=cuda.cudaStreamNonBlocking)
    given = GPUArray(np.arange(5, dtype=np.float32))
    taken = GPUArray(np.zeros(5, dtype=np.float32))
    comm = rank()
    assert not nccl.ncclAllReduce(given, taken, 5, nccl.ncclFloat32, nccl.ncclSum, comm, stream)
    cuda.checked.cudaStreamSynchronize(stream)
    assert taken.get().tolist() == [0, 1, 2, 3, 4]
    assert nccl.checked.ncclCommRegister(comm, taken, 20) == int(stream)
    with pytest.raises(ValueError, match="sendbuff"):
        nccl.ncclAllReduce(given, taken, 21, nccl.ncclFloat32, nccl.ncclSum, comm, stream)
    with pytest.raises(GPUError, match="ncclInvalidArgument: a wrong argument"):
        nccl.checked.ncclAllReduce(given, taken, 5, nccl.ncclInt8, nccl.ncclSum, comm, stream)


@own_interpreter("stand_in")
def test_a_communicator_ends_once():
    comm, other = rank(), rank()
    assert nccl.checked.ncclCommCount(comm) == 2
    assert not nccl.ncclCommDestroy(other)
    del other
    gc.collect()
    assert nccl.checked.ncclCommCount(comm) == 1
    devices = nccl.checked.ncclCommInitAll(2, [3, 1])
    assert [int(one) for one in devices] == [0x2003, 0x2001]
    assert [int(one) for one in nccl.checked.ncclCommInitAll(3, None)] == [0x2000, 0x2001, 0x2002]


@own_interpreter("stand_in")
def test_a_configuration_has_the_headers_defaults():
    name = nccl.checked.ncclGetUniqueId()
    settings = {"minCTAs": 3, "netName": b"Socket\0"}
    comm, err = nccl.ncclCommInitRankConfig(1, name, 0, settings)
    assert not err
    assert not nccl.ncclCommDestroy(comm)
    assert nccl.checked.ncclCommInitRankConfig(1, name, 0, None)
    wrong, err = nccl.ncclCommInitRankConfig(1, name, 0, {"minCTAs": 4})
    assert (wrong, err) == (None, nccl.ncclInvalidArgument)


@own_interpreter("stand_in")
def test_other_inputs():
    comm = rank()
    waits = [(1, 0, 0, 0), {"opCnt": 2, "peer": 1}]
    assert not nccl.ncclWaitSignal(2, waits, comm, None)
    half = struct.pack("f", 0.5)
    host = nccl.ncclScalarHostImmediate
    op = nccl.checked.ncclRedOpCreatePreMulSum(half, nccl.ncclFloat32, host, comm)
    assert op == 5


def test_the_library_itself():
    """The package is large, so it needn't be installed."""
    if not any(one.chosen for one in _libraries.survey("nccl")):
        pytest.skip("no libnccl (pip install nvidia-nccl-cu13)")
    version = nccl.checked.ncclGetVersion()
    assert _libraries.installed("nccl")["release"] == f"{version // 10000}.{version // 100 % 100}"
    first, second = (nccl.checked.ncclGetUniqueId() for _ in range(2))
    assert first != second
    assert len(first.internal) == nccl.NCCL_UNIQUE_ID_BYTES == 128
    assert "invalid argument" in nccl.ncclGetErrorString(nccl.ncclInvalidArgument)
