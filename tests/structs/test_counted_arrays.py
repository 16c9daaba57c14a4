"""Arrays behind pointers, with the count in another field: filled from sequences, or lent by C."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import types
import weakref

import pytest

from PyGPU import cuda, hip


def lent(kind: type, **fields: object) -> tuple[object, object]:
    """A struct as C would give it, with C's arrays, and the objects that keep those alive."""
    made = kind()
    memory = []
    for name, value in fields.items():
        if isinstance(value, ctypes.Array):
            memory.append(value)
            value = ctypes.addressof(value)
        setattr(made, name, value)
    return kind.from_bytes(bytes(made)), memory


def test_the_body_graphs_of_a_conditional_node_are_handles() -> None:
    """NVIDIA's test_cudart_conditional reads them like this."""
    graphs = (ctypes.c_void_p * 2)(0x7000, 0x8000)
    params, memory = lent(cuda.cudaConditionalNodeParams, size=2, phGraph_out=graphs)
    assert params.phGraph_out[0] == cuda.cudaGraph_t(0x7000)
    assert type(params.phGraph_out[0]) is cuda.cudaGraph_t
    assert list(params.phGraph_out) == [cuda.cudaGraph_t(0x7000), cuda.cudaGraph_t(0x8000)]
    assert len(params.phGraph_out) == 2
    assert int(params.phGraph_out) == ctypes.addressof(graphs)
    assert params.phGraph_out == ctypes.addressof(graphs)
    with pytest.raises(IndexError, match="phGraph_out has 2 items"):
        params.phGraph_out[2]
    node = cuda.cudaGraphNodeParams(type=cuda.cudaGraphNodeTypeConditional)
    node.conditional = params
    assert node.conditional.phGraph_out[1] == cuda.cudaGraph_t(0x8000)
    assert cuda.cudaConditionalNodeParams(size=3).phGraph_out == []
    del memory


def test_what_c_lends_no_sequence_fills() -> None:
    params = cuda.cudaConditionalNodeParams(size=1)
    with pytest.raises(TypeError, match=r"phGraph_out must be an address"):
        params.phGraph_out = [cuda.cudaGraph_t(0x7000)]
    assert params.size == 1
    params.phGraph_out = 0x7000  # as if C had given it
    assert int(params.phGraph_out) == 0x7000


@pytest.mark.parametrize(
    ("kind", "name", "count"),
    [
        (cuda.cudaMemAllocNodeParams, "accessDescs", "accessDescCount"),
        (cuda.cudaMemAllocNodeParamsV2, "accessDescs", "accessDescCount"),
        (hip.hipMemAllocNodeParams, "accessDescs", "accessDescCount"),
    ],
)
def test_structs_that_c_lends_are_views(kind: type, name: str, count: str) -> None:
    element = cuda.cudaMemAccessDesc
    items = [element(location=(1, 5), flags=3), element(location=(1, 6), flags=1)]
    memory = ctypes.create_string_buffer(b"".join(bytes(one) for one in items))
    params, kept = lent(kind, **{count: 2, name: memory})
    assert [one.location.id for one in getattr(params, name)] == [5, 6]
    assert int(getattr(params, name)[1].flags) == 1
    ctypes.c_int.from_buffer(memory, 4).value = 7
    assert getattr(params, name)[0].location.id == 7, "C's memory, not a copy"
    del kept


def test_semaphores_of_both_apis() -> None:
    for module, prefix in ((cuda, "cuda"), (hip, "hip")):
        for which in ("Signal", "Wait"):
            kind = getattr(module, f"{prefix}ExternalSemaphore{which}NodeParams")
            handles = (ctypes.c_void_p * 2)(0x1000, 0x2000)
            params, memory = lent(kind, numExtSems=2, extSemArray=handles)
            assert [int(one) for one in params.extSemArray] == [0x1000, 0x2000]
            del memory


def test_nothing_is_read_that_nobody_asked_for() -> None:
    """The address may lead anywhere.

    Text, comparison, copies and pickles only look at the address.
    """
    params = cuda.cudaConditionalNodeParams(size=5, phGraph_out=8)
    assert "<5 items of C's at 0x8>" in repr(params)
    assert params == copy.copy(params)
    assert params.phGraph_out
    assert params.phGraph_out == 8
    node = cuda.cudaGraphNodeParams.from_bytes(b"\x7f" * 256)
    assert "items of C's at 0x7f7f7f7f7f7f7f7f" in repr(node)
    assert pickle.loads(pickle.dumps(params)) == params


def test_what_a_sequence_filled_reads_as_one() -> None:
    priority = {"id": cuda.cudaLaunchAttributePriority, "val": {"priority": 4}}
    config = cuda.cudaLaunchConfig_t(attrs=[priority, {"id": 2, "val": {"cooperative": True}}])
    assert [one.id for one in config.attrs] == [8, 2]
    assert config.attrs[0].val.priority == 4
    config.attrs[0].val.priority = 6
    assert config.attrs[0].val.priority == 6
    config.attrs[1] = priority
    assert config.attrs[1].val.priority == 4
    assert "val=" in repr(config.attrs)
    view, first = config.attrs, config.attrs[0]
    config.attrs = [priority]
    config.attrs = None
    gc.collect()
    assert first.val.priority == 6, "what was read stays"
    assert len(view) == 2
    assert (len(config.attrs), config.attrs[:]) == (0, [])
    other = cuda.cudaLaunchConfig_t(attrs=view)
    assert [one.val.priority for one in other.attrs] == [6, 4]
    assert int(other.attrs) != int(view), "a sequence is copied"
    other.numAttrs = 1
    assert len(other.attrs) == 1


def test_items_keep_what_they_point_to() -> None:
    class Memory(bytearray):
        pass

    memory = Memory(8)
    ended = weakref.ref(memory)
    item = {"id": 1, "val": {"accessPolicyWindow": {"base_ptr": memory, "num_bytes": 8}}}
    config = cuda.cudaLaunchConfig_t(attrs=[item])
    del memory, item
    gc.collect()
    assert ended() is not None
    config.attrs[0].val.accessPolicyWindow.base_ptr = None
    gc.collect()
    assert ended() is None


def test_arrays_that_share_a_count_are_as_long_as_it_says():
    """It doesn't matter which is set last: C reads the same count from each array."""
    kind = cuda.cudaExternalSemaphoreSignalNodeParams
    with pytest.raises(ValueError, match=r"= 3, but 'paramsArray' has 1 items"):
        kind(paramsArray=[{}], extSemArray=[0x1000, 0x2000, 0x3000])
    fitting = kind(paramsArray=[{}, {}], extSemArray=[0x1000, 0x2000])
    assert fitting.numExtSems == len(fitting.paramsArray) == 2
    with pytest.raises(ValueError, match=r"= 3, but 'extSemArray' has 2 items"):
        fitting.paramsArray = [{}, {}, {}]
    for wrong, error in (
        (-1, OverflowError),
        (1.0, TypeError),
        (3, ValueError),
        (2**40, ValueError),
    ):
        with pytest.raises(error, match="numExtSems"):
            fitting.numExtSems = wrong
    assert fitting.numExtSems == len(fitting.paramsArray) == 2


# A struct, its array, the field with the count, the bytes of an item, and a write to an item.
BUFFERS = [
    (cuda.cudaLaunchConfig_t, "attrs", "numAttrs", 72, lambda items: setattr(items[0], "id", 1)),
    (
        cuda.cudaExternalSemaphoreSignalNodeParams,
        "paramsArray",
        "numExtSems",
        144,
        lambda items: setattr(items[0], "flags", 1),
    ),
    (
        cuda.cudaExternalSemaphoreSignalNodeParams,
        "extSemArray",
        "numExtSems",
        8,
        lambda items: items.__setitem__(0, 1 << 40),
    ),
    (
        hip.hipExternalSemaphoreWaitNodeParams,
        "extSemArray",
        "numExtSems",
        8,
        lambda items: items.__setitem__(slice(0, 1), [1 << 40]),
    ),
]


@pytest.mark.parametrize(("kind", "name", "counter", "size", "write"), BUFFERS)
def test_a_buffer_bounds_its_items(kind, name, counter, size, write):
    """A count beyond a buffer is refused, whichever is set last; bytes aren't written to."""
    params = kind()
    setattr(params, name, bytes(2 * size))
    setattr(params, counter, 2)
    items = getattr(params, name)
    assert len(items) == 2
    with pytest.raises(TypeError, match="read-only"):
        write(items)
    with pytest.raises(ValueError, match=rf"= 3, but '{name}' has 2 items"):
        setattr(params, counter, 3)
    before = bytes(params)
    with pytest.raises(ValueError, match=rf"{name} has memory of 1 items, but '{counter}' is 2"):
        setattr(params, name, bytearray(2 * size - 1))
    assert bytes(params) == before
    memory = bytearray(3 * size)
    setattr(params, name, memory)
    write(getattr(params, name))
    assert any(memory)
    assert len(getattr(params, name)) == 2


@pytest.mark.parametrize(("kind", "name", "counter", "size", "write"), BUFFERS)
def test_items_keep_the_buffer_that_they_lie_in(kind, name, counter, size, write):
    class Memory(bytearray):
        pass

    memory, params = Memory(size), kind()
    setattr(params, name, memory)
    setattr(params, counter, 1)
    items, ended = getattr(params, name), weakref.ref(memory)
    setattr(params, name, None)
    del memory, params
    gc.collect()
    write(items)
    assert any(ended())
    del items
    gc.collect()
    assert ended() is None


def test_items_on_a_device_are_not_read():
    """Only C's own code may follow such a pointer; its address is there."""

    interface = {"shape": (8,), "typestr": "|u1", "data": (0x7000, False), "version": 3}
    array = types.SimpleNamespace(__cuda_array_interface__=interface)
    params = cuda.cudaExternalSemaphoreSignalNodeParams()
    params.extSemArray = array
    params.numExtSems = 1
    assert int(params.extSemArray) == 0x7000 and len(params.extSemArray) == 0
