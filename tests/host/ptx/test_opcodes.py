"""Instructions with edge-case operands, from handwritten PTX, against Python's own arithmetic."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
SIZES = {"u": "u", "s": "i", "f": "f"}


def dtype_of(kind: str) -> np.dtype:
    """numpy's type for a PTX type: u32, s64, f16, b32."""
    return np.dtype(f"{SIZES.get(kind[0], 'u')}{int(kind[1:]) // 8}")


def run(
    instruction: str, result: str, operands: list[tuple[str, np.ndarray]], head: str = HEAD
) -> np.ndarray:
    """The results of `instruction`, which names %d, %a and %b, for all given operands."""
    count = len(operands[0][1])
    declared, loads = [f".reg .b{result[1:]} %d;"], []
    for name, (kind, _) in zip("abc", operands, strict=False):
        declared.append(f".reg .b{kind[1:]} %{name};")
        loads.append(f"ld.param.u64 %p, [p_{name}]; mad.wide.u32 %p, %i, {int(kind[1:]) // 8}, %p;")
        loads.append(f"ld.global.b{kind[1:]} %{name}, [%p];")
    parameters = ", ".join(f".param .u64 p_{name}" for name in "dabc"[: len(operands) + 1])
    text = f"""{head}.visible .entry k({parameters}, .param .u32 count) {{
        .reg .u32 %i, %n, %t<4>; .reg .u64 %p; .reg .pred %q<3>; {" ".join(declared)}
        mov.u32 %i, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %i, %n, 128, %i;
        ld.param.u32 %n, [count]; setp.ge.u32 %q0, %i, %n; @%q0 exit;
        {" ".join(loads)}
        {instruction}
        ld.param.u64 %p, [p_d]; mad.wide.u32 %p, %i, {int(result[1:]) // 8}, %p;
        st.global.b{result[1:]} [%p], %d;
        ret; }}"""
    out = PyGPU.to_gpu(np.zeros(count, dtype_of(result)))
    arrays = [PyGPU.to_gpu(np.ascontiguousarray(values)) for _, values in operands]
    kernel = PyGPU.Module(text.encode())["k"]
    kernel(out, *arrays, np.uint32(count), grid=-(-count // 128), block=128)
    return out.get()


def edges(kind: str) -> list[int]:
    """Values of an integer type at which wrong implementations fail."""
    bits = int(kind[1:])
    values = {0, 1, 2, 3, 7, 31, 32, 63, 64, 255, (1 << bits) - 1, (1 << bits) - 2, 0xAAAA, 0x5555}
    values |= {1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << (bits - 1)) + 1, 1 << (bits // 2)}
    values |= {0x1234_5678_9ABC_DEF0 & ((1 << bits) - 1)}
    wrapped = {one & ((1 << bits) - 1) for one in values}
    return sorted(signed(one, bits) if kind[0] == "s" else one for one in wrapped)


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def clamp(value: int, kind: str) -> int:
    bits = int(kind[1:])
    low, high = (
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind[0] == "s" else (0, (1 << bits) - 1)
    )
    return min(max(value, low), high)


def quotient(a: int, b: int) -> int | None:
    """None where the ISA leaves the result to the machine."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else None


def remainder(a: int, b: int) -> int | None:
    whole = quotient(a, b)
    return None if whole is None else a - b * whole


def shift(a: int, b: int, kind: str, left: bool) -> int:
    bits = int(kind[1:])
    by = min(b & 0xFFFFFFFF, bits)
    return a << by if left else a >> by


def extract(a: int, b: int, c: int, kind: str) -> int:
    bits, pos, length = int(kind[1:]), b & 255, c & 255
    sign = kind[0] == "s" and length and a >> min(pos + length - 1, bits - 1) & 1
    value = 0
    for at in range(bits):
        one = (a >> (pos + at) & 1) if at < length and pos + at < bits else bool(sign)
        value |= int(one) << at
    return value


def insert(a: int, b: int, pos: int, length: int, bits: int) -> int:
    pos, length = pos & 255, length & 255
    for at in range(min(length, bits)):
        if pos + at < bits:
            b = b & ~(1 << (pos + at)) | (a >> at & 1) << (pos + at)
    return b


def looked_up(table: int, a: int, b: int, c: int) -> int:
    return sum(
        (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i for i in range(32)
    )


INTEGERS: list[tuple[str, str, str, Callable[..., int | None]]] = []
for _kind in ("u16", "s16", "u32", "s32", "u64", "s64"):
    _bits = int(_kind[1:])
    INTEGERS += [
        (f"add.{_kind}", _kind, "ab", lambda a, b: a + b),
        (f"sub.{_kind}", _kind, "ab", lambda a, b: a - b),
        (f"mul.lo.{_kind}", _kind, "ab", lambda a, b: a * b),
        (f"mul.hi.{_kind}", _kind, "ab", lambda a, b, bits=_bits: a * b >> bits),
        (f"div.{_kind}", _kind, "ab", quotient),
        (f"rem.{_kind}", _kind, "ab", remainder),
        (f"min.{_kind}", _kind, "ab", min),
        (f"max.{_kind}", _kind, "ab", max),
        (f"mad.lo.{_kind}", _kind, "abc", lambda a, b, c: a * b + c),
        (f"sad.{_kind}", _kind, "abc", lambda a, b, c: abs(a - b) + c),
    ]
    if _bits > 16:
        INTEGERS += [
            (f"mad.hi.{_kind}", _kind, "abc", lambda a, b, c, bits=_bits: (a * b >> bits) + c),
            (f"bfe.{_kind}", _kind, "auu", lambda a, b, c, kind=_kind: extract(a, b, c, kind)),
        ]
    INTEGERS.append(
        (f"shr.{_kind}", _kind, "au", lambda a, b, kind=_kind: shift(a, b, kind, False))
    )
for _bits in (16, 32, 64):
    _kind = f"b{_bits}"
    INTEGERS += [
        (f"and.{_kind}", _kind, "ab", lambda a, b: a & b),
        (f"or.{_kind}", _kind, "ab", lambda a, b: a | b),
        (f"xor.{_kind}", _kind, "ab", lambda a, b: a ^ b),
        (f"not.{_kind}", _kind, "a", lambda a: ~a),
        (f"cnot.{_kind}", _kind, "a", lambda a: not a),
        (f"shl.{_kind}", _kind, "au", lambda a, b, kind=_kind: shift(a, b, kind, True)),
        (f"abs.s{_bits}", f"s{_bits}", "a", abs),
        (f"neg.s{_bits}", f"s{_bits}", "a", lambda a: -a),
    ]
for _bits in (32, 64):
    _kind = f"b{_bits}"
    INTEGERS += [
        (f"brev.{_kind}", _kind, "a", lambda a, bits=_bits: int(f"{a:0{bits}b}"[::-1], 2)),
    ]
INTEGERS += [
    ("add.sat.s32", "s32", "ab", lambda a, b: clamp(a + b, "s32")),
    ("sub.sat.s32", "s32", "ab", lambda a, b: clamp(a - b, "s32")),
    ("mul24.lo.u32", "u32", "ab", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    ("mul24.hi.s32", "s32", "ab", lambda a, b: signed(a, 24) * signed(b, 24) >> 16),
    ("mad24.lo.s32", "s32", "abc", lambda a, b, c: signed(a, 24) * signed(b, 24) + c),
    ("lop3.b32", "b32", "abc, 0xE8", lambda a, b, c: a & b | a & c | b & c),
    ("lop3.b32", "b32", "abc, 0x1D", lambda a, b, c: looked_up(0x1D, a, b, c)),
    ("shf.l.wrap.b32", "b32", "abc", lambda a, b, c: (b << 32 | a) << (c & 31) >> 32),
    ("shf.r.wrap.b32", "b32", "abc", lambda a, b, c: (b << 32 | a) >> (c & 31)),
    ("shf.l.clamp.b32", "b32", "abc", lambda a, b, c: (b << 32 | a) << min(c, 32) >> 32),
    ("shf.r.clamp.b32", "b32", "abc", lambda a, b, c: (b << 32 | a) >> min(c, 32)),
]  # fmt: skip


def permuted(a: int, b: int, c: int) -> int:
    both, actual = a | b << 32, 0
    for at in range(4):
        select = c >> 4 * at & 15
        byte = both >> 8 * (select & 7) & 255
        actual |= (0xFF if byte >> 7 else 0) << 8 * at if select & 8 else byte << 8 * at
    return actual


INTEGERS.append(("prmt.b32", "b32", "abc", permuted))


def extended(a: int, count: int, kind: str) -> int:
    low = a & ((1 << min(count, 32)) - 1)
    return signed(low, min(count, 32)) if kind == "s32" and count else low


for _kind in ("u32", "s32"):
    INTEGERS += [
        (f"szext.clamp.{_kind}", _kind, "au", lambda a, b, kind=_kind: extended(a, b, kind)),
        (f"szext.wrap.{_kind}", _kind, "au", lambda a, b, kind=_kind: extended(a, b & 31, kind)),
    ]


def operands_of(opcode: str, kinds: list[str]) -> list[tuple[int, ...]]:
    """All pairs of edges. Bit positions and lengths go from 0 to 255 (PTX ISA, "bfi")."""
    values = list(itertools.product(*(edges(one) for one in kinds)))
    first = {"bfe": 1, "bfi": 2}.get(opcode.partition(".")[0])
    return values if first is None else [row for row in values if max(row[first:]) < 256]


def test_integers_at_their_edges():
    for opcode, kind, form, exact in INTEGERS:
        names, _, rest = form.partition(",")
        kinds = ["u32" if one == "u" else kind for one in names]
        values = operands_of(opcode, kinds)
        columns = [
            (one, np.array([row[at] for row in values], dtype_of(one)))
            for at, one in enumerate(kinds)
        ]
        operands = ", ".join(f"%{name}" for name in "abc"[: len(names)])
        actual = run(f"{opcode} %d, {operands}{',' + rest if rest else ''};", kind, columns)
        mask = (1 << int(kind[1:])) - 1
        wrong = [
            (row, int(one) & mask, int(good) & mask)
            for row, one, good in zip(values, actual, (exact(*row) for row in values), strict=True)
            if good is not None and int(one) & mask != int(good) & mask
        ]
        assert not wrong, (opcode, wrong[:3])


def test_results_of_another_width():
    table: list[tuple[str, str, list[str], Callable[..., int]]] = [
        ("mul.wide.s32 %d, %a, %b;", "s64", ["s32", "s32"], lambda a, b: a * b),
        ("mul.wide.u16 %d, %a, %b;", "u32", ["u16", "u16"], lambda a, b: a * b),
        ("mad.wide.u32 %d, %a, %b, %c;", "u64", ["u32", "u32", "u64"], lambda a, b, c: a * b + c),
        ("popc.b64 %d, %a;", "u32", ["u64"], int.bit_count),
        ("clz.b32 %d, %a;", "u32", ["u32"], lambda a: 32 - a.bit_length()),
        ("clz.b64 %d, %a;", "u32", ["u64"], lambda a: 64 - a.bit_length()),
        ("bfind.u32 %d, %a;", "u32", ["u32"], lambda a: a.bit_length() - 1),
        ("bfind.s64 %d, %a;", "u32", ["s64"], lambda a: (~a if a < 0 else a).bit_length() - 1),
        (
            "bfind.shiftamt.u32 %d, %a;", "u32", ["u32"],
            lambda a: 32 - a.bit_length() if a else -1,
        ),
        ("bfi.b32 %d, %a, %b, %c, 9;", "u32", ["u32"] * 3, lambda a, b, c: insert(a, b, c, 9, 32)),
        ("bfi.b64 %d, %a, %b, 60, %c;", "u64", ["u64", "u64", "u32"],
         lambda a, b, c: insert(a, b, 60, c, 64)),
        ("setp.lt.s32 %q1, %a, %b; selp.u32 %d, 1, 0, %q1;", "u32", ["s32", "s32"],
         lambda a, b: a < b),
        ("setp.hi.u64 %q1, %a, %b; selp.u32 %d, 1, 0, %q1;", "u32", ["u64", "u64"],
         lambda a, b: a > b),
        ("setp.ge.s16 %q1|%q2, %a, %b; selp.u32 %t1, 2, 0, %q2; selp.u32 %d, 1, %t1, %q1;",
         "u32", ["s16", "s16"], lambda a, b: 1 if a >= b else 2),
        ("add.cc.u32 %t1, %a, %b; addc.u32 %d, 5, 0;", "u32", ["u32", "u32"],
         lambda a, b: 5 + (a + b >> 32)),
        ("sub.cc.u32 %t1, %a, %b; subc.u32 %d, 5, 0;", "u32", ["u32", "u32"],
         lambda a, b: 5 - (a < b)),
        ("dp4a.s32.u32 %d, %a, %b, %c;", "s32", ["s32", "u32", "s32"],
         lambda a, b, c: c + sum(signed(a >> 8 * i, 8) * (b >> 8 * i & 255) for i in range(4))),
        ("mov.b64 %p, {%a, %b}; mov.b64 {%t1, %t2}, %p; xor.b32 %d, %t1, %t2;", "u32",
         ["u32", "u32"], lambda a, b: a ^ b),
    ]  # fmt: skip
    for text, result, kinds, exact in table:
        values = operands_of(text, kinds)
        columns = [
            (one, np.array([row[at] for row in values], dtype_of(one)))
            for at, one in enumerate(kinds)
        ]
        actual, mask = run(text, result, columns), (1 << int(result[1:])) - 1
        for row, one in zip(values, actual, strict=True):
            got, good = int(one) & mask, int(exact(*row)) & mask
            assert got == good, (text, row, hex(got), hex(good))


def test_integer_conversions():
    kinds = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
    for to, of, sat in itertools.product(kinds, kinds, ("", ".sat")):
        values = edges(of)
        if sat and all(clamp(value, to) == value for value in values):
            continue  # where nothing can saturate, ptxas refuses the modifier
        stored = "u16" if of[1:] == "8" else of
        column = np.array(values, np.int64 if of[0] == "s" else np.uint64).astype(dtype_of(stored))
        result = f"{to[0]}{max(16, int(to[1:]))}"
        actual = run(f"cvt{sat}.{to}.{of} %d, %a;", result, [(stored, column)])
        for value, one in zip(values, actual.tolist(), strict=True):
            bits = int(to[1:])
            expected = clamp(value, to) if sat else value & ((1 << bits) - 1)
            expected = signed(expected, bits) if to[0] == "s" else expected
            assert one == expected, (to, of, sat, value)


REALS = [
    0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 127.5, 255.5, -128.6, 32767.9, 65535.6, 1e5,
    -1e5,
    2147483647.0, 2147483648.0, -2147483648.0, -2147483904.0, 4294967040.0, 4294967296.0, 9.2e18,
    9.3e18, -9.3e18, 1.8e19, 1.9e19, 1e30, -1e30, 1e-40, math.inf, -math.inf, math.nan,
]  # fmt: skip
WHOLE = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}


def test_floats_become_integers_within_the_range():
    """NaN becomes 0; but only the sign bit, if either type has 64 bits (PTX ISA, "cvt")."""
    for of, to, how in itertools.product(
        ("f32", "f64"), ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"), WHOLE
    ):
        column = np.array(REALS, dtype_of(of))
        result = f"{to[0]}{max(16, int(to[1:]))}"
        actual = run(f"cvt.{how}.{to}.{of} %d, %a;", result, [(of, column)])
        bits = int(to[1:])
        for value, one in zip(column.tolist(), actual.tolist(), strict=True):
            if math.isnan(value):
                expected = (1 << (bits - 1)) if of == "f64" or bits == 64 else 0
                expected = signed(expected, bits) if to[0] == "s" else expected
            elif math.isinf(value):
                expected = clamp(1 << 70 if value > 0 else -(1 << 70), to)
            else:
                expected = clamp(WHOLE[how](value), to)
            assert one == expected, (of, to, how, value)


def test_integers_become_floats_in_each_direction():
    from fractions import Fraction

    for of, to, how in itertools.product(
        ("s32", "u32", "s64", "u64"), ("f32", "f64"), ("rn", "rz", "rm", "rp")
    ):
        values = [*edges(of), (1 << 24) + 1, (1 << 25) - 1, (1 << 31) - 65]
        result = run(f"cvt.{how}.{to}.{of} %d, %a;", to, [(of, np.array(values, dtype_of(of)))])
        kind = dtype_of(to).type
        for value, one in zip(values, result, strict=True):
            exact, arguments = Fraction(value), Fraction(float(one))
            up = Fraction(float(np.nextafter(one, kind(np.inf))))
            down = Fraction(float(np.nextafter(one, kind(-np.inf))))
            good = {
                "rn": abs(arguments - exact) <= min(abs(up - exact), abs(down - exact)),
                "rz": abs(arguments) <= abs(exact)
                and (abs(exact) < abs(up if value > 0 else down)),
                "rm": arguments <= exact < up,
                "rp": down < exact <= arguments,
            }[how]
            assert good or arguments == exact, (of, to, how, value, one)


def bits_of(values: Any, kind: str) -> np.ndarray:
    return np.asarray(values, dtype_of(kind)).view(dtype_of("u" + kind[1:]))


def test_comparisons_of_floats_with_nan():
    ordered: dict[str, Callable[[float, float], bool]] = {
        "eq": lambda a, b: a == b, "ne": lambda a, b: a < b or a > b, "lt": lambda a, b: a < b,
        "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    }  # fmt: skip
    values = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]
    pairs = list(itertools.product(values, values))
    for kind in ("f16", "f32", "f64"):
        a, b = (np.array(one, dtype_of(kind)) for one in zip(*pairs, strict=True))
        for name in [*ordered, *(f"{one}u" for one in ordered), "num", "nan"]:
            text = f"setp.{name}.{kind} %q1, %a, %b; selp.u32 %d, 1, 0, %q1;"
            actual = run(text, "u32", [(kind, a), (kind, b)])
            for (x, y), one in zip(pairs, actual, strict=True):
                unordered = math.isnan(x) or math.isnan(y)
                if name in ("num", "nan"):
                    expected = unordered == (name == "nan")
                else:
                    expected = ordered[name.removesuffix("u")](x, y) or (
                        name[-1] == "u" and unordered
                    )
                assert bool(one) == bool(expected), (kind, name, x, y)


def test_modifiers_of_floats():
    """Flushing, clamping, the canonical NaN, and min and max with NaN and zeros."""
    tiny, nan = 1e-40, math.nan
    table = [
        ("add.ftz.f32 %d, %a, %b;", [tiny, -tiny, 1.0], [tiny, 0.0, tiny], [0.0, -0.0 + 0.0, 1.0]),
        ("mul.sat.f32 %d, %a, %b;", [2.0, -2.0, nan, 0.25], [1.0, 1.0, 1.0, 2.0], [1, 0, 0, 0.5]),
        ("min.f32 %d, %a, %b;", [nan, 1.0, 0.0, -0.0], [2.0, nan, -0.0, 0.0], [2, 1, -0.0, -0.0]),
        ("max.f32 %d, %a, %b;", [nan, 1.0, 0.0, -0.0], [2.0, nan, -0.0, 0.0], [2, 1, 0.0, 0.0]),
        ("min.NaN.f32 %d, %a, %b;", [nan, 1.0, 3.0], [2.0, nan, 2.0], [nan, nan, 2]),
        ("copysign.f32 %d, %a, %b;", [-1.0, 1.0], [2.0, -3.0], [-2, 3]),
        ("neg.f32 %d, %a;", [0.0, 1.0], [0.0, 0.0], [-0.0, -1]),
        ("rcp.approx.ftz.f32 %d, %a;", [tiny, -0.0, 4.0], [0.0] * 3, [math.inf, -math.inf, 0.25]),
        ("ex2.approx.f32 %d, %a;", [-math.inf, 3.0, -3.0], [0.0] * 3, [0, 8, 0.125]),
        ("lg2.approx.f32 %d, %a;", [0.0, 8.0, -1.0], [0.0] * 3, [-math.inf, 3, nan]),
        ("sqrt.approx.f32 %d, %a;", [4.0, -1.0, -0.0], [0.0] * 3, [2, nan, -0.0]),
    ]
    for text, a, b, expected in table:
        columns = [("f32", np.array(a, np.float32)), ("f32", np.array(b, np.float32))]
        result, good = run(text, "f32", columns), np.array(expected, np.float32)
        exact = bits_of(result, "f32") == bits_of(good, "f32")
        assert (exact | (np.isnan(result) & np.isnan(good))).all(), (text, result)
    one = [("f32", np.float32([1.1]))]
    assert run("mul.rz.f32 %d, %a, %b;", "f32", one * 2)[0] <= float(np.float32(1.1)) ** 2
    result = run(
        "add.f32 %d, %a, %b;", "f32", [("f32", np.float32([nan])), ("f32", np.float32([1]))]
    )
    assert bits_of(result, "f32").tolist() == [0x7FFFFFFF]


def test_every_half_converts_both_ways():
    halves = np.arange(65536, dtype=np.uint16)
    actual = run("cvt.f32.f16 %d, %a;", "f32", [("b16", halves)])
    good = halves.view(np.float16).astype(np.float32)
    assert np.array_equal(actual, good, equal_nan=True)
    with np.errstate(invalid="ignore"):  # signalling NaNs, and infinity minus infinity
        between = good[:-1] / 2 + good[1:] / 2
    steps = np.concatenate([between, good, np.float32([1e6, -1e6, 1e-9, 65519.9])])
    back = run("cvt.rn.f16.f32 %d, %a;", "b16", [("f32", steps)]).view(np.float16)
    with np.errstate(over="ignore"):
        good = steps.astype(np.float16)
    wrong = ~((back == good) | (np.isnan(back) & np.isnan(good)))
    assert not wrong.any(), (steps[wrong][:3], back[wrong][:3], good[wrong][:3])
    finite = steps[np.isfinite(steps)]
    for how, holds in (
        ("rz", lambda m, v: abs(m) <= abs(v)),
        ("rm", lambda m, v: m <= v),
        ("rp", lambda m, v: m >= v),
    ):
        back = run(f"cvt.{how}.f16.f32 %d, %a;", "b16", [("f32", finite)]).view(np.float16)
        wrong = ~holds(back.astype(np.float64), finite.astype(np.float64))
        assert not wrong.any(), (how, finite[wrong][:3], back[wrong][:3])
    brain = run("cvt.rn.bf16.f32 %d, %a;", "b16", [("f32", finite)])
    bits = finite.view(np.uint32).astype(np.uint64)
    wrong = brain != (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    assert not wrong.any(), (finite[wrong][:3], brain[wrong][:3])


ATOMICS: list[tuple[str, str, Callable[[int, int], int]]] = [
    ("add", "u32", lambda o, b: o + b), ("add", "u64", lambda o, b: o + b), ("min", "s32", min),
    ("max", "u32", max), ("min", "s64", min), ("and", "b32", lambda o, b: o & b),
    ("or", "b64", lambda o, b: o | b), ("xor", "b32", lambda o, b: o ^ b),
    ("exch", "b32", lambda o, b: b), ("inc", "u32", lambda o, b: 0 if o >= b else o + 1),
    ("dec", "u32", lambda o, b: b if o == 0 or o > b else o - 1),
]  # fmt: skip


def atomic(
    space: str, opcode: str, bits: int, *operands: np.ndarray, generic: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The result of atom, with the first operands in memory; what atom and red leave in memory."""
    kind, named = f"b{bits}", "" if generic else f".{space}"
    values = ", ".join(f"%{name}" for name in "bc"[: len(operands) - 1])
    place = (
        f".shared .align 8 .b8 room[1024]; mov.u32 %t0, %tid.x; mul.wide.u32 %p, %t0, 8;"
        f" mov.u64 %p2, room; add.u64 %p, %p, %p2; st.shared.{kind} [%p], %a;"
        if space == "shared"
        else f"ld.param.u64 %p, [p_d]; mad.wide.u32 %p, %i, {bits // 8}, %p;"
        f" st.global.{kind} [%p], %a;"
    )
    turn = f"cvta.{space}.u64 %p, %p;" if generic else ""
    setup = f".reg .u64 %p2; .reg .{kind} %o; {place} {turn}"
    atom = f"{setup} atom{named}.{opcode} %o, [%p], {values};"
    load = f"ld{named}.{kind} %d, [%p];"
    arguments = [(kind, one) for one in operands]
    before, after = (
        run(f"{atom} {then}", kind, arguments) for then in (f"mov.{kind} %d, %o;", load)
    )
    if not opcode.startswith(("exch", "cas")):
        reduced = run(f"{setup} red{named}.{opcode} [%p], {values}; {load}", kind, arguments)
        assert np.array_equal(reduced, after), opcode
    return before, after


@pytest.mark.parametrize("space", ["global", "shared"])
def test_atomics_give_the_old_value_and_leave_the_new_one(space):
    for name, kind, exact in ATOMICS:
        of, bits = edges(kind), int(kind[1:])
        pairs = list(itertools.product(of, of))
        old, b = (np.array(one, dtype_of(kind)) for one in zip(*pairs, strict=True))
        before, after = atomic(space, f"{name}.{kind}", bits, old, b)
        assert before.tolist() == [x & ((1 << bits) - 1) for x, _ in pairs], name
        assert after.tolist() == [exact(x, y) & ((1 << bits) - 1) for x, y in pairs], (name, kind)


def test_what_a_float_is():
    """Zeros count as normal (PTX ISA, "testp")."""
    values = [0.0, -0.0, 1.0, -1e-30, 1e-40, -1e-45, math.inf, -math.inf, math.nan]
    table = {
        "finite": [1, 1, 1, 1, 1, 1, 0, 0, 0],
        "infinite": [0, 0, 0, 0, 0, 0, 1, 1, 0],
        "number": [1, 1, 1, 1, 1, 1, 1, 1, 0],
        "notanumber": [0, 0, 0, 0, 0, 0, 0, 0, 1],
        "normal": [1, 1, 1, 1, 0, 0, 0, 0, 0],
        "subnormal": [0, 0, 0, 0, 1, 1, 0, 0, 0],
    }
    for name, expected in table.items():
        text = f"testp.{name}.f32 %q1, %a; selp.u32 %d, 1, 0, %q1;"
        result = run(text, "u32", [("f32", np.array(values, np.float32))])
        assert result.tolist() == expected, name


def test_asynchronous_copies_fill_up_with_zeros():
    """Words of 16 bytes in shared memory, after a copy of `count` bytes from before the offset.

    A predicate in place of the count ignores the source.
    """
    policy = ".reg .u64 %y; createpolicy.fractional.L2::evict_first.b64 %y, 1.0;"
    for hint, last in (("", ""), (".L2::cache_hint", ", %y")):
        for count in (0, 4, 8, 16, None, "%q1", "!%q1"):
            size = "" if count is None else f", {count}"
            text = f"""{policy if hint else ""} .reg .u32 %s; .shared .align 16 .b8 room[2048];
                mov.u32 %s, %tid.x; shl.b32 %s, %s, 4; mov.u32 %t0, room; add.u32 %s, %s, %t0;
                add.u32 %s, %s, 16;
                mov.u32 %t1, -1; st.shared.v4.b32 [%s+-16], {{%t1, %t1, %t1, %t1}};
                ld.param.u64 %p, [p_a]; setp.ge.u32 %q1, %a, 2;
                cp.async.cg.shared.global{hint} [%s+-16], [%p], 16{size}{last};
                cp.async.wait_all;
                mad.lo.u32 %s, %a, 4, %s; ld.shared.u32 %d, [%s+-16];"""
            result = run(text, "u32", [("u32", np.arange(4, dtype=np.uint32))])
            kept = {None: range(4), "%q1": range(2), "!%q1": range(2, 4)}
            words = kept[count] if count in kept else range(count // 4)
            assert result.tolist() == [at if at in words else 0 for at in range(4)], (hint, count)


def test_wide_integers_are_rounded_once():
    """To bf16 from values that no double can hold: just above a tie, at it, and just below."""
    for kind, top in (("u64", 63), ("s64", 62)):
        half = 1 << (top - 8)
        above, tie, below = ((1 << top) + half + by for by in (1, 0, -1))
        signs = (1, -1) if kind == "s64" else (1,)
        values = np.array(
            [sign * one for sign in signs for one in (above, tie, below)], dtype_of(kind)
        )
        actual = run(f"cvt.rn.bf16.{kind} %d, %a;", "b16", [(kind, values)])
        upper = (1 << top) + 2 * half
        expected = np.float32([sign * one for sign in signs for one in (upper, 1 << top, 1 << top)])
        assert actual.tolist() == (bits_of(expected, "f32") >> 16).tolist(), kind


def test_doubles_are_clamped():
    values = np.array([math.nan, -1.0, -0.0, 0.5, 2.0, math.inf])
    actual = run("cvt.sat.f64.f64 %d, %a;", "f64", [("f64", values)])
    assert bits_of(actual, "f64").tolist() == bits_of([0, 0, 0, 0.5, 1, 1], "f64").tolist()


def test_names_belong_to_the_braces_around_them():
    """Labels, lists of labels, and registers."""
    part = """{{ .reg .u32 %r; to: .branchtargets one, two; brx.idx %a, to;
        one: mov.u32 %r, {}; bra end; two: mov.u32 %r, {}; end: add.u32 %d, %d, %r; }}"""
    text = "mov.u32 %d, 0;" + part.format(1, 2) + part.format(10, 20)
    result = run(text, "u32", [("u32", np.array([0, 1, 0, 1], np.uint32))])
    assert result.tolist() == [11, 22, 11, 22]


def test_constants_are_written_in_several_ways():
    """PTX ISA, "Constants" and "Constant Expressions"."""
    floats = {"1.5e-3": 1.5e-3, "1e+5": 1e5, "-2.5E2": -250.0, "0.5e+1": 5.0}
    floats |= {"0d3FF8000000000000": 1.5}
    floats |= {"0f3FC00000": np.uint64(0x3FC00000).view("f8")}  # no conversion, as on an H100
    for text, expected in floats.items():
        result = run(f"mov.f64 %d, {text};", "f64", [("u32", np.zeros(1, np.uint32))])
        assert result[0] == expected, text
    integers = {
        "0U": 0, "7U": 7, "017": 15, "0b101": 5, "0x1e-3": 27, "0x1E+3": 33, "(1+2)*3": 9,
        "1+2*3": 7, "-(4-6)": 2, "~0": -1, "!5": 0, "!0": 1, "-7/2": -3, "-7 % 3": 0, "7-2-1": 4,
        "1<<33>>1": 1 << 32, "-8>>1": -4, "(.u64)-8>>63": 1, "0x8000000000000000>>63": 1,
        "-1<1": 1, "-1<1U": 0, "3>=3&&2!=2": 0, "6&3|8^1": 11, "1==1||0": 1, "- -3": 3, "5<=4": 0,
        "5 % 3-5<0": 0,
    }  # fmt: skip
    for text, value in integers.items():
        result = run(f"mov.b64 %d, {text};", "s64", [("u32", np.zeros(1, np.uint32))])
        assert result[0] == value, text
    singles = {"1.5": 1.5, "-0.25e1": -2.5, "0d3FF8000000000000": 1.5, "0f3FC00000": 1.5}
    for text, expected in singles.items():
        result = run(f"mov.f32 %d, {text};", "f32", [("u32", np.zeros(1, np.uint32))])
        assert result[0] == expected, text
    text = "ld.param.u64 %p, [p_a]; ld.global.u32 %d, [%p+4*(3-1)];"
    result = run(text, "u32", [("u32", np.arange(3, dtype=np.uint32))])
    assert result[0] == 2


def test_registers_of_vectors_have_elements():
    text = """.reg .v4 .u32 %v; .reg .v2 .b32 %w; ld.param.u64 %p, [p_a]; ld.global.v4.u32 %v, [%p];
        mov.u32 %w.x, %v.y; mov.b32 %w.g, 1000; mad.lo.u32 %d, %v.w, %w.y, %w.r;"""
    result = run(text, "u32", [("u32", np.arange(4, dtype=np.uint32))])
    assert result.tolist() == [3001] * 4


def test_local_variables_are_aligned():
    text = """.local .align 4 .b8 small[4]; .local .align 256 .b8 room[256];
        mov.u64 %p, room; cvt.u32.u64 %d, %p; cvta.local.u64 %p, %p;
        cvt.u32.u64 %t0, %p; or.b32 %d, %d, %t0; and.b32 %d, %d, 255;"""
    result = run(text, "u32", [("u32", np.zeros(64, np.uint32))])
    assert not result.any()


def test_packed_comparisons_give_two_predicates():
    values = np.array([0.0, -0.0, 1.0, -2.0, math.inf, math.nan], np.float16)
    low, high = (one.ravel() for one in np.meshgrid(values, values))
    packed = np.stack([low, high], 1).view(np.uint32).ravel()
    other = np.stack([high, low], 1).view(np.uint32).ravel()
    text = """setp.lt.f16x2 %q1|%q2, %a, %b; selp.u32 %t0, 1, 0, %q1; selp.u32 %d, 2, 0, %q2;
        add.u32 %d, %d, %t0; griddepcontrol.wait; griddepcontrol.launch_dependents;"""
    actual = run(text, "u32", [("u32", packed), ("u32", other)])
    assert actual.tolist() == ((low < high) + 2 * (high < low)).tolist()
    for third in ("%q1", "%q2"):
        text = f"""setp.eq.u32 {third}, %a, %a; setp.lt.and.f16x2 %q1|%q2, %a, %b, {third};
            selp.u32 %t0, 1, 0, %q1; selp.u32 %d, 2, 0, %q2; add.u32 %d, %d, %t0;"""
        actual = run(text, "u32", [("u32", packed), ("u32", other)])
        assert actual.tolist() == ((low < high) + 2 * (high < low)).tolist()


def test_special_registers_are_plausible():
    """Clocks advance, the multiprocessor exists, and the lane is that of the thread.

    The halves of a clock are those of its 64 bits, which are read before and after (PTX ISA,
    "Special Registers"). %total_smem_size includes at least the kernel's own variables.
    """
    goes_on = """mov.u64 %y, {0}; mov.u32 %t0, 100000;
        AGAIN: mov.u64 %z, {0}; setp.gt.u64 %q1, %z, %y; @%q1 bra DONE;
        sub.u32 %t0, %t0, 1; setp.ne.u32 %q2, %t0, 0; @%q2 bra AGAIN; DONE:"""
    low_half = """mov.u64 %y, {0}; mov.u32 %t0, {1}; mov.u64 %z, {0}; sub.u64 %z, %z, %y;
        cvt.u32.u64 %t1, %y; sub.u32 %t0, %t0, %t1; cvt.u64.u32 %y, %t0; setp.le.u64 %q1, %y, %z;"""
    high_half = """mov.u64 %y, {0}; mov.u32 %t0, {1}; mov.u64 %z, {0}; shr.u64 %y, %y, 32;
        shr.u64 %z, %z, 32; cvt.u64.u32 %w, %t0; setp.le.u64 %q2, %y, %w;
        setp.le.and.u64 %q1, %w, %z, %q2;"""
    checks = [
        goes_on.format("%clock64"),
        goes_on.format("%globaltimer"),
        low_half.format("%clock64", "%clock"),
        low_half.format("%globaltimer", "%globaltimer_lo"),
        high_half.format("%clock64", "%clock_hi"),
        high_half.format("%globaltimer", "%globaltimer_hi"),
        "mov.u32 %t0, %smid; mov.u32 %t1, %nsmid; setp.lt.u32 %q1, %t0, %t1;",
        "mov.u32 %t0, %warpid; mov.u32 %t1, %nwarpid; setp.lt.u32 %q1, %t0, %t1;",
        "mov.u32 %t0, %laneid; and.b32 %t1, %i, 31; setp.eq.u32 %q1, %t0, %t1;",
        "mov.u32 %t0, WARP_SZ; setp.eq.u32 %q1, %t0, 32;",
        """.shared .b8 room[100]; st.volatile.shared.u32 [room], 1; mov.u32 %t0, %total_smem_size;
        setp.ge.u32 %q1, %t0, 100;""",
    ]
    for check in checks:
        text = f".reg .u64 %w, %y, %z; {check} selp.u32 %d, 1, 0, %q1;"
        assert run(text, "u32", [("u32", np.zeros(300, np.uint32))]).all(), check


def test_each_launch_has_a_number_of_its_own():
    """All blocks of a grid have the same number (PTX ISA, "%gridid")."""
    launches = [run("mov.u64 %d, %gridid;", "u64", [("u32", np.zeros(300, "u4"))]) for _ in "ab"]
    assert all((one == one[0]).all() for one in launches)
    assert launches[0][0] != launches[1][0]
