"""Calls of the stand-in; test_rccl.py runs this file."""

from __future__ import annotations

import numpy as np
import pytest

from PyGPU import GPUError, _libraries, hip, rccl

run = rccl.checked


def the_release_is_the_librarys_own() -> None:
    assert run.ncclGetVersion() == 22105
    assert _libraries.installed("rccl")["release"] == "2.21"


def a_communicator_is_destroyed_once() -> None:
    unique = run.ncclGetUniqueId()
    comm = rccl.ncclComm_t(nranks=1, commId=unique, rank=0)
    assert run.ncclCommCount(comm) == 1
    other = run.ncclCommInitRank(1, unique, 0)
    del comm
    assert run.ncclCommCount(other) == 1
    assert not rccl.ncclCommDestroy(other)
    with pytest.raises(GPUError, match="ncclInvalidArgument: invalid argument"):
        rccl.ncclComm_t(nranks=1, commId=unique, rank=1)


def a_configuration_is_the_initialised_one() -> None:
    """Fields that the caller leaves out are unset, not 0; None is no configuration."""
    unique = run.ncclGetUniqueId()
    for config in ({"blocking": 0}, rccl.ncclConfig_v21700(blocking=0), None):
        assert not rccl.ncclCommDestroy(run.ncclCommInitRankConfig(1, unique, 0, config))
    wrong = rccl.ncclCommInitRankConfig(1, unique, 0, {"blocking": 0, "splitShare": 1})
    assert wrong == (None, rccl.ncclInvalidArgument)


def all_devices_at_once() -> None:
    comms = run.ncclCommInitAll(3, None)
    assert [int(one) - int(comms[0]) for one in comms] == [0, 1, 2]
    assert int(run.ncclCommInitAll(1, [2])[0]) == int(comms[2])
    with pytest.raises(ValueError, match="devlist"):
        rccl.ncclCommInitAll(2, [0])


def arrays_and_streams_go_in() -> None:
    comm = run.ncclCommInitRank(1, run.ncclGetUniqueId(), 0)
    stream = hip.hipStream_t(1 << 20)
    numbers, sums = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    assert not rccl.ncclAllReduce(numbers, sums, 8, rccl.ncclFloat32, rccl.ncclSum, comm, stream)
    np.testing.assert_array_equal(sums, numbers)
    with pytest.raises(ValueError, match="recvbuff"):
        rccl.ncclAllReduce(numbers, sums[:1], 8, rccl.ncclFloat32, rccl.ncclSum, comm, stream)


if __name__ == "__main__":
    the_release_is_the_librarys_own()
    a_communicator_is_destroyed_once()
    a_configuration_is_the_initialised_one()
    all_devices_at_once()
    arrays_and_streams_go_in()
