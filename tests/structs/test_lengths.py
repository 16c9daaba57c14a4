"""Copies described by a struct never access more than the struct's buffers have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda, hip
from tests.own_interpreter import own_interpreter

# What C accesses: rows of 10 bytes, 5 rows per layer, a box of 4 x 2 x 3 from (1, 2, 3) on.
BOX = ((3 + 3 - 1) * 5 + (2 + 2 - 1)) * 10 + 1 + 4


def copy_3d(prefix: str, end: str, memory: Any) -> dict[str, Any]:
    return {
        f"{end}Ptr": (memory, 10, 10, 5),
        f"{end}Pos": (1, 2, 3),
        "extent": (4, 2, 3),
    }


def drv_3d(end: str, memory: Any, where: str) -> dict[str, Any]:
    kind = {"Host": hip.hipMemoryTypeHost, "Device": hip.hipMemoryTypeDevice}[where]
    return {
        f"{end}MemoryType": kind,
        f"{end}{where}": memory,
        f"{end}Pitch": 10,
        f"{end}Height": 5,
        f"{end}XInBytes": 1,
        f"{end}Y": 2,
        f"{end}Z": 3,
        "WidthInBytes": 4,
        "Height": 2,
        "Depth": 3,
    }


def drv_2d(end: str, memory: Any, where: str) -> dict[str, Any]:
    given = drv_3d(end, memory, where)
    for name in (f"{end}Height", f"{end}Z", "Depth"):
        del given[name]
    return given


def operand(end: str, memory: Any, **more: int) -> dict[str, Any]:
    other = "dst" if end == "src" else "src"
    return {
        end: {"type": cuda.cudaMemcpyOperandTypePointer, "op": {"ptr": {"ptr": memory, **more}}},
        other: {"type": cuda.cudaMemcpyOperandTypePointer, "op": {"ptr": {"ptr": 0x1000}}},
        "extent": (4, 2, 3),
    }


MEMSET = {"pitch": 10, "elementSize": 2, "width": 3, "height": 4}
Call = Callable[[Any], Any]
CALLS: dict[str, tuple[Call, str, int]] = {}


def case(name: str, call: Call, path: str, needed: int) -> None:
    CALLS[name] = call, path, needed


for end in ("src", "dst"):
    path = f"{end}Ptr.ptr"
    case(f"3d {end}", lambda it, e=end: cuda.cudaMemcpy3D(copy_3d("cuda", e, it)), path, BOX)
    case(
        f"3d async {end}",
        lambda it, e=end: cuda.cudaMemcpy3DAsync(cuda.cudaMemcpy3DParms(**copy_3d("c", e, it)), 0),
        path,
        BOX,
    )
    case(f"3d peer {end}", lambda it, e=end: cuda.cudaMemcpy3DPeer(copy_3d("c", e, it)), path, BOX)
    case(f"hip 3d {end}", lambda it, e=end: hip.hipMemcpy3D(copy_3d("hip", e, it)), path, BOX)
    case(
        f"node {end}",
        lambda it, e=end: cuda.cudaGraphAddMemcpyNode(0, None, 0, copy_3d("cuda", e, it)),
        path,
        BOX,
    )
    case(
        f"any node {end}",
        lambda it, e=end: cuda.cudaGraphAddNode(
            0, None, None, 0, {"type": 1, "memcpy": {"copyParams": copy_3d("cuda", e, it)}}
        ),
        f"memcpy.copyParams.{path}",
        BOX,
    )
    case(
        f"set node {end}",
        lambda it, e=end: hip.hipGraphExecMemcpyNodeSetParams(0, 0, copy_3d("hip", e, it)),
        path,
        BOX,
    )
    case(
        f"hip any node {end}",
        lambda it, e=end: hip.hipGraphAddNode(
            0, None, 0, {"type": 1, "memcpy": {"copyParams": copy_3d("hip", e, it)}}
        ),
        f"memcpy.copyParams.{path}",
        BOX,
    )
    for where in ("Host", "Device"):
        case(
            f"drv 3d {end}{where}",
            lambda it, e=end, w=where: hip.hipDrvMemcpy3D(drv_3d(e, it, w)),
            f"{end}{where}",
            BOX,
        )
        case(
            f"drv 2d {end}{where}",
            lambda it, e=end, w=where: hip.hipMemcpyParam2D(drv_2d(e, it, w)),
            f"{end}{where}",
            (2 + 2 - 1) * 10 + 1 + 4,
        )
    case(
        f"batch {end}",
        lambda it, e=end: cuda.cudaMemcpy3DBatchAsync(1, [operand(e, it)], 0, 0),
        f"opList[0].{end}.op.ptr.ptr",
        4 * 2 * 3,
    )
    case(
        f"rows of a batch {end}",
        lambda it, e=end: cuda.cudaMemcpy3DBatchAsync(
            2, [operand("src", 0x1000), operand(e, it, rowLength=9, layerHeight=4)], 0, 0
        ),
        f"opList[1].{end}.op.ptr.ptr",
        ((3 - 1) * 4 + 1) * 9 + 4,
    )
    case(
        f"with attributes {end}",
        lambda it, e=end: cuda.cudaMemcpy3DWithAttributesAsync(operand(e, it), 0, 0),
        f"{end}.op.ptr.ptr",
        4 * 2 * 3,
    )
for name, call in {
    "memset": lambda it: cuda.cudaGraphAddMemsetNode(0, None, 0, {"dst": it, **MEMSET}),
    "set memset": lambda it: cuda.cudaGraphMemsetNodeSetParams(0, {"dst": it, **MEMSET}),
    "hip memset": lambda it: hip.hipGraphAddMemsetNode(0, None, 0, {"dst": it, **MEMSET}),
    "drv memset": lambda it: hip.hipDrvGraphAddMemsetNode(0, None, 0, {"dst": it, **MEMSET}, 0),
}.items():
    case(name, call, "dst", 3 * 10 + 6)
case(
    "any memset",
    lambda it: cuda.cudaGraphAddNode(
        0, None, None, 0, {"type": 2, "memset": {"dst": it, **MEMSET}}
    ),
    "memset.dst",
    3 * 10 + 6,
)
linear = {"resType": cuda.cudaResourceTypeLinear}
case(
    "texture",
    lambda it: cuda.cudaCreateTextureObject(
        {**linear, "res": {"linear": {"devPtr": it, "sizeInBytes": 33}}}, {}, None
    ),
    "res.linear.devPtr",
    33,
)
pitched = {"desc": (32, 0, 0, 0, 2), "width": 5, "height": 3, "pitchInBytes": 64}
case(
    "pitched texture",
    lambda it: cuda.cudaCreateTextureObject(
        {"resType": 3, "res": {"pitch2D": {"devPtr": it, **pitched}}}, {}, None
    ),
    "res.pitch2D.devPtr",
    2 * 64 + 20,
)


@pytest.mark.parametrize("name", CALLS)
def test_a_buffer_of_the_length_is_taken_and_one_byte_less_is_not(name: str) -> None:
    call, path, needed = CALLS[name]
    call(bytearray(needed))
    call(np.zeros(needed, np.uint8))
    for short in (bytearray(needed - 1), np.zeros(needed - 1, np.uint8)):
        with pytest.raises(ValueError, match="is too short") as raised:
            call(short)
        text = str(raised.value)
        assert f"{needed} needed, {needed - 1} given" in text
        assert path in text
    call(0x7000)  # an address has no known length
    call(None)


@pytest.mark.parametrize("module", [cuda, hip])
def test_a_pitched_pointer_by_value(module: Any) -> None:
    prefix = module.__name__.rpartition(".")[2]
    for name in (f"{prefix}Memset3D", f"{prefix}Memset3DAsync"):
        call = getattr(module, name)
        rest = (0,) if name.endswith("Async") else ()
        needed = ((3 - 1) * 5 + 1) * 10 + 4
        call((bytearray(needed), 10, 10, 5), 0, (4, 2, 3), *rest)
        with pytest.raises(ValueError, match=f"'pitchedDevPtr' is too short: {needed} needed"):
            call((bytearray(needed - 1), 10, 10, 5), 0, (4, 2, 3), *rest)


@pytest.fixture
def harmless(has_device: bool) -> None:
    """Invented handles are passed, which a runtime with a device would follow."""
    if has_device:
        pytest.skip("the driver here would follow invented handles")


def test_what_c_does_not_look_at_may_be_short(harmless: None) -> None:
    """In a union only the member that the type names counts; of two places only the one in use."""
    cuda.cudaMemcpy3D({**copy_3d("cuda", "src", bytearray(1)), "srcArray": 0x7000})
    cuda.cudaGraphAddNode(0, None, None, 0, {"type": 4, "memset": {"dst": bytearray(1), **MEMSET}})
    hip.hipMemcpyParam2D({**drv_2d("src", bytearray(1), "Host"), "srcMemoryType": 2})
    cuda.cudaMemcpy3D({**copy_3d("cuda", "dst", bytearray(1)), "extent": (4, 0, 3)})


def test_extents_beyond_all_memory_do_not_wrap_around() -> None:
    given = {"srcPtr": (bytearray(8), 1 << 63, 0, 1 << 62), "extent": (1 << 63, 3, 1 << 62)}
    with pytest.raises(ValueError, match=f"{2**64 - 1} needed, 8 given"):
        cuda.cudaMemcpy3D(given)


def test_a_struct_that_was_written_as_bytes_leads_elsewhere(harmless: None) -> None:
    """What a pointer field was set to doesn't count once its bytes point elsewhere."""
    made = cuda.cudaMemcpy3DParms(**copy_3d("cuda", "src", bytearray(1)))
    memoryview(made)[32:40] = (0x7000).to_bytes(8, "little")
    cuda.cudaMemcpy3D(made)


@own_interpreter(PYGPU_BACKEND="host")
def test_the_elements_of_an_array_count() -> None:
    """With an array the width is given in the array's elements, here of 16 bytes."""
    array, err = cuda.cudaMalloc3DArray((32, 32, 32, 32, 2), (4, 2, 3), 0)
    assert not err, err
    for memory, good in ((np.zeros(383, np.uint8), False), (np.zeros(384, np.uint8), True)):
        for ends in (("srcPtr", "dstArray"), ("dstPtr", "srcArray")):
            given = {ends[0]: (memory, 64, 4, 2), ends[1]: array}
            given |= {"extent": (4, 2, 3), "kind": 4}
            if good:
                assert not cuda.cudaMemcpy3D(given)
                continue
            with pytest.raises(ValueError, match="384 needed, 383 given"):
                cuda.cudaMemcpy3D(given)


@own_interpreter(PYGPU_BACKEND="host")
def test_an_array_of_pygpu_knows_its_length() -> None:
    device = PyGPU.zeros(100, np.uint8)
    host = np.ones(100, np.uint8)
    for width, good in ((100, True), (101, False)):
        for ends in ((device, 0x1000), (0x1000, device[:])):
            given = {
                "dstPtr": (ends[0], width, width, 1),
                "srcPtr": (ends[1], width, width, 1),
                "extent": (width, 1, 1),
                "kind": 4,
            }
            if good:
                given["srcPtr"], given["dstPtr"] = (
                    (memory, width, width, 1) for memory in (host, device)
                )
                assert not cuda.cudaMemcpy3D(given)
                continue
            with pytest.raises(ValueError, match="101 needed, 100 given"):
                cuda.cudaMemcpy3D(given)
    assert (device.get() == 1).all()
