"""NCCL itself, on one GPU and over two: in one process, and in a process for each."""

from __future__ import annotations

import multiprocessing

import numpy as np
import pytest

import PyGPU
from PyGPU import _libraries, cuda, nccl
from tests.own_interpreter import Interpreter, own_interpreter

SIZE = 1000


@pytest.fixture
def cards(python: Interpreter, on_card) -> Interpreter:
    if not any(one.chosen for one in _libraries.survey("nccl")):
        pytest.skip("no libnccl (pip install nvidia-nccl-cu13)")
    return python


@pytest.fixture
def two_cards(cards: Interpreter, device_count: int) -> Interpreter:
    if device_count < 2:
        pytest.skip("needs two GPUs")
    return cards


def numbers(rank: int) -> np.ndarray:
    return np.random.default_rng(rank).integers(-99, 99, SIZE).astype("f4")


@own_interpreter("cards")
def test_one_rank_sums_what_it_has():
    communicator = nccl.ncclComm_t(nranks=1, commId=nccl.checked.ncclGetUniqueId(), rank=0)
    given, taken = PyGPU.to_gpu(numbers(0)), PyGPU.zeros(SIZE, "f4")
    stream = cuda.cudaStream_t(flags=cuda.cudaStreamNonBlocking)
    nccl.checked.ncclAllReduce(
        given, taken, SIZE, nccl.ncclFloat32, nccl.ncclSum, communicator, stream
    )
    cuda.checked.cudaStreamSynchronize(stream)
    assert np.array_equal(taken.get(), numbers(0))
    assert nccl.checked.ncclCommCount(communicator) == 1
    assert nccl.ncclCommGetAsyncError(communicator) == (nccl.ncclSuccess, nccl.ncclSuccess)


@own_interpreter("two_cards")
def test_two_devices_of_one_process():
    call = nccl.checked
    communicators = call.ncclCommInitAll(2, [0, 1])
    arrays, streams = [], []
    for rank in range(2):
        with PyGPU.device(rank):
            arrays.append(PyGPU.to_gpu(numbers(rank)))
            streams.append(PyGPU.Stream())

    def together(function, *rest):
        call.ncclGroupStart()
        for array, communicator, stream in zip(arrays, communicators, streams, strict=True):
            function(array, array, SIZE, nccl.ncclFloat32, *rest, communicator, stream)
        call.ncclGroupEnd()
        for stream in streams:
            stream.synchronize()

    together(call.ncclAllReduce, nccl.ncclSum)
    for array in arrays:
        assert np.array_equal(array.get(), numbers(0) + numbers(1))
    arrays[1].set(numbers(7))
    together(call.ncclBroadcast, 1)  # the root
    for array in arrays:
        assert np.array_equal(array.get(), numbers(7))
    for communicator in communicators:
        call.ncclCommDestroy(communicator)


def a_rank(rank: int, name: bytes, results) -> None:
    PyGPU.checked.cudaSetDevice(rank)
    unique = nccl.ncclUniqueId(internal=name)
    communicator = nccl.ncclComm_t(nranks=2, commId=unique, rank=rank)
    given, taken = PyGPU.to_gpu(numbers(rank)), PyGPU.zeros(2 * SIZE, "f4")
    nccl.checked.ncclAllGather(given, taken, SIZE, nccl.ncclFloat32, communicator, None)
    nccl.checked.ncclAllReduce(
        given, given, SIZE, nccl.ncclFloat32, nccl.ncclMax, communicator, None
    )
    cuda.checked.cudaDeviceSynchronize()
    results.put((rank, given.get(), taken.get()))


@own_interpreter("two_cards")
def test_two_processes():
    start = multiprocessing.get_context("spawn")
    results = start.Queue()
    name = bytes(nccl.checked.ncclGetUniqueId().internal)
    ranks = [start.Process(target=a_rank, args=(rank, name, results)) for rank in range(2)]
    for one in ranks:
        one.start()
    for _ in ranks:
        _, largest, all_of_them = results.get(timeout=120)
        assert np.array_equal(largest, np.maximum(numbers(0), numbers(1)))
        assert np.array_equal(all_of_them, np.concatenate([numbers(0), numbers(1)]))
    for one in ranks:
        one.join()
        assert one.exitcode == 0
