"""What only a card shows: arrays that the driver lends, and copies with CUDA arrays.

`python -m pytest tests/structs/test_on_device.py` takes seconds.
"""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import _backend, cuda
from tests.own_interpreter import own_interpreter

done = PyGPU.check


@pytest.fixture
def on_card(python, has_device):
    """This machine's NVIDIA card; skips on AMD."""
    if not has_device or _backend.choose({})[0] != "cuda":
        pytest.skip("no device of NVIDIA's on this machine")
    return python


@own_interpreter("on_card")
def test_the_bodies_of_a_conditional_node() -> None:
    """A node in the body that was read runs when the condition holds (CUDA 12.4 and later)."""
    if cuda.cudaRuntimeGetVersion()[0] < 12040 or cuda.cudaDriverGetVersion()[0] < 12040:
        raise SystemExit
    graph = PyGPU.cudaGraph_t(flags=0)
    handle = done(
        cuda.cudaGraphConditionalHandleCreate(graph, True, cuda.cudaGraphCondAssignDefault)
    )
    node, params, err = cuda.cudaGraphAddNode(
        graph,
        None,
        None,
        0,
        {
            "type": cuda.cudaGraphNodeTypeConditional,
            "conditional": {"handle": handle, "type": cuda.cudaGraphCondTypeIf, "size": 1},
        },
    )
    assert not err, err
    bodies = params.conditional.phGraph_out
    assert len(bodies) == 1 and type(bodies[0]) is cuda.cudaGraph_t and bodies[0], bodies
    assert "items of C's at" in repr(params)
    memory = done(cuda.cudaMalloc(16))
    done(cuda.cudaMemset(memory, 0, 16))
    done(
        cuda.cudaGraphAddMemsetNode(
            bodies[0],
            None,
            0,
            {"dst": memory, "value": 7, "elementSize": 1, "width": 16, "height": 1},
        )
    )
    instance = PyGPU.cudaGraphExec_t(graph=graph)
    stream = PyGPU.cudaStream_t()
    done(cuda.cudaGraphLaunch(instance, stream))
    done(cuda.cudaStreamSynchronize(stream))
    back = np.zeros(16, np.uint8)
    done(cuda.cudaMemcpy(back, memory, 16, cuda.cudaMemcpyDeviceToHost))
    assert (back == 7).all(), back


@own_interpreter("on_card")
def test_what_nodes_lend() -> None:
    graph = PyGPU.cudaGraph_t(flags=0)
    given = {
        "poolProps": {"allocType": 1, "location": (1, 0)},
        "accessDescs": [{"location": (1, 0), "flags": 3}],
        "bytesize": 64,
    }
    node, params, err = cuda.cudaGraphAddMemAllocNode(graph, None, 0, given)
    assert not err, err
    lent = done(cuda.cudaGraphMemAllocNodeGetParams(node))
    (one,) = lent.accessDescs
    assert (int(one.location.type), one.location.id, int(one.flags)) == (1, 0, 3), lent


@pytest.mark.parametrize("kind", [(32, 32, 32, 32, 2), (8, 0, 0, 0, 1), (16, 16, 0, 0, 2)])
@own_interpreter("on_card")
def test_copies_with_a_cuda_array_count_its_elements(kind) -> None:
    """The driver takes what the length check lets through, and reads to the last byte."""
    size = sum(kind[:4]) // 8
    array = done(cuda.cudaMalloc3DArray(kind, (4, 2, 3), 0))
    sent = np.arange(4 * 2 * 3 * size, dtype=np.uint8)
    back = np.zeros_like(sent)
    ways = ((sent, "srcPtr", "dstArray", 1), (back, "dstPtr", "srcArray", 2))
    for memory, pointer, other, way in ways:
        given = {other: array, "extent": (4, 2, 3), "kind": way}
        said = f"{sent.size} needed, {sent.size - 1} given"
        with pytest.raises(ValueError, match=said):
            cuda.cudaMemcpy3D({**given, pointer: (memory[:-1], 4 * size, 4, 2)})
        done(cuda.cudaMemcpy3D({**given, pointer: (memory, 4 * size, 4, 2)}))
    assert (back == sent).all()
    assert not cuda.cudaGetLastError()
    done(cuda.cudaFreeArray(array))


@own_interpreter("on_card")
def test_swapped_results_and_owned_memory() -> None:
    err, device = cuda.cudaGetDevice()
    array = PyGPU.zeros(1000, np.float32)
    for call in (lambda: cuda.cudaSetDevice(device), lambda: cuda.cudaFree(array)):
        with pytest.raises(TypeError):
            call()
    assert (array.get() == 0).all()


def streams_of_torch():
    import torch

    stream = torch.cuda.Stream()
    assert not cuda.cudaStreamSynchronize(stream)
    array = PyGPU.zeros(1000, np.float32, stream=stream)
    assert (array.get(stream=stream) == 0).all()

    class Before:
        cuda_stream = stream.cuda_stream

    assert not cuda.cudaStreamSynchronize(Before())
    assert int(PyGPU.Stream.of(Before())) == stream.cuda_stream


def test_streams_of_torch(on_card) -> None:
    pytest.importorskip("torch")
    on_card(streams_of_torch)
