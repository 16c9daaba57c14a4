"""Video instructions, and other rare ones: against the rules of the PTX ISA, in Python.

A GPU of compute capability 9.0 runs the same, where there is one; what only later ones have runs
on the host alone (`LATER`), and no card has answered for it.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import numpy as np
import pytest

import PyGPU
from tests.host.ptx import test_opcodes
from tests.host.ptx.test_hopper import HEAD, from_small
from tests.host.ptx.test_opcodes import signed
from tests.own_interpreter import own_interpreter

run = functools.partial(test_opcodes.run, head=HEAD)
RANDOM = np.random.default_rng(23)
WORDS = np.concatenate([
    np.array([0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x80008000, 0x7F7F8080, 0x7FFFFFFF,
              0x80000000, 0xFFFFFFFF, 0x01020304, 0xFEDCBA98], np.uint64),
    RANDOM.integers(0, 2**32, 33, dtype=np.uint64),
]).astype(np.uint32)  # fmt: skip
A, B = (one.ravel() for one in np.meshgrid(WORDS, WORDS))
C = np.roll(A, 7) ^ B


def by_python(function: Callable[..., int], *operands: np.ndarray) -> np.ndarray:
    return np.array(
        [function(*map(int, one)) & 0xFFFFFFFF for one in zip(*operands, strict=True)], np.uint32
    )


def compare(instruction: str, function: Callable[..., int]) -> None:
    actual = run(instruction, "b32", [("b32", A), ("b32", B), ("b32", C)])
    assert np.array_equal(actual, by_python(function, A, B, C)), instruction


def number(value: int, bits: int, kind: str) -> int:
    value &= (1 << bits) - 1
    return signed(value, bits) if kind == "s32" else value


def clamp(value: int, bits: int, kind: str) -> int:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind == "s32" else (0, (1 << bits) - 1)
    return min(max(value, low), high)


SELECTED = {"": (0, 32), "b0": (0, 8), "b1": (8, 8), "b2": (16, 8), "b3": (24, 8), "h0": (0, 16),
            "h1": (16, 16)}  # fmt: skip
SIMPLE = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "absdiff": lambda a, b: abs(a - b),
    "min": min,
    "max": max,
}


def suffixed(name: str, part: str) -> str:
    return f"{name}.{part}" if part else name


@own_interpreter("on_devices")
def test_scalar_video_instructions():
    cases = itertools.cycle(["", "b0", "h1", "b3", "h0", "b2", "b1"])
    for operation, function in SIMPLE.items():
        for to, a, b in itertools.product(("u32", "s32"), repeat=3):
            for sat, form in itertools.product((False, True), ("", "add", "min", "max", "merge")):
                x, y = next(cases), next(cases)
                into = next(cases) or "b0" if form == "merge" else ""
                name = f"v{operation}.{to}.{a}.{b}{'.sat' if sat else ''}"
                name += f".{form}" if form not in ("", "merge") else ""
                text = f"{name} {suffixed('%d', into)}, {suffixed('%a', x)}, {suffixed('%b', y)}"

                def expected(p, q, c, x=x, y=y, a=a, b=b, to=to, sat=sat, form=form, into=into,
                             function=function):  # fmt: skip
                    (at, bits), (at_b, bits_b) = SELECTED[x], SELECTED[y]
                    value = function(number(p >> at, bits, a), number(q >> at_b, bits_b, b))
                    begin, size = SELECTED[into]
                    if sat:
                        value = clamp(value, size, to)
                    if form == "add":
                        return value + c
                    if form in ("min", "max"):
                        return SIMPLE[form](number(value, 32, to), number(c, 32, to))
                    if form == "merge":
                        mask = (1 << size) - 1
                        return c & ~(mask << begin) | (value & mask) << begin
                    return value

                compare(text + (", %c;" if form else ";"), expected)


@own_interpreter("on_devices")
def test_video_shifts_comparisons_and_products():
    for mode in ("clamp", "wrap"):
        for name, kind in itertools.product(("vshl", "vshr"), ("u32", "s32")):

            def shifted(a, b, _, mode=mode, name=name, kind=kind):
                by = min(b, 32) if mode == "clamp" else b & 31
                a = number(a, 32, kind)
                return a << by if name == "vshl" else a >> by

            compare(f"{name}.{kind}.{kind}.u32.{mode} %d, %a, %b;", shifted)
    relations = {"eq": "__eq__", "ne": "__ne__", "lt": "__lt__", "le": "__le__", "gt": "__gt__",
                 "ge": "__ge__"}  # fmt: skip
    for relation, method in relations.items():

        def related(a, b, c, method=method):
            return c + int(getattr(number(a >> 8, 8, "s32"), method)(number(b, 16, "u32")))

        compare(f"vset.s32.u32.{relation}.add %d, %a.b1, %b.h0, %c;", related)
    for kinds, sat, scale in itertools.product(("u32.u32", "s32.s32", "u32.s32"), ("", ".sat"),
                                               ("", ".shr7", ".shr15")):  # fmt: skip
        is_signed = "s32" in kinds

        def product(a, b, c, kinds=kinds, sat=sat, scale=scale, is_signed=is_signed):
            first, second = kinds.split(".")
            whole = number(a, 16, first) * number(b >> 16, 16, second)
            whole += number(c, 32, "s32" if is_signed else "u32")
            whole >>= int(scale[4:] or 0)
            return clamp(whole, 32, "s32" if is_signed else "u32") if sat else whole

        compare(f"vmad.u32.{kinds}{sat}{scale} %d, %a.h0, %b.h1, %c;", product)


LANES = {"vadd": SIMPLE["add"], "vsub": SIMPLE["sub"], "vabsdiff": SIMPLE["absdiff"], "vmin": min,
         "vmax": max, "vavrg": lambda a, b: (a + b + (a + b >= 0)) >> 1}  # fmt: skip


@own_interpreter("on_devices")
def test_packed_video_instructions():
    picks = {2: [("", "", ""), ("h1", "h02", "h31")],
             4: [("", "", ""), ("b20", "b3210", "b0715")]}  # fmt: skip
    for (name, function), lanes, to, kind in itertools.product(
        LANES.items(), (2, 4), ("u32", "s32"), ("u32", "s32")
    ):
        for (mask, pick_a, pick_b), form in itertools.product(picks[lanes], ("", ".sat", ".add")):
            if form == ".add" and name != "vabsdiff":
                continue
            text = (f"{name}{lanes}.{to}.{kind}.{kind}{form} {suffixed('%d', mask)}, "
                    f"{suffixed('%a', pick_a)}, {suffixed('%b', pick_b)}, %c;")  # fmt: skip
            bits = 32 // lanes

            def expected(a, b, c, mask=mask, pick_a=pick_a, pick_b=pick_b, bits=bits, to=to,
                         lanes=lanes, kind=kind, form=form, function=function):  # fmt: skip
                both = b << 32 | a
                result = c
                for lane in range(lanes):
                    if mask and str(lane) not in mask:
                        continue
                    x = int(pick_a[-1 - lane]) if pick_a else lane
                    y = int(pick_b[-1 - lane]) if pick_b else lanes + lane
                    value = function(number(both >> x * bits, bits, kind),
                                     number(both >> y * bits, bits, kind))  # fmt: skip
                    if form == ".add":
                        result += value
                        continue
                    if form == ".sat":
                        value = clamp(value, bits, to)
                    ones = (1 << bits) - 1
                    result = result & ~(ones << lane * bits) | (value & ones) << lane * bits
                return result

            compare(text, expected)


# ---- integers
def halves_of(function: Callable[[int, int], int], kind: str) -> Callable[..., int]:
    def both(a, b, _):
        low, high = (
            function(number(a >> s, 16, kind), number(b >> s, 16, kind)) & 0xFFFF for s in (0, 16)
        )
        return low | high << 16

    return both


@own_interpreter("on_devices")
def test_rare_forms_of_integers():
    for operation in ("and", "or"):

        def joined(a, b, c, operation=operation):
            whole = (a & b) ^ c
            other = a & 1
            return whole ^ (0x10000 if (other and whole != 0 if operation == "and"
                                        else other or whole != 0) else 0)  # fmt: skip

        compare(
            "and.b32 %d, %a, 1; setp.ne.u32 %q1, %d, 0; "
            f"lop3.{operation}.b32 %d|%q2, %a, %b, %c, 0x6a, %q1; @%q2 xor.b32 %d, %d, 0x10000;",
            joined,
        )

    def mad(a, b, c):
        high = signed(a, 24) * signed(b, 24) >> 16
        return clamp(number(high, 32, "s32") + signed(c, 32), 32, "s32")

    compare("mad24.hi.sat.s32 %d, %a, %b, %c;", mad)
    relu = {name: lambda a, b, f=f: max(f(a, b), 0) for name, f in (("min", min), ("max", max))}
    for name, function in (("min", min), ("max", max)):
        compare(f"{name}.relu.s32 %d, %a, %b;",
                lambda a, b, _, name=name: relu[name](signed(a, 32), signed(b, 32)))  # fmt: skip
        compare(f"{name}.s16x2.relu %d, %a, %b;", halves_of(relu[name], "s32"))
        compare(f"{name}.s16x2 %d, %a, %b;", halves_of(function, "s32"))
        compare(f"{name}.u16x2 %d, %a, %b;", halves_of(function, "u32"))
    compare("add.u16x2 %d, %a, %b;", halves_of(lambda a, b: a + b, "u32"))
    for kind in ("u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"):
        bits = int(kind[1:])

        def packed(a, b, c, bits=bits, kind=kind):
            mask = (1 << bits) - 1
            high, low = (clamp(signed(x, 32), bits, f"{kind[0]}32") & mask for x in (a, b))
            return high << bits | low | (0 if bits == 16 else c << 2 * bits)

        third = "" if bits == 16 else ", %c"
        of = "" if bits == 16 else ".b32"
        compare(f"cvt.pack.sat.{kind}.s32{of} %d, %a, %b{third};", packed)


# ---- small floats
FORMATS = {"e4m3": (3, 7, 0x7E), "e5m2": (2, 15, 0x7B), "e2m3": (3, 1, 0x1F), "e3m2": (2, 3, 0x1F),
           "e2m1": (1, 1, 0x07)}  # fmt: skip


def all_values(kind: str) -> np.ndarray:
    """The non-negative numbers of a format, by code."""
    mantissa, bias, most = FORMATS[kind]
    codes = np.arange(most + 1)
    high = codes >> mantissa
    digits = (codes & ((1 << mantissa) - 1)) + np.where(high, 1 << mantissa, 0)
    return digits * 2.0 ** (np.maximum(high, 1) - bias - mantissa)


def nearest(kind: str, values: np.ndarray) -> np.ndarray:
    """Codes of the nearest numbers, ties to the even code; NaN by the format's rule."""
    known = all_values(kind)
    sign_bit = 0x80 if kind in ("e4m3", "e5m2") else 0x20 if kind != "e2m1" else 0x08
    size = np.minimum(np.abs(values.astype(np.float64)), known[-1])
    distance = np.abs(size[:, None] - known[None, :])
    best = distance.min(1, keepdims=True)
    codes = np.arange(len(known))
    code = np.where(distance == best, codes + (codes & 1) * 0.5, 1000).argmin(1)
    even = np.where((distance == best) & (codes % 2 == 0), codes, 1000).min(1)
    code = np.where((distance == best).sum(1) == 2, even, code)
    code = np.where(np.signbit(values), code | sign_bit, code)
    return np.where(np.isnan(values), 0x7F if sign_bit == 0x80 else known.size - 1, code)


FLOATS = np.concatenate([
    np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, 448, 449, 464, 465, 57344, 61440, 7.5,
              7.75, 28, 30, 6, 5, 7, 0.25, 0.75, 1.25, -0.0625, 0.03125], np.float32),
    RANDOM.normal(0, 1, 40).astype(np.float32),
    (RANDOM.normal(0, 1, 40) * 2.0 ** RANDOM.integers(-20, 20, 40)).astype(np.float32),
])  # fmt: skip


@own_interpreter("on_devices")
def test_small_floats():
    kinds = ["e4m3", "e5m2"]
    if PyGPU.backend == "host":  # the others are of compute capability 10.0 and later
        kinds = list(FORMATS)
    high, low = (one.ravel() for one in np.meshgrid(FLOATS, FLOATS))
    words = [("b32", high.view(np.uint32)), ("b32", low.view(np.uint32))]
    for kind in kinds:
        shift = 4 if kind == "e2m1" else 8
        to_word = "cvt.u32.u16 %d, h;"
        if kind == "e2m1":
            into = f".reg .b8 y; cvt.rn.satfinite.{kind}x2.f32 y, %a, %b; mov.b16 h, {{y, 0}};"
        else:
            into = f"cvt.rn.satfinite.{kind}x2.f32 h, %a, %b;"
        actual = run(f"{{.reg .b16 h; {into} {to_word}}}", "b32", words)
        expected = nearest(kind, high) << shift | nearest(kind, low)
        assert np.array_equal(actual, expected.astype(np.uint32)), kind
        codes = np.arange(len(all_values(kind)), dtype=np.uint32)
        out = "{.reg .b16 h; cvt.u16.u32 h, %a; "
        out += f"{{.reg .b8 y, z; mov.b16 {{y, z}}, h; cvt.rn.f16x2.{kind}x2 %d, y;}} }}" \
            if kind == "e2m1" else f"cvt.rn.f16x2.{kind}x2 %d, h; }}"  # fmt: skip
        actual = run(out, "b32", [("b32", codes << shift | 1)])
        halves = all_values(kind).astype(np.float16).view(np.uint16).astype(np.uint32)
        assert np.array_equal(actual, halves << 16 | halves[1]), kind
    assert np.array_equal(from_small(np.arange(0x7F), "e4m3"), all_values("e4m3"))


@own_interpreter("on_devices")
def test_finite_results_of_conversions():
    words = [("b32", FLOATS.view(np.uint32))]
    wide = FLOATS.astype(np.float64)
    most = 65504.0
    with np.errstate(over="ignore", invalid="ignore"):
        expected = np.where(np.isnan(wide), np.nan, np.clip(wide, -most, most)).astype(np.float16)
    actual = run("{.reg .b16 h; cvt.rn.satfinite.f16.f32 h, %a; cvt.u32.u16 %d, h;}", "b32", words)
    bits = expected.view(np.uint16).astype(np.uint32)
    assert np.array_equal(actual, np.where(np.isnan(expected), 0x7FFF, bits))
    # To tf32, with 10 bits of mantissa: to the nearest one, ties to even, and by truncation.
    x = FLOATS.view(np.uint32)
    even = (x + 0xFFF + (x >> 13 & 1)) & ~np.uint32(0x1FFF)
    finite = np.isfinite(FLOATS)
    for name, result in (("rn", even), ("rz", x & ~np.uint32(0x1FFF))):
        actual = run(f"cvt.{name}.tf32.f32 %d, %a;", "b32", words)
        assert np.array_equal(actual[finite], result[finite]), name


@own_interpreter("on_host")
def test_what_later_cards_have():
    """Three operands of min and max, redux of floats, exponents alone."""
    a, b, c = (RANDOM.choice(FLOATS, 300) for _ in range(3))
    operands = [("b32", one.view(np.uint32)) for one in (a, b, c)]
    for name, function in (("min", np.fmin), ("max", np.fmax)):
        moves = "mov.b32 x, %a; mov.b32 y, %b; mov.b32 z, %c;"
        actual = run(f"{{.reg .f32 x, y, z; {moves} {name}.f32 x, x, y, z; mov.b32 %d, x;}}",
                     "b32", operands).view(np.float32)  # fmt: skip
        expected = function(function(a, b), c)
        assert np.array_equal(actual, expected, equal_nan=True), name
    values = RANDOM.normal(0, 1, 32).astype(np.float32)
    for name, result in (("min", values.min()), ("max", values.max())):
        actual = run(
            f"{{.reg .f32 x; mov.b32 x, %a; redux.sync.{name}.f32 x, x, 0xffffffff; "
            "mov.b32 %d, x;}",
            "b32", [("b32", values.view(np.uint32))],
        )  # fmt: skip
        assert (actual.view(np.float32) == result).all()
    size = np.abs(FLOATS[FLOATS != 0].astype(np.float64))
    size = size[np.isfinite(size)]
    words = [("b32", size.astype(np.float32).view(np.uint32))]
    for name, rounded in (("rz", np.floor), ("rp", np.ceil)):
        actual = run(f"{{.reg .b16 h; cvt.{name}.satfinite.ue8m0x2.f32 h, %a, %a; "
                     "cvt.u32.u16 %d, h;}", "b32", words)  # fmt: skip
        code = np.clip(rounded(np.log2(size)) + 127, 0, 254).astype(np.uint32)
        assert np.array_equal(actual, code << 8 | code), name


# ---- products of small elements
@own_interpreter("on_devices")
@pytest.mark.parametrize("kind", ["s4", "u4", "b1", "e4m3", "e5m2"])
def test_products_of_small_elements(kind):
    """m16n8: fragments as for mma.m16n8k16, with more elements to a register."""
    bits = {"s4": 4, "u4": 4, "b1": 1}.get(kind, 8)
    k = 256 // bits
    if kind in ("e4m3", "e5m2"):
        codes = RANDOM.integers(0, 8, (24, k)) + (0x38 if kind == "e4m3" else 0x3C) // 8 * 8
        values = from_small(codes, kind)
    else:
        values = RANDOM.integers(
            -8 if kind == "s4" else 0, {"b1": 2, "u4": 16}.get(kind, 8), (24, k)
        )
        codes = values & ((1 << bits) - 1)
    size = 32 // bits
    words = (codes.reshape(24, k // size, size).astype(np.uint64)
             << (bits * np.arange(size, dtype=np.uint64))).sum(-1).astype(np.uint32)  # fmt: skip
    lane = np.arange(32)
    left = np.stack([words[lane // 4 + 8 * (r & 1), lane % 4 + 4 * (r >> 1)] for r in range(4)], -1)
    right = np.stack([words[16 + lane // 4, lane % 4 + 4 * r] for r in range(2)], -1)
    sums = "s32" if bits < 8 else "f32"
    operation = ".and.popc" if kind == "b1" else ""
    reg = "f32" if sums == "f32" else "b32"
    text = f"""{HEAD}.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d) {{
        .reg .b32 %a<4>, %b<2>; .reg .{reg} %d<4>, %z; .reg .u64 %p, %q; .reg .u32 %i;
        mov.u32 %i, %tid.x; mov.{reg} %z, {"0f00000000" if reg == "f32" else "0"};
        ld.param.u64 %p, [a]; mul.wide.u32 %q, %i, 16; add.u64 %p, %p, %q;
        ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%p];
        ld.param.u64 %p, [b]; mul.wide.u32 %q, %i, 8; add.u64 %p, %p, %q;
        ld.global.v2.b32 {{%b0, %b1}}, [%p];
        mma.sync.aligned.m16n8k{k}.row.col.{sums}.{kind}.{kind}.{sums}{operation}
            {{%d0, %d1, %d2, %d3}}, {{%a0, %a1, %a2, %a3}}, {{%b0, %b1}}, {{%z, %z, %z, %z}};
        ld.param.u64 %p, [d]; mul.wide.u32 %q, %i, 16; add.u64 %p, %p, %q;
        st.global.v4.{reg} [%p], {{%d0, %d1, %d2, %d3}}; ret; }}"""
    out = PyGPU.to_gpu(np.zeros((32, 4), np.float32 if reg == "f32" else np.int32))
    kernel = PyGPU.Module(text.encode())["k"]
    arrays = [PyGPU.to_gpu(np.ascontiguousarray(one)) for one in (left, right)]
    kernel(*arrays, out, grid=1, block=32)
    result = np.zeros((16, 8))
    thread, i = np.mgrid[:32, :4]
    result[thread // 4 + 8 * (i // 2), thread % 4 * 2 + i % 2] = out.get()
    expected = values[:16] @ values[16:].T
    assert np.allclose(result, expected, rtol=1e-3 if bits == 8 else 0)
