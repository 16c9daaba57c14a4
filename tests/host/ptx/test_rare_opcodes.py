"""Instructions that compilers seldom write, against Python's arithmetic after the PTX ISA."""

from __future__ import annotations

import itertools
import struct

import numpy as np
import pytest

import PyGPU
from tests.host.ptx.test_opcodes import HEAD, clamp, dtype_of, edges, run
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")


def nth_set(mask: int, base: int, offset: int) -> int:
    """The place of the n-th set bit from the base on, upwards or downwards ("fns")."""
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [at for at in places if mask >> at & 1]
    return found[abs(offset) - 1] if abs(offset) <= len(found) else 0xFFFFFFFF


def rounded_to_tf32(bits: int) -> int:
    """The nearest number of ten bits of fraction, ties away from zero ("cvt")."""
    return (bits + 0x1000) & ~0x1FFF & 0xFFFFFFFF


def float_bits(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


def half_bits(bits: int) -> int:
    """Of the nearest f16 to a f32."""
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    return struct.unpack("<H", struct.pack("<e", value))[0]


FLOATS = [float_bits(one) for one in (0.0, -0.0, 1.0, -2.5, 3.14159274, 65504.0, 1 / 3, -1e-20)]
BASES = [0, 1, 5, 31]

# The instruction, the type of its result, its operands with their values, and what is due.
RARE = {
    "fns.b32 %d, %a, %b, %c;": (
        "b32", [("b32", edges("u32")), ("b32", BASES), ("s32", [-33, -2, -1, 0, 1, 3, 32, 33])],
        nth_set,
    ),
    "slct.b32.s32 %d, %a, %b, %c;": (
        "b32", [("b32", [1, 2]), ("b32", [3]), ("s32", edges("s32"))],
        lambda a, b, c: a if c >= 0 else b,
    ),
    "slct.b64.f32 %d, %a, %b, %c;": (
        "b64", [("b64", [1, 1 << 40]), ("b64", [3]), ("b32", [*FLOATS, 0x7FC00000])],
        lambda a, b, c: a if (c < 1 << 31 and c != 0x7FC00000) or c == 1 << 31 else b,
    ),
    "set.lt.u32.s32 %d, %a, %b;": (
        "u32", [("s32", edges("s32"))] * 2, lambda a, b: 0xFFFFFFFF if a < b else 0,
    ),
    "set.ge.f32.u32 %d, %a, %b;": (
        "b32", [("u32", edges("u32"))] * 2, lambda a, b: float_bits(1.0) if a >= b else 0,
    ),
    "mad.hi.sat.s32 %d, %a, %b, %c;": (
        "s32", [("s32", edges("s32"))] * 3, lambda a, b, c: clamp((a * b >> 32) + c, "s32"),
    ),
    "cvt.rn.f16x2.f32 %d, %a, %b;": (
        "b32", [("b32", FLOATS)] * 2, lambda a, b: half_bits(a) << 16 | half_bits(b),
    ),
    "cvt.rna.tf32.f32 %d, %a;": (
        "b32", [("b32", [*FLOATS, 0x3F801000, 0x3F800FFF, 0xBF801000])], rounded_to_tf32,
    ),
    "max.xorsign.abs.f32 %d, %a, %b;": (
        "b32", [("b32", FLOATS)] * 2,
        lambda a, b: max(a & 0x7FFFFFFF, b & 0x7FFFFFFF) | (a ^ b) & 1 << 31,
    ),
}  # fmt: skip


@pytest.mark.parametrize("instruction", RARE)
def test_a_rare_instruction(instruction):
    """The result for all combinations of the operands' values."""
    result, given, due = RARE[instruction]
    rows = list(itertools.product(*(values for _, values in given)))
    operands = [
        (kind, np.array([row[at] for row in rows], dtype_of(kind)))
        for at, (kind, _) in enumerate(given)
    ]
    wanted = np.array([due(*row) for row in rows], dtype_of(result))
    np.testing.assert_array_equal(run(instruction, result, operands), wanted)


def test_registers_that_tell_the_place_of_a_thread():
    """The masks of lanes, and the number of the warp; %nwarpid is at least that of the block's."""
    names = ("lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt", "laneid")
    reads = "".join(
        f"mov.u32 %v, %{name}; st.global.u32 [%p+{4 * at}], %v;" for at, name in enumerate(names)
    )
    text = f"""{HEAD}.visible .entry k(.param .u64 p) {{
        .reg .u32 %i, %v; .reg .u64 %p;
        mov.u32 %i, %tid.x; ld.param.u64 %p, [p]; mad.wide.u32 %p, %i, {4 * len(names)}, %p;
        {reads} ret; }}"""
    out = PyGPU.zeros((64, len(names)), np.uint32)
    PyGPU.Module(text.encode())["k"](out, grid=1, block=64)
    lanes = [thread % 32 for thread in range(64)]
    every = (1 << 32) - 1
    wanted = [
        (1 << at, (2 << at) - 1, (1 << at) - 1, every & -1 << at, every & -2 << at, at)
        for at in lanes
    ]
    assert out.get().tolist() == [list(row) for row in wanted]


def test_an_address_knows_its_space():
    """isspacep is true for generic addresses of the space that it names, and for no other."""
    spaces = ("shared", "local", "global")
    checks = "".join(
        f"""cvta.{where}.u64 %a, %{where}_at; isspacep.{asked} %q, %a; selp.u32 %v, 1, 0, %q;
        st.global.u32 [%p+{12 * row + 4 * at}], %v;"""
        for row, where in enumerate(spaces)
        for at, asked in enumerate(spaces)
    )
    text = f"""{HEAD}.visible .entry k(.param .u64 p) {{
        .reg .u32 %v; .reg .u64 %p, %a, %shared_at, %local_at, %global_at; .reg .pred %q;
        .shared .align 4 .b8 in_shared[16]; .local .align 4 .b8 in_local[16];
        ld.param.u64 %p, [p]; mov.u64 %global_at, %p;
        mov.u64 %shared_at, in_shared; mov.u64 %local_at, in_local;
        {checks} ret; }}"""
    out = PyGPU.zeros((3, 3), np.uint32)
    PyGPU.Module(text.encode())["k"](out, grid=1, block=1)
    assert out.get().tolist() == np.eye(3, dtype=int).tolist()
