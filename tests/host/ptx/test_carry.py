"""The carry flag, as a card has it: one flag, which says "no borrow" after a subtraction."""

from __future__ import annotations

import itertools
import json
import pathlib
import random

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")

HERE = pathlib.Path(__file__).parent
TABLE = json.loads((HERE / "carry-h200.json").read_text())["rows"]

SOURCE = """
template <class T> __device__ void divide(const T *a, const T *b, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[2 * i] = a[i] / b[i];
    out[2 * i + 1] = a[i] % b[i];
}
using natural = unsigned __int128;
extern "C" __global__ void of_naturals(const natural *a, const natural *b, natural *out, int n) {
    divide(a, b, out, n);
}
extern "C" __global__ void of_integers(const __int128 *a, const __int128 *b, __int128 *out, int n) {
    divide(a, b, out, n);
}
"""

# The table's writers, of a and b.
WRITERS = {
    "add.cc": "add.cc.u{bits} %d, %a, %b;",
    "sub.cc": "sub.cc.u{bits} %d, %a, %b;",
    "mad.lo.cc": "mad.lo.cc.u{bits} %d, %a, %b, 7;",
    "mad.hi.cc": "mad.hi.cc.u{bits} %d, %a, %b, -1;",
    "addc.cc": "add.cc.u{bits} %d, %a, %a; addc.cc.u{bits} %d, %a, %b;",
    "subc.cc": "sub.cc.u{bits} %d, %a, 1; subc.cc.u{bits} %d, %a, %b;",
}
READERS = {
    "addc": "addc.u{bits} %c, 0, 0;",
    "subc": "subc.u{bits} %c, 5, 0;",
    "madc.lo": "madc.lo.u{bits} %c, 0, 0, 0;",
}


def run(pair: str, bits: int, a: list[int], b: list[int]) -> list[list[int]]:
    """What reader and writer give, for each a and b."""
    writer, reader = pair.split(" -> ")
    code = (WRITERS[writer] + READERS[reader]).format(bits=bits)
    size = bits // 8
    text = f""".version 8.0\n.target sm_80\n.address_size 64
    .visible .entry k(.param .u64 p) {{
        .reg .u{bits} %a, %b, %c, %d; .reg .u64 %p; .reg .u32 %i;
        ld.param.u64 %p, [p]; mov.u32 %i, %ctaid.x; mad.wide.u32 %p, %i, {4 * size}, %p;
        ld.global.v2.u{bits} {{%a, %b}}, [%p];
        {code}
        st.global.v2.u{bits} [%p+{2 * size}], {{%c, %d}}; ret; }}"""
    values = np.zeros((len(a), 4), f"u{size}")
    values[:, 0], values[:, 1] = a, b
    array = PyGPU.to_gpu(values)
    PyGPU.Module(text.encode())["k"](array, grid=len(a), block=1)
    return array.get()[:, 2:].tolist()


@pytest.mark.parametrize("pair", TABLE)
def test_each_reader_after_each_writer_as_on_a_card(pair):
    """An H200's answers for all pairs of instructions that set and that use the flag."""
    a, b, *_ = zip(*TABLE[pair], strict=True)
    actual = run(pair, 32, list(a), list(b))
    assert actual == [list(row[2:]) for row in TABLE[pair]]


def expected(pair: str, bits: int, a: int, b: int) -> list[int]:
    """What the table amounts to: a - b is a + ~b + 1."""
    writer, reader = pair.split(" -> ")
    size = 1 << bits
    flag = {"addc.cc": a + a >= size, "subc.cc": a >= 1, "sub.cc": True}.get(writer, False)
    if writer.startswith("mad"):
        a, b = (a * b % size, 7) if "lo" in writer else (a * b // size, size - 1)
    total = a + (size - 1 - b if writer.startswith("sub") else b) + flag
    return [total // size + (4 if reader == "subc" else 0), total % size]


@pytest.mark.parametrize("pair", TABLE)
def test_the_flag_of_64_bits_is_the_same(pair):
    """The rule that the table follows holds for wider numbers, too."""
    assert all(expected(pair, 32, *row[:2]) == row[2:] for row in TABLE[pair])
    edges = [0, 1, 2, 5, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]
    a, b = zip(*itertools.product(edges, edges), strict=True)
    actual = run(pair, 64, list(a), list(b))
    assert actual == [expected(pair, 64, *one) for one in zip(a, b, strict=True)]


def numbers(random_: random.Random, signed: bool) -> list[int]:
    actual = []
    for _ in range(600):
        value = random_.getrandbits(random_.randint(1, 127))
        actual.append(-value if signed and random_.random() < 0.5 else value or 1)
    return actual


@pytest.mark.parametrize("signed", [False, True])
def test_division_of_128_bits(signed, nvrtc):
    """NVRTC's code for __int128 mixes sums and differences in one chain of carries."""
    chosen = random.Random(5)
    a = [123456789 * 1000000007, *numbers(chosen, signed)]
    b = [1000, *(one or 1 for one in numbers(chosen, signed))]
    packed = [
        PyGPU.to_gpu(
            np.frombuffer(b"".join((v % 2**128).to_bytes(16, "little") for v in all_), "u8")
        )
        for all_ in (a, b)
    ]
    out = PyGPU.to_gpu(np.zeros(4 * len(a), np.uint64))
    code = PyGPU.compiler.compile(SOURCE, ["--device-int128"], "compute_80", cache=False)
    module, name = PyGPU.Module(code), "of_integers" if signed else "of_naturals"
    module[name](*packed, out, np.int32(len(a)), grid=len(a) // 64 + 1, block=64)
    raw = out.get().tobytes()
    actual = [
        int.from_bytes(raw[at : at + 16], "little", signed=signed) for at in range(0, len(raw), 16)
    ]
    for at, (x, y) in enumerate(zip(a, b, strict=True)):
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        assert actual[2 * at : 2 * at + 2] == [quotient, x - quotient * y], (x, y)
