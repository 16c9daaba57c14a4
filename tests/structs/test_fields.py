"""Fields of every kind through attributes, the constructor, dicts, tuples and bytes."""

from __future__ import annotations

import ctypes
import math
import pickle
import platform

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from PyGPU import cuda, hip

U64 = st.integers(0, 2**64 - 1)
EXTENT = st.tuples(U64, U64, U64)
CHANNELS = st.tuples(*[st.integers(-(2**31), 2**31 - 1)] * 4, st.integers(0, 2**32 - 1))


@given(EXTENT)
def test_all_ways_give_the_same(values) -> None:
    names = ("width", "height", "depth")
    named = dict(zip(names, values, strict=True))
    made = cuda.cudaExtent(*values)
    assert made == cuda.cudaExtent(**named)
    assert (made.width, made.height, made.depth) == values
    params = cuda.cudaMemcpy3DParms(extent=values)
    assert params.extent == made
    for form in (made, named, values, list(values), bytes(made)):
        params.extent = (0, 0, 0)
        params.extent = form
        assert params.extent == made
    assert cuda.cudaExtent.from_bytes(bytes(made)) == made
    assert pickle.loads(pickle.dumps(made)) == made


@given(CHANNELS)
def test_signed_fields_and_enumerators(values) -> None:
    made = cuda.cudaChannelFormatDesc(*values)
    assert (made.x, made.y, made.z, made.w, int(made.f)) == values
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(
    ("kind", "field", "least", "most"),
    [
        ("cudaExtent", "width", 0, 2**64 - 1),
        ("cudaPos", "x", 0, 2**64 - 1),
        ("cudaChannelFormatDesc", "x", -(2**31), 2**31 - 1),
        ("cudaMemsetParams", "value", 0, 2**32 - 1),
        ("char1", "x", -128, 127),
        ("uchar1", "x", 0, 255),
        ("short1", "x", -(2**15), 2**15 - 1),
        ("ushort1", "x", 0, 2**16 - 1),
        ("longlong1", "x", -(2**63), 2**63 - 1),
        ("cudaTextureDesc", "filterMode", 0, 2**32 - 1),
    ],
)
def test_ranges(kind: str, field: str, least: int, most: int) -> None:
    made = getattr(cuda, kind)()
    for value in (least, most):
        setattr(made, field, value)
        assert getattr(made, field) == value
    for value in (least - 1, most + 1, 2**200, -(2**200)):
        with pytest.raises(OverflowError, match=rf"{kind}\.{field} = "):
            setattr(made, field, value)
        with pytest.raises(OverflowError, match=rf"{kind}\.{field} = "):
            getattr(cuda, kind)(**{field: value})
    assert getattr(made, field) == most
    for wrong in ("1", 1.5, None, [1]):
        with pytest.raises(TypeError, match=rf"{kind}\.{field} must be an integer"):
            setattr(made, field, wrong)


def test_a_plain_char_has_the_sign_of_the_processor() -> None:
    """HIP's char1 holds a `char`, CUDA's a `signed char`."""
    has_sign = platform.machine() == "x86_64"
    letter, wrong = (-56, 200) if has_sign else (200, -56)
    assert hip.char1(letter).x == letter and bytes(hip.char1(letter)) == b"\xc8"
    with pytest.raises(OverflowError, match=r"char1\.x = "):
        hip.char1(wrong)
    assert cuda.char1(-56).x == -56


def test_enumerators_in_and_out() -> None:
    from enum import IntEnum

    made = cuda.cudaMemcpy3DParms(kind=cuda.cudaMemcpyHostToDevice)
    assert made.kind is cuda.cudaMemcpyHostToDevice
    assert isinstance(made.kind, IntEnum)
    made.kind = 2
    assert made.kind is cuda.cudaMemcpyDeviceToHost
    made.kind = 77
    assert made.kind == 77
    assert type(made.kind) is int


@given(st.floats(width=32), st.floats())
def test_floats(narrow: float, wide: float) -> None:
    def same(one: float, other: float) -> bool:
        return one == other or (math.isnan(one) and math.isnan(other))

    assert same(cuda.float2(narrow, 0).x, narrow)
    assert same(cuda.double2(wide, 0).x, wide)
    made = cuda.double1(wide)
    assert made == cuda.double1.from_bytes(bytes(made))


def test_a_float_that_is_too_large() -> None:
    with pytest.raises(OverflowError, match=r"float1\.x = 1e\+300"):
        cuda.float1(1e300)
    with pytest.raises(OverflowError, match=r"float1\.x = 3\.4028236e\+38"):
        cuda.float1(3.4028236e38)
    assert cuda.float1(3.4028235e38).x == 3.4028234663852886e38  # the nearest float
    assert cuda.float1(math.inf).x == math.inf
    assert cuda.float1(3).x == 3.0
    assert cuda.float1(0.0) == cuda.float1(-0.0)


def test_text() -> None:
    made = cuda.cudaDeviceProp(name="Grün")
    assert made.name == "Grün"
    made.name = b"raw"
    assert made.name == "raw"
    made.name = "x" * 255
    assert made.name == "x" * 255
    with pytest.raises(ValueError, match=r"cudaDeviceProp\.name holds 256 bytes with the NUL"):
        made.name = "x" * 256
    with pytest.raises(ValueError, match="NUL"):
        made.name = "a\0b"
    with pytest.raises(ValueError, match=r"cudaDeviceProp\.name cannot be encoded as UTF-8"):
        made.name = "\ud800"
    with pytest.raises(TypeError, match=r"cudaDeviceProp\.name must be str, not int"):
        made.name = 3
    assert made.name == "x" * 255
    made.name = ""
    assert bytes(made)[:256] == bytes(256)
    assert hip.hipDeviceProp_t(gcnArchName="gfx90a").gcnArchName == "gfx90a"


def test_bytes() -> None:
    made = cuda.cudaIpcMemHandle_t(b"ab\0c")
    assert made.reserved == b"ab\0c" + bytes(60)
    made.reserved = bytearray(range(64))
    assert made.reserved == bytes(range(64))
    with pytest.raises(ValueError, match=r"cudaIpcMemHandle_t\.reserved holds 64 bytes, got 65"):
        made.reserved = bytes(65)
    with pytest.raises(TypeError, match=r"cudaIpcMemHandle_t\.reserved must be bytes, not str"):
        made.reserved = "ab"
    with pytest.raises(TypeError, match="must be bytes"):
        made.reserved = [1, 2]
    assert cuda.cudaGraphEdgeData(1, 2, 3, b"\x04").reserved == b"\x04\0\0\0\0"
    assert cuda.cudaDeviceProp(uuid=(b"u" * 16,)).uuid.bytes == b"u" * 16


def test_bit_fields() -> None:
    made = hip.hipDeviceArch_t(hasDoubles=1, hasDynamicParallelism=1)
    assert int.from_bytes(bytes(made), "little") == 1 << 7 | 1 << 16
    made.hasDoubles = 0
    made.hasWarpVote = True
    assert int.from_bytes(bytes(made), "little") == 1 << 8 | 1 << 16
    with pytest.raises(OverflowError, match=r"hipDeviceArch_t\.hasDoubles = 2"):
        made.hasDoubles = 2


def test_anonymous_members_belong_to_their_owner() -> None:
    made = cuda.cudaGraphNodeParams(type=cuda.cudaGraphNodeTypeMemset, memset={"value": 5})
    assert made.memset.value == 5
    assert cuda.cudaGraphNodeParams.__name__ == "cudaGraphNodeParams"
    made.memset.height = 3
    assert cuda.cudaGraphNodeParams.from_bytes(bytes(made)).memset.height == 3
    # By position a union is its first member, as in C.
    assert cuda.cudaGraphNodeParams(0, (), [7]).reserved1[0] == 7
    with pytest.raises(TypeError, match="at most 4 values, 5 given"):
        cuda.cudaGraphNodeParams(0, (), (), 0, 0)


def test_unions() -> None:
    value = cuda.cudaLaunchAttributeValue(priority=-3)
    assert value.priority == -3
    value.cooperative = 1
    assert value.priority == 1
    with pytest.raises(TypeError, match="union"):
        cuda.cudaLaunchAttributeValue(priority=1, cooperative=1)
    with pytest.raises(ValueError, match="one member at a time"):
        cuda.cudaLaunchAttribute(val={"priority": 1, "cooperative": 1})
    assert cuda.cudaLaunchAttributeValue(priority=1) == cuda.cudaLaunchAttributeValue(cooperative=1)


def test_defaults_of_dim3() -> None:
    assert cuda.dim3() == cuda.dim3(1, 1, 1)
    assert cuda.dim3(x=4) == cuda.dim3(4, 1, 1)
    config = cuda.cudaLaunchConfig_t(gridDim=(2, 3), blockDim=64)
    assert config.gridDim == cuda.dim3(2, 3, 1)
    assert config.blockDim == cuda.dim3(64, 1, 1)
    assert cuda.cudaLaunchConfig_t().gridDim == cuda.dim3()
    for shape in ((4, 5), [4, 5], np.array([4, 5]), cuda.dim3(4, 5), np.array([4, 5, 1], "u1")):
        assert cuda.dim3(shape) == cuda.dim3(4, 5)
    with pytest.raises(ValueError, match=r"dim3 needs 3 values for a dim3, got 4"):
        cuda.dim3((1, 2, 3, 4))
    with pytest.raises(TypeError, match=r"dim3\.x must be an integer, not tuple"):
        cuda.dim3((1, 2), 3)
    config.gridDim = {"y": 5}
    assert config.gridDim == cuda.dim3(1, 5, 1)
    with pytest.raises(ValueError, match=r"cudaLaunchConfig_t\.gridDim needs 3 values"):
        config.gridDim = ()
    # A union has no default, as nobody said that the first member is meant.
    assert bytes(cuda.cudaGraphNodeParams()) == bytes(256)


def test_wrong_structs_and_values() -> None:
    with pytest.raises(TypeError, match=r"cudaMemcpy3DParms\.extent must be a cudaExtent.*cudaPos"):
        cuda.cudaMemcpy3DParms(extent=cuda.cudaPos())
    with pytest.raises(TypeError, match=r"cudaMemcpy3DParms\.extent must be a cudaExtent.* int"):
        cuda.cudaMemcpy3DParms(extent=3)
    with pytest.raises(TypeError, match=r"cudaMemcpy3DParms\.extent must be .* str"):
        cuda.cudaMemcpy3DParms(extent="abc")
    with pytest.raises(ValueError, match=r"cudaMemcpy3DParms\.extent needs 24 bytes, got 3"):
        cuda.cudaMemcpy3DParms(extent=b"abc")
    with pytest.raises(ValueError, match=r"cudaMemcpy3DParms\.extent needs 3 values"):
        cuda.cudaMemcpy3DParms(extent=(1, 2))
    with pytest.raises(TypeError, match=r"cudaMemcpy3DParms\.extent: cudaExtent has no field 'w'"):
        cuda.cudaMemcpy3DParms(extent={"w": 1})
    with pytest.raises(OverflowError, match=r"cudaMemcpy3DParms\.extent\.width = -1"):
        cuda.cudaMemcpy3DParms(extent={"width": -1})
    with pytest.raises(TypeError, match="field names are str"):
        cuda.cudaMemcpy3DParms(extent={1: 1})
    with pytest.raises(TypeError, match="got 'width' twice"):
        cuda.cudaExtent(1, width=2)
    with pytest.raises(AttributeError, match="can't be deleted"):
        del cuda.cudaExtent().width


def test_a_failed_assignment_changes_nothing() -> None:
    made = cuda.cudaMemcpy3DParms(extent=(1, 2, 3))
    before = bytes(made)
    for wrong in ({"width": 9, "height": -1}, (9, 9, -1), {"width": 9, "nothing": 1}):
        with pytest.raises((OverflowError, TypeError)):
            made.extent = wrong
        assert bytes(made) == before
    texture = cuda.cudaTextureDesc(borderColor=[1, 2, 3, 4])
    with pytest.raises(TypeError):
        texture.borderColor = [9, 9, "x"]
    assert texture.borderColor == [1, 2, 3, 4]


def test_padding_does_not_count() -> None:
    one, other = cuda.cudaPointerAttributes(), cuda.cudaMemcpy3DParms()
    size = ctypes.sizeof(ctypes.c_int)
    memoryview(other)[-size:] = b"\xff" * size  # the part after `kind`
    assert other == cuda.cudaMemcpy3DParms()
    assert one == cuda.cudaPointerAttributes()


def test_structs_are_equal_to_their_like_alone() -> None:
    one = cuda.cudaExtent(1, 2, 3)
    for other in (cuda.dim3(1, 2, 3), (1, 2, 3), 5, None):
        assert (one == other, one != other) == (False, True)
    with pytest.raises(TypeError, match="not supported between instances"):
        one < cuda.cudaExtent(2, 2, 3)  # noqa: B015


def test_a_pickle_of_other_bytes_is_refused() -> None:
    """The bytes may be from another version of PyGPU, and would be misread."""
    restore, (api, tag, release, data) = cuda.cudaExtent(1, 2, 3).__reduce__()
    assert restore(api, tag, release, data) == cuda.cudaExtent(1, 2, 3)
    with pytest.raises(
        ValueError, match=r"cudaExtent of release [\d.]+ has 24 bytes here, 23 there"
    ):
        restore(api, tag, release, data[1:])
    with pytest.raises(ValueError, match=f"no struct gone in {api}"):
        restore(api, "gone", release, data)


def test_signature() -> None:
    import inspect

    shown = str(inspect.signature(cuda.cudaMemcpy3DParms))
    assert shown.startswith("(srcArray=None, srcPos={}, srcPtr={}")
    assert str(inspect.signature(cuda.dim3)) == "(x=1, y=1, z=1)"
    assert cuda.cudaExtent.width.__doc__ == "C: size_t width"


def test_repr() -> None:
    assert repr(cuda.cudaExtent(1, 2, 3)) == "cudaExtent(width=1, height=2, depth=3)"
    shown = repr(cuda.cudaMemcpy3DParms(extent=(1, 2, 3)))
    assert "extent=cudaExtent(width=1, height=2, depth=3)" in shown
    # Reserved room for later releases isn't shown.
    assert "reserved" not in repr(cuda.cudaDeviceProp())
    assert "reserved=[7, 0" in repr(cuda.cudaArrayMemoryRequirements(reserved=[7]))
