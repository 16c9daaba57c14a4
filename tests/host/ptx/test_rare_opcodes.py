"""Instructions that compilers rarely emit, against Python's arithmetic after the PTX ISA."""

from __future__ import annotations

import itertools
import math
import operator
import struct
from collections.abc import Callable

import numpy as np
import pytest

import PyGPU
from tests.host.ptx.test_opcodes import HEAD, atomic, clamp, dtype_of, edges, run, signed
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")


def nth_set(mask: int, base: int, offset: int) -> int:
    """The place of the n-th set bit, counted from the base upwards or downwards ("fns")."""
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    matches = [at for at in places if mask >> at & 1]
    return matches[abs(offset) - 1] if abs(offset) <= len(matches) else 0xFFFFFFFF


def rounded_to_tf32(bits: int) -> int:
    """The nearest number with ten bits of fraction, ties away from zero ("cvt")."""
    return (bits + 0x1000) & ~0x1FFF & 0xFFFFFFFF


def float_bits(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


def half_bits(bits: int) -> int:
    """The bits of the f16 nearest to an f32."""
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    return struct.unpack("<H", struct.pack("<e", value))[0]


def set_of_halves(a: int, b: int) -> int:
    """1.0 in f16 where the condition holds ("set")."""
    a, b = (np.uint16(one).view(np.float16) for one in (a, b))
    return 0x3C00 if a < b else 0


def flushed(bits: int) -> float:
    """An f32 with subnormal numbers flushed to zero, as .ftz reads it."""
    return np.uint32(bits if bits & 0x7F800000 else bits & 1 << 31).view(np.float32)


def flushed_half(bits: int) -> int:
    return bits if bits & 0x7C00 else bits & 0x8000


def of_flushed(exact: Callable[..., int]) -> Callable[..., int]:
    """Of numbers of f16, with subnormal ones flushed to zero with their sign."""
    return lambda *operands: exact(
        *(float(np.uint16(flushed_half(one)).view(np.float16)) for one in operands)
    )


def with_ftz(exact: Callable[..., float]) -> Callable[..., int]:
    """The same, and the result is flushed, too."""
    return of_flushed(
        lambda *arguments: flushed_half(int(np.float16(exact(*arguments)).view(np.uint16)))
    )


def in_pairs(exact: Callable[..., int]) -> Callable[..., int]:
    return lambda *arguments: (
        exact(*(one & 0xFFFF for one in arguments)) | exact(*(one >> 16 for one in arguments)) << 16
    )


def by_sign(value: float) -> tuple[float, float]:
    """The order of numbers in which -0 comes before +0."""
    return value, math.copysign(1, value)


FLOATS = [float_bits(one) for one in (0.0, -0.0, 1.0, -2.5, 3.14159274, 65504.0, 1 / 3, -1e-20)]
SMALL = [float_bits(one) for one in (0.0, 1e-40, -1e-40, 1e-38, -1e-38, 1e-37)]
HALVES = [0, 0x8000, 1, 0x3C00, 0xBC00, 0x7BFF, 0x7C00, 0xFC00, 0x7E00]
SMALL_HALVES = [0, 0x8000, 1, 0x8001, 0x3FF, 0x83FF, 0x400, 0x8400, 0x3C00, 0xBC00]
SMALL_PAIRS = [one | other << 16 for one in SMALL_HALVES for other in SMALL_HALVES[1:6]]
BASES = [0, 1, 5, 31]
# Arithmetic of f16 with .ftz (PTX ISA, "Half Precision Floating Point Instructions").
HALF_ARITHMETIC = {
    "abs.ftz": (1, abs),
    "neg.ftz": (1, operator.neg),
    "add.ftz": (2, operator.add),
    "sub.ftz": (2, operator.sub),
    "mul.ftz": (2, operator.mul),
    "min.ftz": (2, lambda a, b: min(a, b, key=by_sign)),
    "max.ftz": (2, lambda a, b: max(a, b, key=by_sign)),
    "fma.rn.ftz": (3, lambda a, b, c: a * b + c),
}

# The instruction, the type of its result, its operands with their values, and the expected result.
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
    "set.lt.f16.f16 %d, %a, %b;": ("b16", [("b16", HALVES)] * 2, set_of_halves),
    "set.lt.ftz.u32.f32 %d, %a, %b;": (
        "u32", [("b32", SMALL)] * 2, lambda a, b: 0xFFFFFFFF if flushed(a) < flushed(b) else 0,
    ),
    "setp.lt.s32 %q0, %a, %b; selp.b32 %d, %a, %b, !%q0;": (
        "s32", [("s32", edges("s32"))] * 2, max,
    ),
    "setp.lt.s32 %q0, %a, %b; setp.ge.and.s32 %q1, %a, 0, !%q0; selp.b32 %d, 1, 0, %q1;": (
        "b32", [("s32", edges("s32"))] * 2, lambda a, b: a >= b and a >= 0,
    ),
    "setp.lt.s32 %q0, %a, 0; and.pred %q1, !%q0, 1; selp.b32 %d, 1, 0, %q1;": (
        "b32", [("s32", edges("s32"))], lambda a: a >= 0,
    ),
    "mov.pred %q0, 1; mov.pred %q1, !%q0; selp.b32 %d, %a, 7, %q1;": (
        "b32", [("b32", [1, 2])], lambda a: 7,
    ),
    "setp.eq.u32 %q0, %a, 1; mov.b32 %d, 5; @!%q0 mov.b32 %d, %a; nanosleep.u32 20; pmevent 1;": (
        "b32", [("b32", [1, 2, 3])], lambda a: 5 if a == 1 else a,
    ),
    ".reg .b8 %x, %y; mov.b16 {%x, %y}, %a; mov.b16 %d, {%y, %x};": (
        "b16", [("b16", edges("u16"))], lambda a: a >> 8 | (a & 255) << 8,
    ),
    ".reg .b8 %x<4>; mov.b32 {%x0, %x1, %x2, %x3}, %a; mov.b32 %d, {%x3, %x2, %x1, %x0};": (
        "b32", [("b32", edges("u32"))], lambda a: int.from_bytes(a.to_bytes(4, "little"), "big"),
    ),
    ".reg .b8 %x, %y; .reg .s16 %s; mov.b16 {%x, %y}, %a; cvt.s16.s8 %s, %y; cvt.s32.s16 %d, %s;": (
        "s32", [("b16", edges("u16"))], lambda a: signed(a >> 8, 8),
    ),
    "ld.param.u64 %p, [p_a]; mad.wide.u32 %p, %i, 8, %p; ld.global.v2.u32 {_, %d}, [%p];": (
        "b32", [("b64", edges("u64"))], lambda a: a >> 32,
    ),
    "mov.u64 %p, p_a; ld.param.u64 %p, [%p]; mad.wide.u32 %p, %i, 4, %p; ld.global.u32 %d, [%p];": (
        "b32", [("b32", edges("u32"))], lambda a: a,
    ),
    # PTX ISA, "Half Precision Comparison Instructions".
    "set.lt.ftz.u32.f16 %d, %a, %b;": (
        "u32", [("b16", SMALL_HALVES)] * 2, of_flushed(lambda a, b: 0xFFFFFFFF * (a < b)),
    ),
    "setp.ne.ftz.f16 %q0, %a, %b; selp.u32 %d, 1, 2, %q0;": (
        "u32", [("b16", SMALL_HALVES)] * 2, of_flushed(lambda a, b: 1 if a != b else 2),
    ),
    """setp.lt.ftz.f16x2 %q0|%q1, %a, %b; selp.u32 %t0, 1, 0, %q0; selp.u32 %d, 65536, 0, %q1;
    add.u32 %d, %d, %t0;""": (
        "u32", [("b32", SMALL_PAIRS)] * 2, in_pairs(of_flushed(lambda a, b: int(a < b))),
    ),
}  # fmt: skip
for _name, (_count, _exact) in HALF_ARITHMETIC.items():
    _given = ", ".join(["%d", "%a", "%b", "%c"][: _count + 1])
    RARE[f"{_name}.f16 {_given};"] = ("b16", [("b16", SMALL_HALVES)] * _count, with_ftz(_exact))
    RARE[f"{_name}.f16x2 {_given};"] = (
        "b32", [("b32", SMALL_PAIRS[::7])] * _count, in_pairs(with_ftz(_exact)),
    )  # fmt: skip


@pytest.mark.parametrize("instruction", RARE)
def test_a_rare_instruction(instruction):
    """The result for all combinations of the operands' values."""
    result, arguments, due = RARE[instruction]
    rows = list(itertools.product(*(values for _, values in arguments)))
    operands = [
        (kind, np.array([row[at] for row in rows], dtype_of(kind)))
        for at, (kind, _) in enumerate(arguments)
    ]
    wanted = np.array([due(*row) for row in rows], dtype_of(result))
    np.testing.assert_array_equal(run(instruction, result, operands), wanted)


def test_registers_that_tell_the_place_of_a_thread():
    """The lane masks and the warp's number; %nwarpid is at least the block's number of warps."""
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
    """isspacep is true for generic addresses in the named space, and for no others."""
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


def test_results_fill_wider_registers():
    """By sign or zeros (PTX ISA, "Operand Size Exceeding Instruction-Type Size")."""
    for kind, wide in itertools.product(("s8", "u8", "s16", "u16", "s32", "u32"), (16, 32, 64)):
        bits = int(kind[1:])
        if wide < bits:
            continue
        values = np.array(edges(f"u{bits}"), f"u{bits // 8}")
        due = np.array([int(one) for one in values.view(dtype_of(kind))]).astype(f"u{wide // 8}")
        load = f"""ld.param.u64 %p, [p_a]; mad.wide.u32 %p, %i, {bits // 8}, %p;
            ld.global.{kind} %d, [%p];"""
        pair = f".reg .b{wide} %e; {load.replace('%d, [%p]', '%e, [%p]')} mov.b{wide} %d, %e;"
        for text in (load, pair):
            actual = run(text, f"u{wide}", [(f"b{bits}", values)])
            np.testing.assert_array_equal(actual, due, f"ld.{kind} of {wide}")
        if bits < 32:
            text = f"cvt.{kind}.u32 %d, %a;"
            actual = run(text, f"u{wide}", [("u32", values.astype("u4") | 0x5A5A0000)])
            np.testing.assert_array_equal(actual, due, f"cvt.{kind} of {wide}")


def test_parameters_are_read_into_wider_registers():
    parameter = 0x8182838485868788
    kinds = ("s8", "u8", "s16", "u16", "s32", "u32", "u64")
    reads = "".join(
        f"ld.param.{kind} %v, [v]; st.global.u64 [%p+{8 * at}], %v;"
        for at, kind in enumerate(kinds)
    )
    text = f"""{HEAD}.visible .entry k(.param .u64 p, .param .u64 v) {{
        .reg .b64 %p, %v; ld.param.u64 %p, [p]; {reads} ret; }}"""
    out = PyGPU.zeros(len(kinds), np.uint64)
    PyGPU.Module(text.encode())["k"](out, np.uint64(parameter), grid=1, block=1)
    low = {kind: parameter & ((1 << int(kind[1:])) - 1) for kind in kinds}
    due = [signed(low[kind], int(kind[1:])) if kind[0] == "s" else low[kind] for kind in kinds]
    assert out.get().tolist() == [one & (1 << 64) - 1 for one in due]


def test_words_of_sixteen_bytes_move():
    """mov.b128 packs two halves, copies them, and unpacks them (PTX ISA, "mov")."""
    text = """.version 8.3\n.target sm_90\n.address_size 64
        .visible .entry k(.param .u64 p) {
        .reg .b64 %p, %x, %y; .reg .b128 %w<2>; .reg .u32 %i;
        ld.param.u64 %p, [p]; mov.u32 %i, %tid.x; mad.wide.u32 %p, %i, 16, %p;
        ld.global.v2.b64 {%x, %y}, [%p]; mov.b128 %w0, {%x, %y}; mov.b128 %w1, %w0;
        mov.b128 {%y, %x}, %w1; st.global.v2.b64 [%p], {%x, %y}; ret; }"""
    arguments = np.arange(1, 129, dtype=np.uint64).reshape(64, 2) << np.uint64(33)
    both = PyGPU.to_gpu(arguments)
    PyGPU.Module(text.encode())["k"](both, grid=1, block=64)
    np.testing.assert_array_equal(both.get(), arguments[:, ::-1])


def half_to_float(bits: np.ndarray, kind: str) -> np.ndarray:
    if kind == "f16":
        return bits.view(np.float16).astype(np.float32)
    return (bits.astype(np.uint32) << 16).view(np.float32)


def float_to_half(values: np.ndarray, kind: str) -> np.ndarray:
    """The nearest f16; at ties, the even one."""
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16)
    bits = values.view(np.uint32)
    return (bits + 0x7FFF + (bits >> 16 & 1) >> 16).astype(np.uint16)


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_atomics_add_halves_alone_and_in_pairs(kind, space):
    """With .noftz, so subnormal numbers count, too (PTX ISA, "atom", "red")."""
    infinity = 0x7C00 if kind == "f16" else 0x7F80
    numbers = [0, 1, 3, 0x3C00, 0x3C01, 0x4049, 0x0400, infinity - 1, infinity, 0x1234, 0x3F80]
    numbers += [one | 0x8000 for one in numbers if one < infinity]
    old, b = np.array(list(itertools.product(numbers, numbers)), np.uint16).T.copy()
    with np.errstate(over="ignore"):
        sums = float_to_half(half_to_float(old, kind) + half_to_float(b, kind), kind)
    before, after = atomic(space, f"add.noftz.{kind}", 16, old, b)
    np.testing.assert_array_equal(before, old)
    np.testing.assert_array_equal(after, sums)
    pairs = [
        one.astype(np.uint32) | np.roll(one, 1).astype(np.uint32) << 16 for one in (old, b, sums)
    ]
    before, after = atomic(space, f"add.noftz.{kind}x2", 32, *pairs[:2])
    np.testing.assert_array_equal(before, pairs[0])
    np.testing.assert_array_equal(after, pairs[2])


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("space", ["global", "shared"])
def test_atomics_add_subnormal_numbers_in_shared_memory_only(space, generic):
    """In global memory, f32 treats them as zeros with their sign (PTX ISA, "atom", "red")."""
    old, b = np.array(list(itertools.product(SMALL, SMALL)), np.uint32).T.copy()
    before, after = atomic(space, "add.f32", 32, old, b, generic=generic)
    np.testing.assert_array_equal(before, old)
    if space == "shared":
        sums = old.view(np.float32) + b.view(np.float32)
    else:
        of = [np.array([flushed(int(one)) for one in values]) for values in (old, b)]
        sums = np.array([flushed(int(one)) for one in (of[0] + of[1]).view(np.uint32)])
    np.testing.assert_array_equal(after, sums.view(np.uint32))


@pytest.mark.parametrize("space", ["global", "shared"])
def test_halfwords_are_compared_and_exchanged(space):
    values = [0, 1, 0x7FFF, 0x8000, 0xFFFF]
    old, b, c = np.array(list(itertools.product(values, values, [5])), np.uint16).T.copy()
    before, after = atomic(space, "cas.b16", 16, old, b, c)
    np.testing.assert_array_equal(before, old)
    np.testing.assert_array_equal(after, np.where(old == b, c, old))


@pytest.mark.parametrize("kind", ["u32", "u64"])
def test_a_stack_that_is_restored_can_be_taken_again(kind):
    """The loop takes more than the whole stack (PTX ISA, "stacksave", "stackrestore", "alloca")."""
    bits = kind[1:]
    text = f"""{HEAD}.visible .entry k(.param .u64 p, .param .u{bits} size) {{
        .reg .u32 %i, %n, %v, %sum; .reg .u64 %p; .reg .pred %q; .reg .b{bits} %top, %at, %size;
        ld.param.u64 %p, [p]; ld.param.u{bits} %size, [size];
        mov.u32 %i, %tid.x; mad.wide.u32 %p, %i, 4, %p; mov.u32 %n, 0; mov.u32 %sum, 0;
        AGAIN: stacksave.{kind} %top; alloca.{kind} %at, %size, 16;
        add.u32 %v, %n, %i; st.local.u32 [%at], %v; st.local.u32 [%at+124], %n;
        ld.local.u32 %v, [%at]; add.u32 %sum, %sum, %v; and.b{bits} %at, %at, 15;
        cvt.u32.u{bits} %v, %at; mad.lo.u32 %sum, %v, 1000000, %sum;
        stackrestore.{kind} %top; add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 1000; @%q bra AGAIN;
        st.global.u32 [%p], %sum; ret; }}"""
    out = PyGPU.zeros(64, np.uint32)
    size = dtype_of(kind).type(128)
    PyGPU.Module(text.encode())["k"](out, size, grid=1, block=64)
    assert out.get().tolist() == [sum(range(1000)) + 1000 * lane for lane in range(64)]


def test_the_barrier_of_a_cluster_is_that_of_its_one_block():
    """Writes from before a thread arrived are visible after the wait ("barrier.cluster")."""
    text = f"""{HEAD}.visible .entry k(.param .u64 p) {{
        .reg .u32 %i, %v, %a; .reg .u64 %p; .shared .align 4 .b8 room[512];
        ld.param.u64 %p, [p]; mov.u32 %i, %tid.x; mad.wide.u32 %p, %i, 4, %p;
        mov.u32 %a, room; mad.lo.u32 %v, %i, 4, %a; st.shared.u32 [%v], %i;
        barrier.cluster.arrive; barrier.cluster.wait;
        xor.b32 %v, %i, 127; mad.lo.u32 %v, %v, 4, %a; ld.shared.u32 %v, [%v];
        st.global.u32 [%p], %v; ret; }}"""
    out = PyGPU.zeros(128, np.uint32)
    PyGPU.Module(text.encode())["k"](out, grid=1, block=128)
    assert out.get().tolist() == list(range(127, -1, -1))
