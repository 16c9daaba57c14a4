"""What only a card can show: arrays that the driver lends, and copies with CUDA arrays.

`python -m pytest tests/structs/test_on_device.py` takes seconds.
"""

from __future__ import annotations

import pytest

START = """
import numpy as np
import PyGPU
from PyGPU import cuda
if PyGPU.backend != "cuda":
    raise SystemExit
done = PyGPU.check
"""


@pytest.fixture
def on_card(python, has_device):
    """Runs code behind START, in an interpreter of its own; nothing to do on AMD."""
    if not has_device:
        pytest.skip("no device on this machine")
    return lambda code: python(START + code)


def test_the_bodies_of_a_conditional_node(on_card) -> None:
    """A node in the body that was read runs when the condition holds (CUDA 12.4 and later)."""
    on_card(
        """
if cuda.cudaRuntimeGetVersion()[0] < 12040 or cuda.cudaDriverGetVersion()[0] < 12040:
    raise SystemExit
graph = PyGPU.cudaGraph_t(flags=0)
handle = done(cuda.cudaGraphConditionalHandleCreate(graph, True, cuda.cudaGraphCondAssignDefault))
node, params, err = cuda.cudaGraphAddNode(graph, None, None, 0, {
    "type": cuda.cudaGraphNodeTypeConditional,
    "conditional": {"handle": handle, "type": cuda.cudaGraphCondTypeIf, "size": 1},
})
assert not err, err
bodies = params.conditional.phGraph_out
assert len(bodies) == 1 and type(bodies[0]) is cuda.cudaGraph_t and bodies[0], bodies
assert "items of C's at" in repr(params)
memory = done(cuda.cudaMalloc(16))
done(cuda.cudaMemset(memory, 0, 16))
done(cuda.cudaGraphAddMemsetNode(bodies[0], None, 0, {
    "dst": memory, "value": 7, "elementSize": 1, "width": 16, "height": 1}))
instance = PyGPU.cudaGraphExec_t(graph=graph)
stream = PyGPU.cudaStream_t()
done(cuda.cudaGraphLaunch(instance, stream))
done(cuda.cudaStreamSynchronize(stream))
back = np.zeros(16, np.uint8)
done(cuda.cudaMemcpy(back, memory, 16, cuda.cudaMemcpyDeviceToHost))
assert (back == 7).all(), back
"""
    )


def test_what_nodes_lend(on_card) -> None:
    on_card(
        """
graph = PyGPU.cudaGraph_t(flags=0)
given = {
    "poolProps": {"allocType": 1, "location": (1, 0)},
    "accessDescs": [{"location": (1, 0), "flags": 3}], "bytesize": 64,
}
node, params, err = cuda.cudaGraphAddMemAllocNode(graph, None, 0, given)
assert not err, err
lent = done(cuda.cudaGraphMemAllocNodeGetParams(node))
(one,) = lent.accessDescs
assert (int(one.location.type), one.location.id, int(one.flags)) == (1, 0, 3), lent
"""
    )


@pytest.mark.parametrize("kind", [(32, 32, 32, 32, 2), (8, 0, 0, 0, 1), (16, 16, 0, 0, 2)])
def test_copies_with_a_cuda_array_count_its_elements(on_card, kind) -> None:
    """What the check lets through is what the driver takes, and reads to the last byte."""
    size = sum(kind[:4]) // 8
    on_card(
        f"""
size, kind = {size}, {kind}
array = done(cuda.cudaMalloc3DArray(kind, (4, 2, 3), 0))
sent = np.arange(4 * 2 * 3 * size, dtype=np.uint8)
back = np.zeros_like(sent)
for memory, ends, way in ((sent, ("srcPtr", "dstArray"), 1), (back, ("dstPtr", "srcArray"), 2)):
    def copy(memory):
        return cuda.cudaMemcpy3D({{
            ends[0]: (memory, 4 * size, 4, 2), ends[1]: array, "extent": (4, 2, 3), "kind": way}})
    try:
        copy(memory[:-1])
    except ValueError as error:
        assert f"{{sent.size}} needed, {{sent.size - 1}} given" in str(error), error
    else:
        raise AssertionError
    done(copy(memory))
assert (back == sent).all()
assert not cuda.cudaGetLastError()
done(cuda.cudaFreeArray(array))
"""
    )


def test_swapped_results_and_owned_memory(on_card) -> None:
    on_card(
        """
err, device = cuda.cudaGetDevice()
array = PyGPU.zeros(1000, np.float32)
for call in (lambda: cuda.cudaSetDevice(device), lambda: cuda.cudaFree(array)):
    try:
        call()
    except TypeError as error:
        print(error)
    else:
        raise AssertionError
assert (array.get() == 0).all()
"""
    )


def test_streams_of_torch(on_card) -> None:
    pytest.importorskip("torch")
    on_card(
        """
import torch
stream = torch.cuda.Stream()
assert not cuda.cudaStreamSynchronize(stream)
array = PyGPU.zeros(1000, np.float32, stream=stream)
assert (array.get(stream=stream) == 0).all()
class Before:
    cuda_stream = stream.cuda_stream
assert not cuda.cudaStreamSynchronize(Before())
assert int(PyGPU.Stream.of(Before())) == stream.cuda_stream
"""
    )
