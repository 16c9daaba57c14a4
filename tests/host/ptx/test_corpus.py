"""CUDA C++ kernels, compiled by NVRTC or nvcc and run from their PTX, compute what numpy does.

A GPU runs the same kernels, where there is one. So the interpreter is compared with a GPU, with
numpy, and with the record of an H200 (record.py). Integers and IEEE operations are compared bit by
bit, the math functions within the bounds of the CUDA C++ Programming Guide ("Mathematical
Functions").
"""

from __future__ import annotations

import math
import pathlib

import numpy as np
import pytest

import PyGPU
from tests.host.device_code import run_compiler
from tests.host.ptx.record import Kernels
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices", PYGPU_HOST_MEMORY="1GiB")
CORPUS = pathlib.Path(__file__).parent / "corpus"
# The compiler and its target. `fatbin` is nvcc's, compressed with the default method.
VARIANTS = [
    *("nvrtc compute_75", "nvrtc compute_80", "nvrtc compute_90"),
    *("nvrtc compute_80 -G", "nvrtc compute_80 -lineinfo"),
    *("nvcc compute_75", "nvcc compute_80 -G", "nvcc compute_90 -lineinfo", "fatbin compute_80"),
]


@pytest.fixture(scope="session", params=VARIANTS)
def variant(request) -> str:
    return request.param


@pytest.fixture(scope="session")
def folder(variant, once, request) -> pathlib.Path:
    """The corpus compiled for that variant, once for all tests."""
    compiler, arch, *options = variant.split()
    tool = request.getfixturevalue("nvrtc" if compiler == "nvrtc" else "nvcc")
    output = ["-ptx", f"-arch={arch}"]
    if compiler == "fatbin":
        output = ["-fatbin", f"-gencode=arch={arch},code={arch}"]

    def make(folder: pathlib.Path) -> None:
        for name in ("basics", "blocks", "numbers", "warps"):
            source = CORPUS / f"{name}.cu"
            if compiler == "nvrtc":
                text = source.read_text()
                code = PyGPU.compiler.compile(text, options, arch, cache=False)
                (folder / name).write_bytes(bytes(code))
            else:
                run_compiler([tool, *output, *options, source, "-o", name], folder)

    return once(f"corpus {variant}", make)


def test_basics(variant, folder):
    kernels, n = Kernels("basics", variant, folder), 1000
    x, y = (kernels.random.random(n, np.float32) for _ in range(2))
    result = kernels.run("saxpy", np.float32(2.5), x, y, np.int32(n), out=y, grid=8, block=128)
    fused = (2.5 * x.astype(np.float64) + y).astype(np.float32)
    assert np.array_equal(result, np.float32(2.5) * x + y if "-G" in variant else fused)

    fibonacci = [0, 1]
    while len(fibonacci) < 13:
        fibonacci.append(sum(fibonacci[-2:]))
    out = np.zeros(64, np.int32)
    result = kernels.run("recursion", out, out=out, block=64)
    assert result.tolist() == [fibonacci[i % 13] for i in range(64)]

    kind, out = kernels.ints(n, 0, 10), np.zeros(n, np.int64)
    result = kernels.run("table_of_branches", kind, out, np.int32(n), out=out, grid=8, block=128)
    cases = [
        lambda v: v * 3 + 1, lambda v: v ^ 0x5555, lambda v: v // 7, lambda v: v % 11, lambda v: -v,
        lambda v: (v << 3) + 6, lambda v: v + 6, lambda v: v * v, lambda v: 77, lambda v: 77,
    ]  # fmt: skip
    assert result.tolist() == [cases[kind[i]](i) for i in range(n)]

    values, out = kernels.ints(n), np.zeros(n, np.int32)
    result = kernels.run("local_arrays", values, out, np.int32(n), out=out, grid=8, block=128)
    windows = np.sort(np.stack([np.roll(values, -k) for k in range(16)]), axis=0)
    expected = (windows * np.arange(1, 17)[:, None]).sum(0) + windows[values & 15, np.arange(n)]
    assert np.array_equal(result, expected)

    out = np.zeros(n, np.int32)
    result = kernels.run("collatz", out, np.int32(n), out=out, grid=8, block=128)

    def steps(v: int) -> int:
        count = 0
        while v != 1:
            v, count = (3 * v + 1 if v & 1 else v // 2), count + 1
        return count

    assert result.tolist() == [steps(i + 1) for i in range(n)]

    pair = np.zeros((), np.dtype([("first", "i2"), ("second", "f8")], align=True))
    pair["first"], pair["second"] = -3, 0.5
    out = np.zeros(8)
    result = kernels.run("by_value", pair[()], np.int8(65), out, out=out, block=8)
    assert np.array_equal(result, -1.5 + 65 + np.arange(8))

    out = np.zeros(4, np.int32)
    for counter in (40, 41):
        result = kernels.run("variables", out, out=out, block=4)
        assert result.tolist() == [counter * one for one in (2, 3, 5, 7)]

    which, out = kernels.ints(64, 0, 3), np.zeros(64, np.int32)
    result = kernels.run("pointers_to_functions", which, out, out=out, block=64)
    i = np.arange(1, 65)
    assert np.array_equal(result, np.choose(which, [2 * i, i * i, -i]))

    result = kernels.run("virtual_functions", out, out=out, block=64)
    i = np.arange(64)
    assert np.array_equal(result, np.where(i % 3, i * i, i * 10))

    result = kernels.run("heap", out, out=out, block=64)
    assert np.array_equal(result, i * (i + 1) // 2)

    fours, small = (
        kernels.random.random((n, 4), np.float32),
        kernels.random.integers(0, 256, (n, 4), np.uint8),
    )
    out, twos = np.zeros((n, 4), np.float32), np.zeros((n, 2), np.int16)
    arguments = (fours, out, small, twos, np.int32(n))
    assert np.array_equal(
        kernels.run("vectors", *arguments, out=out, grid=8, block=128), fours[:, ::-1]
    )
    result = kernels.run("vectors", *arguments, out=twos, grid=8, block=128)
    b = small.astype(int)
    assert np.array_equal(
        result, np.stack([b[:, 0] - b[:, 1], b[:, 2] * b[:, 3]], 1).astype(np.int16)
    )

    out = np.zeros(3 * 2 * 2 * 4 * 3 * 2, np.int32)
    result = kernels.run("shapes", out, out=out, grid=(3, 2, 2), block=(4, 3, 2))
    expected = [
        tx + 10 * ty + 100 * tz + 1000 * bx + 10000 * by + 100000 * bz
        for bz in range(2) for by in range(2) for bx in range(3)
        for tz in range(2) for ty in range(3) for tx in range(4)
    ]  # fmt: skip
    assert result.tolist() == expected


def test_blocks(variant, folder):
    kernels = Kernels("blocks", variant, folder)
    values, out = kernels.ints(8 * 256), np.zeros(8, np.int32)
    result = kernels.run("block_sum", values, out, out=out, grid=8, block=256)
    assert np.array_equal(result, values.reshape(8, 256).sum(1))

    for size in (64, 100, 1024):
        values, out = kernels.ints(size), np.zeros(size, np.int32)
        result = kernels.run("scan", values, out, out=out, block=size, shared=8 * size)
        assert np.array_equal(result, np.cumsum(values)), size

    n = 64
    a, b = (kernels.random.integers(-8, 8, (n, n)).astype(np.float32) for _ in range(2))
    c = np.zeros((n, n), np.float32)
    result = kernels.run("matmul", a, b, c, np.int32(n), out=c, grid=(4, 4), block=(16, 16))
    assert np.array_equal(result, a @ b), "sums of small integers are exact"

    a, out = kernels.ints(n * n).reshape(n, n), np.zeros((n, n), np.int32)
    result = kernels.run("transpose", a, out, np.int32(n), out=out, grid=(2, 2), block=(32, 8))
    assert np.array_equal(result, a.T)

    data, out = kernels.random.integers(0, 256, 5000, np.uint8), np.zeros(256, np.uint32)
    result = kernels.run("histogram", data, out, np.int32(5000), out=out, grid=4, block=256)
    assert np.array_equal(result, np.bincount(data, minlength=256))

    values, out = kernels.ints(96), np.zeros(96, np.int32)
    result = kernels.run("counted_barriers", values, out, out=out, block=96)
    expected = (values > 0).all() * 10000 + (values > 90).any() * 1000 + (values & 1).sum()
    assert (result == expected).all()

    out = np.zeros(50, np.int32)
    assert (kernels.run("early_exit", out, out=out, block=100) == 50).all()

    out = np.zeros((4, 32), np.int32)
    result = kernels.run("make_and_take", out, out=out, block=64)
    assert np.array_equal(result, np.arange(4)[:, None] * 100 + np.arange(31, -1, -1))

    out = np.zeros(1, np.int32)
    assert kernels.run("lock_in_a_warp", out, np.int32(3), out=out, grid=2, block=64) == [384]
    assert kernels.run("spin_lock_without_exit", out, out=out, grid=2, block=48) == [96]

    done, out = np.zeros(40, np.int32), np.zeros(40, np.int32)
    result = kernels.run("chain", done, out, out=out, grid=40, block=32)
    assert np.array_equal(result, np.cumsum(np.arange(40)))
    assert kernels.run("chain_back", done, out, out=out, grid=40, block=1).all()

    values, partial, out = kernels.ints(64 * 16), np.zeros(16, np.int32), np.zeros(1, np.int32)
    result = kernels.run("last_block", values, partial, out, out=out, grid=16, block=64)
    assert result == [values.sum()]


def test_warps(variant, folder):
    kernels, n = Kernels("warps", variant, folder), 64
    values, lane = kernels.ints(n, 1), np.arange(64) % 32
    base = np.arange(64) - lane
    out = np.zeros((8, n), np.int32)
    actual = kernels.run("shuffles", values, out, out=out, block=n)

    def taken(source, width=32):
        """The value of the source thread; a thread's own if the source is in another part."""
        first = lane // width * width
        inside = (source >= first) & (source < first + width)
        return values[base + np.where(inside, source, lane)]

    assert np.array_equal(actual[0], values[base + np.arange(64) * 7 % 32])
    assert np.array_equal(actual[1], taken(lane - 3))
    assert np.array_equal(actual[2], taken(lane + 5))
    assert np.array_equal(actual[3], taken(lane ^ 9))
    assert np.array_equal(actual[4], taken(lane // 8 * 8 + 2, 8))
    assert np.array_equal(actual[5], taken(lane - 2, 16))
    assert np.array_equal(actual[6], taken(lane + 1, 4))
    assert np.array_equal(actual[7], taken(lane ^ 6, 8))

    out = np.zeros((7, n), np.uint32)
    actual = kernels.run("votes", values, out, out=out, block=n)
    warps = values.reshape(-1, 32)

    def ballot(holds, lanes=0xFFFFFFFF):
        bits = (holds.reshape(-1, 32).astype(np.uint64) << np.arange(32, dtype=np.uint64)).sum(1)
        return np.repeat(bits, 32) & lanes

    assert np.array_equal(actual[0], ballot(values & 1))
    assert np.array_equal(actual[1], np.repeat((warps > 50).any(1), 32))
    assert np.array_equal(actual[2], np.repeat((warps > 3).all(1), 32))
    same = [ballot((values & 3) == (one & 3))[i] for i, one in enumerate(values)]
    assert np.array_equal(actual[3], same)
    assert (actual[4] == 0xFFFFFFFF).all()
    odd, even = ballot(values & 2 != 0, 0xAAAAAAAA), ballot(values & 4 != 0, 0x55555555)
    assert np.array_equal(actual[5], np.where(lane & 1, odd, even))
    parts = [
        ballot(values < 20)[i].item().bit_count()
        + (one & -one).bit_length()
        + 32 - one.bit_length()
        + int(f"{one:032b}"[::-1], 2)
        for i, one in enumerate(values.tolist())
    ]  # fmt: skip
    assert actual[6].tolist() == [one & 0xFFFFFFFF for one in parts]

    out = np.zeros(n, np.int32)
    actual = kernels.run("halves", values, out, out=out, block=n)
    of_half = values.reshape(-1, 16)
    assert np.array_equal(actual, np.repeat(of_half.sum(1) + (of_half & 1).sum(1), 16))

    actual = kernels.run("gathered_late", values, out, out=out, block=n)
    late = values.astype(np.int64)
    for turn in range(31):
        late = np.where(turn < lane, late * 3 + 1, late)
    assert np.array_equal(actual, late[base + 31 - lane].astype(np.uint32).astype(np.int32))

    out = np.zeros(32, np.int32)
    actual = kernels.run("exchange_by_syncwarp", out, out=out, block=32)
    assert np.array_equal(actual, [*range(231, 215, -1), *range(115, 99, -1)])

    out = np.zeros(n, np.int32)
    actual = kernels.run("some_lanes", values, out, out=out, block=n)
    thirds = np.arange(n) % 3 == 0
    first = [
        values[b + np.flatnonzero(thirds[b : b + 32])[0]] + thirds[b : b + 32].sum() for b in base
    ]
    assert np.array_equal(actual, np.where(thirds, first, 0))

    if "compute_75" not in variant:
        values, out = kernels.ints(n, -100), np.zeros((6, n), np.int32)
        actual = kernels.run("reductions", values, out, out=out, block=n)
        warps = values.reshape(-1, 32)
        expected = [
            warps.sum(1), warps.min(1), warps.view(np.uint32).max(1).view(np.int32),
            *(one.reduce(warps, 1) for one in (np.bitwise_and, np.bitwise_or, np.bitwise_xor)),
        ]  # fmt: skip
        assert np.array_equal(actual, np.repeat(expected, 32, 1))


def same_bits(actual, expected):
    """Equal, including the signs of zeros; any NaN equals any other."""
    expected = expected.astype(actual.dtype)
    return np.array_equal(actual, expected, equal_nan=True) and np.array_equal(
        np.signbit(actual)[~np.isnan(actual)], np.signbit(expected)[~np.isnan(actual)]
    )


SINGLES = np.array(
    [0, -0.0, 1, -1, 0.5, 1.5, 2.5, -2.5, 3e38, -3e38, 1e-40, np.inf, -np.inf, np.nan]
)


def test_single_precision(variant, folder):
    kernels = Kernels("numbers", variant, folder)
    special = np.array(np.meshgrid(SINGLES, SINGLES), np.float32).reshape(2, -1)
    scales = kernels.random.integers(-20, 20, (2, 500))
    wide = np.ldexp(kernels.random.random((2, 500)) - 0.5, scales).astype(np.float32)
    x, y = np.concatenate([special, wide], 1)
    out = np.zeros((19, x.size), np.float32)
    result = kernels.run(
        "single_precision", x, y, out, np.int32(x.size), out=out, grid=8, block=128
    )
    with np.errstate(all="ignore"):
        assert same_bits(result[0], x + y)
        assert same_bits(result[1], x - y)
        assert same_bits(result[2], x * y)
        assert same_bits(result[3], x / y)
        # The product is exact in double. So is its sum, except for ties, which don't occur here.
        assert same_bits(result[4], x.astype(float) * y.astype(float) + 1.25)
        assert same_bits(result[5], np.sqrt(np.abs(x)))
        assert same_bits(result[6], np.float32(1) / y)
        for row, function in ((9, np.floor), (10, np.ceil), (11, np.trunc), (12, np.rint)):
            assert same_bits(result[row], function(x)), function
        assert same_bits(result[7] + 0, np.fmin(x, y) + 0)
        assert same_bits(result[8] + 0, np.fmax(x, y) + 0)
        assert same_bits(result[13], np.copysign(x, y))
        assert same_bits(result[14] + 0, np.fmod(x, y) + 0)
        exact = x.astype(float) + y.astype(float)
        finite = np.isfinite(exact) & np.isfinite(result[0])
        up, down = result[16][finite].astype(float), result[17][finite].astype(float)
        assert (up >= exact[finite]).all() and (down <= exact[finite]).all()
        assert (np.nextafter(down, np.inf, dtype=np.float32) >= up).all()
        assert (np.abs(result[15][finite]) <= np.abs(exact[finite])).all()
        assert same_bits(result[18], np.nan_to_num(np.clip(x, 0, 1), nan=0) + 0)


def test_double_precision(variant, folder):
    kernels = Kernels("numbers", variant, folder)
    special = np.array(np.meshgrid(SINGLES * 1.5, SINGLES)).reshape(2, -1)
    x, y = np.concatenate([special, (kernels.random.random((2, 500)) - 0.5) * 1e5], 1)
    out = np.zeros((12, x.size))
    result = kernels.run(
        "double_precision", x, y, out, np.int32(x.size), out=out, grid=8, block=128
    )
    with np.errstate(all="ignore"):
        for row, expected in enumerate(
            [x + y, x * y, x / y, None, np.sqrt(np.abs(x)), None, np.floor(x), np.rint(x)]
        ):
            assert expected is None or same_bits(result[row], expected), row
        assert same_bits(result[8], x.astype(np.float32))
    for row, low, high in ((9, -(2**63), 2**63 - 1), (10, -(2**31), 2**31 - 1), (11, 0, 2**32 - 1)):
        nan = -(2.0**63) if row == 9 else -(2.0**31) if row == 10 else 2.0**31
        expected = [
            nan
            if math.isnan(one)
            else float(min(max(one if math.isinf(one) else int(one), low), high))
            for one in x.tolist()
        ]
        assert result[row].tolist() == expected, row


def test_math_functions_stay_within_their_bounds(variant, folder):
    kernels = Kernels("numbers", variant, folder)
    x = np.concatenate([kernels.random.uniform(-20, 20, 2000), [0, 1, -1, 80]]).astype(np.float32)
    wide, a = x.astype(np.float64), np.abs(x.astype(np.float64))
    exact = [
        (np.sin(wide), 2), (np.cos(wide), 2), (np.exp(wide), 2),
        (np.log((np.abs(x) + np.float32(1e-3)).astype(float)), 1),
        (np.tanh(wide), 2), (a ** float(np.float32(1.7)), 4),
        (1 / np.sqrt((np.abs(x) + np.float32(0.1)).astype(float)), 2),
        (np.vectorize(math.erf)(wide), 2), (np.arctan2(wide, 2), 3), (np.cbrt(wide), 1),
        (np.vectorize(math.lgamma)((np.abs(x) + np.float32(1)).astype(float)), 6),
    ]  # fmt: skip
    out = np.zeros((len(exact), x.size), np.float32)
    result = kernels.run(
        "functions", x, out, np.int32(x.size), out=out, exact=False, grid=16, block=128
    )
    for row, (expected, ulps) in enumerate(exact):
        with np.errstate(over="ignore"):
            expected32 = expected.astype(np.float32)
        spacing = np.spacing(np.maximum(np.abs(expected32), np.float32(1e-30))).astype(float)
        good = np.isfinite(expected32)
        wrong = np.abs(result[row].astype(float) - expected)[good] > (ulps + 0.5) * spacing[good]
        assert not wrong.any(), (row, x[good][wrong], result[row][good][wrong])

    x = np.concatenate([kernels.random.uniform(-20, 20, 500), [0, 1, -1, 700]])
    a = np.abs(x)
    exact = [
        (np.sin(x), 2), (np.exp(x), 1), (np.log(a + 1e-3), 1), (np.tanh(x), 1), (a**1.7, 2),
        (1 / (x + 100), 0), (np.arctan(x), 2), (np.vectorize(math.erf)(x), 2),
    ]  # fmt: skip
    out = np.zeros((len(exact), x.size))
    result = kernels.run(
        "double_functions", x, out, np.int32(x.size), out=out, exact=False, grid=16, block=128
    )
    for row, (expected, ulps) in enumerate(exact):
        good = np.isfinite(expected)
        off = np.abs(result[row] - expected)[good] / np.spacing(
            np.maximum(np.abs(expected[good]), 1e-300)
        )
        assert off.max() <= ulps + 1, (row, off.max())


def test_half_precision(variant, folder):
    kernels = Kernels("numbers", variant, folder)
    bits = np.concatenate([np.arange(0, 65536, 37), [0x7C00, 0xFC00, 0x7E00, 1, 0x8001]]).astype(
        np.uint16
    )
    x, y = bits.view(np.float16), np.roll(bits, 911).view(np.float16)
    out = np.zeros((10, x.size), np.float16)
    result = kernels.run("half_precision", x, y, out, np.int32(x.size), out=out, grid=16, block=128)
    with np.errstate(all="ignore"):
        a, b = x.astype(np.float64), y.astype(np.float64)
        assert same_bits(result[0], a + b)
        assert same_bits(result[1], a * b)
        fused = [float("nan")] * x.size
        from fractions import Fraction

        for i, (p, q) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
            if math.isfinite(p) and math.isfinite(q):
                exact = Fraction(p) * Fraction(q) + Fraction(p)
                near = np.float16(float(exact))
                fused[i] = float(near)
        finite = np.isfinite(fused)
        close = np.abs(result[2][finite].astype(float) - np.array(fused)[finite])
        assert (close <= np.spacing(np.abs(result[2][finite])).astype(float)).all()
        assert same_bits(result[3], (x.astype(np.float32) * np.float32(3)).astype(np.float16))
        assert same_bits(result[4] + 0, np.fmin(x, y) + 0)
        assert same_bits(result[5], np.where(x < y, x, y))
        assert same_bits(result[6], a + b)
        assert same_bits(result[7], b + b)
        whole = np.nan_to_num(np.rint(a), nan=0, posinf=2**31 - 1, neginf=-(2**31))
        assert same_bits(result[8] + 0, whole.astype(np.float16) + 0)
    assert np.array_equal(result[9].view(np.uint16)[~np.isnan(x)], (bits ^ 0x8000)[~np.isnan(x)])


def test_integers(variant, folder):
    kernels = Kernels("numbers", variant, folder)
    edges = np.array([0, 1, -1, 2, 7, -8, 31, 255, 2**31 - 1, -(2**31), 0x55555555], np.int64)
    special = np.array(np.meshgrid(edges, edges)).reshape(2, -1)
    some = kernels.random.integers(-(2**31), 2**31, (2, 500))
    x, y = np.concatenate([special, some], 1).astype(np.int32)
    out = np.zeros((20, x.size), np.int64)
    result = kernels.run("integers", x, y, out, np.int32(x.size), out=out, grid=8, block=128)

    def signed(value: int, bits: int = 32) -> int:
        value &= (1 << bits) - 1
        return value - (1 << bits) if value >> (bits - 1) else value

    for i, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        u, v = a & 0xFFFFFFFF, b & 0xFFFFFFFF
        both = u.to_bytes(4, "little") + v.to_bytes(4, "little")
        permuted = int.from_bytes(bytes(both[one] for one in (0, 4, 2, 6)), "little")
        expected = [
            signed(a + b), signed(a * b),
            0 if not b else signed(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)),
            u % v if v else 0, a * b, a * b >> 32, u * v >> 32,
            u.bit_count() + 100 * (32 - u.bit_length()), int(f"{u:032b}"[::-1], 2),
            (min(a, b) & 0xFFFFFFFF) ^ max(u, v), permuted,
            (v << (b & 31) | u >> (32 - (b & 31)) if b & 31 else v) & 0xFFFFFFFF,
            (abs(a - b) + 7) & 0xFFFFFFFF, u * v >> 5, a >> (b & 31),
            signed(a, 16) + signed(b, 8), signed(signed(a, 24) * signed(b, 24)),
            signed((((u << 20) * (v << 17)) >> 64), 64),
            int(np.trunc(np.float32(a) * np.float32(0.5))),
            int(np.rint(np.float32(b) * np.float32(0.37))),
        ]  # fmt: skip
        assert result[:, i].tolist() == expected, (a, b)
