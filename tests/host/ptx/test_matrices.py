"""What a warp computes on matrices: mma, wmma, ldmatrix and related instructions, against numpy.

Small integers are exact in every format, and so are their sums: results are compared bit by bit.
The layout of mma and ldmatrix fragments comes from tables of the PTX ISA, written here element by
element. Every element has a value of its own.
"""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import PyGPU
from tests.conftest import unavailable
from tests.own_interpreter import own_interpreter

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
CORPUS = pathlib.Path(__file__).parent / "corpus"
RANDOM = np.random.default_rng(11)


def encoded(values: np.ndarray, kind: str) -> np.ndarray:
    """The values, encoded for the C++ kernels."""
    if kind == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    types = {
        "f16": "f2",
        "tf32": "f4",
        "f32": "f4",
        "f64": "f8",
        "s8": "i1",
        "u8": "u1",
        "s32": "i4",
    }
    return values.astype(types[kind])


@pytest.fixture
def compilable(nvrtc):
    """The test is skipped where there is no NVRTC."""


def corpus() -> PyGPU.Module:
    """The corpus's kernels on matrices."""
    source = (CORPUS / "matrices.cu").read_text()
    try:
        return PyGPU.Module(PyGPU.compiler.compile(source, [], "compute_80", cache=False))
    except PyGPU.GPUError as error:
        if "could not open source file" not in str(error):
            raise
        unavailable("no headers of CUDA C++ here (mma.h): pip install nvidia-cuda-crt")


WMMA = [
    "f16_16_16_16_f32", "f16_32_8_16_f32", "f16_8_32_16_f32", "f16_16_16_16_f16",
    "f16_32_8_16_f16", "bf16_16_16_16_f32", "bf16_32_8_16_f32", "bf16_8_32_16_f32",
    "tf32_16_16_8_f32", "s8_16_16_16_s32", "u8_8_32_16_s32", "f64_8_8_4_f64",
]  # fmt: skip


@own_interpreter("on_devices")
def test_wmma_multiplies_as_numpy_does(compilable):
    kernels = corpus()
    for name in WMMA:
        factor, m, n, k, sums = name.split("_")
        m, n, k = int(m), int(n), int(k)
        low = 0 if factor == "u8" else -8
        a, b, c = (RANDOM.integers(low, 9, shape) for shape in ((m, k), (k, n), (m, n)))
        expected = encoded(2 * (a @ b + c), sums)
        for layout, left, right in (("rc", a, b.T), ("cr", a.T, b)):
            arguments = [
                PyGPU.to_gpu(np.ascontiguousarray(encoded(one, kind)))
                for one, kind in ((left, factor), (right, factor), (c, sums), (0 * c, sums))
            ]
            kernels[f"{name}_{layout}"](*arguments, grid=1, block=32)
            assert np.array_equal(arguments[3].get(), expected), (name, layout)


@own_interpreter("on_devices")
def test_a_tiled_product_by_ldmatrix_and_mma(compilable):
    kernels = corpus()
    a, b = (RANDOM.integers(-8, 9, (64, 64)) for _ in range(2))
    left, right = (PyGPU.to_gpu(encoded(one, "f16")) for one in (a, b))
    out = PyGPU.to_gpu(np.zeros((64, 64), np.float32))
    kernels["tiled"](left, right, out, grid=(8, 4), block=32)
    assert np.array_equal(out.get(), a @ b)


# ---- mma
# By the bits of an element of A and B, and the shape: the row and the column of a lane's element i
# of A and of B, from the lane's group and its thread in it (PTX ISA, "Matrix Fragments for
# mma.m16n8k16" and so on).
SHAPES = {
    ("16", (16, 8, 8)): (
        lambda g, t, i: (g + (8 if i >= 2 else 0), 2 * t + (i & 1)),
        lambda g, t, i: (2 * t + i, g),
    ),
    ("16", (16, 8, 16)): (
        lambda g, t, i: (
            g + (0 if i in (0, 1, 4, 5) else 8),
            2 * t + (i & 1) + (8 if i >= 4 else 0),
        ),
        lambda g, t, i: (2 * t + (i & 1) + (8 if i >= 2 else 0), g),
    ),
    ("32", (16, 8, 4)): (
        lambda g, t, i: (g + 8 * i, t),
        lambda g, t, i: (t, g),
    ),
    ("32", (16, 8, 8)): (
        lambda g, t, i: (g + (0 if i in (0, 2) else 8), t + (4 if i >= 2 else 0)),
        lambda g, t, i: (t + 4 * i, g),
    ),
    ("8", (8, 8, 16)): (
        lambda g, t, i: (g, 4 * t + i),
        lambda g, t, i: (4 * t + i, g),
    ),
    ("8", (16, 8, 16)): (
        lambda g, t, i: (g + (8 if i >= 4 else 0), 4 * t + (i & 3)),
        lambda g, t, i: (4 * t + i, g),
    ),
    ("8", (16, 8, 32)): (
        lambda g, t, i: (
            g + (0 if i < 4 or 8 <= i < 12 else 8),
            4 * t + (i & 3) + (16 if i >= 8 else 0),
        ),
        lambda g, t, i: (4 * t + (i & 3) + (16 if i >= 4 else 0), g),
    ),
    ("64", (8, 8, 4)): (lambda g, t, i: (g, t), lambda g, t, i: (t, g)),
}


def of_sum(group: int, thread: int, i: int) -> tuple[int, int]:
    return group + (8 if i >= 2 else 0), 2 * thread + (i & 1)


def fragment(matrix: np.ndarray, place, kind: str) -> np.ndarray:
    """The registers of 32 lanes, from the places of their elements."""
    values = encoded(matrix, kind)
    count = matrix.size // 32
    rows = [[values[place(lane // 4, lane % 4, i)] for i in range(count)] for lane in range(32)]
    width = np.uint64 if kind == "f64" else np.uint32
    return np.array(rows, values.dtype).view(width)


def run(instruction: str, inputs: list[np.ndarray], registers: int, width: int) -> np.ndarray:
    """The contents of registers %d0 and so on, by lane; %a0, %b0, %c0 come from the inputs."""
    declared = [f".reg .b{width} %d<{registers}>;"]
    loads = []
    for name, values in zip("abc", inputs, strict=False):
        bits = values.itemsize * 8
        declared.append(f".reg .b{bits} %{name}<{values.shape[1]}>;")
        loads.append(f"ld.param.u64 %p, [p_{name}];")
        loads.append(f"mad.wide.u32 %p, %i, {values.shape[1] * values.itemsize}, %p;")
        loads += [
            f"ld.global.b{bits} %{name}{at}, [%p+{at * values.itemsize}];"
            for at in range(values.shape[1])
        ]
    stores = [f"st.global.b{width} [%p+{at * width // 8}], %d{at};" for at in range(registers)]
    parameters = ", ".join(f".param .u64 p_{name}" for name in "dabc"[: len(inputs) + 1])
    text = f"""{HEAD}.visible .entry k({parameters}) {{
        .reg .u32 %i; .reg .u64 %p; .reg .b32 %at; {" ".join(declared)}
        .shared .align 16 .b8 room[512];
        mov.u32 %i, %tid.x; {" ".join(loads)}
        {instruction}
        ld.param.u64 %p, [p_d]; mad.wide.u32 %p, %i, {registers * width // 8}, %p;
        {" ".join(stores)}
        ret; }}"""
    out = PyGPU.to_gpu(np.zeros((32, registers), f"u{width // 8}"))
    arguments = [PyGPU.to_gpu(one) for one in inputs]
    PyGPU.Module(text.encode())["k"](out, *arguments, grid=1, block=32)
    return out.get()


def named(name: str, count: int) -> str:
    return "{" + ", ".join(f"%{name}{at}" for at in range(count)) + "}"


def products() -> list[tuple[str, tuple[int, int, int], str, str]]:
    """(type of A and B, shape, type of C and D, modifier)"""
    all_ = []
    for (bits, shape), _ in SHAPES.items():
        if bits == "16":
            all_ += [("f16", shape, "f32"), ("f16", shape, "f16"), ("bf16", shape, "f32")]
        elif bits == "32":
            all_ += [("tf32", shape, "f32")]
        elif bits == "8":
            all_ += [("s8", shape, "s32"), ("u8", shape, "s32")]
        else:
            all_ += [("f64", shape, "f64")]
    return all_


@own_interpreter("on_devices")
def test_fragments_of_mma_lie_where_the_isa_says():
    for factor, (m, n, k), sums in products():
        bits = {"f16": "16", "bf16": "16", "tf32": "32", "f64": "64"}.get(factor, "8")
        place_a, place_b = SHAPES[bits, (m, n, k)]
        # Each row and each column of the factors has unique values.
        low = 0 if factor == "u8" else -6
        c = np.arange(m * n).reshape(m, n)
        for a, b in (
            (np.arange(m * k).reshape(m, k) % 101 + 1, np.eye(k, n, dtype=int)),
            (np.eye(m, k, dtype=int), np.arange(k * n).reshape(k, n) % 101 + 1),
            (RANDOM.integers(low, 7, (m, k)), RANDOM.integers(low, 7, (k, n))),
        ):
            arguments = [
                fragment(a, place_a, factor),
                fragment(b, place_b, factor),
                fragment(c, of_sum, sums),
            ]
            counts = [one.shape[1] for one in arguments]
            actual = run(
                f"mma.sync.aligned.m{m}n{n}k{k}.row.col.{sums}.{factor}.{factor}.{sums} "
                f"{named('d', counts[2])}, {named('a', counts[0])}, "
                f"{named('b', counts[1])}, {named('c', counts[2])};",
                arguments, counts[2], arguments[2].itemsize * 8,
            )  # fmt: skip
            assert np.array_equal(actual, fragment(a @ b + c, of_sum, sums)), (
                factor,
                m,
                n,
                k,
                sums,
            )


@own_interpreter("on_devices")
def test_integer_products_wrap_or_saturate():
    a = np.full((16, 16), 127, np.int64)
    b = np.full((16, 8), 127, np.int64)
    c = np.full((16, 8), 2**31 - 1, np.int64)
    place_a, place_b = SHAPES["8", (16, 8, 16)]
    arguments = [fragment(a, place_a, "s8"), fragment(b, place_b, "s8"), fragment(c, of_sum, "s32")]
    for modifier, expected in ((".satfinite", 2**31 - 1), ("", 2**31 - 1 + 16 * 127**2 - 2**32)):
        actual = run(
            f"mma.sync.aligned.m16n8k16.row.col{modifier}.s32.s8.s8.s32 {named('d', 4)}, "
            f"{named('a', 2)}, {named('b', 1)}, {named('c', 4)};", arguments, 4, 32,
        )  # fmt: skip
        assert (actual.view(np.int32) == expected).all()


@own_interpreter("on_devices")
def test_sums_are_rounded_once_and_tf32_ignores_low_bits():
    ones = np.zeros((16, 8))
    ones[:, :3] = 1
    b = np.zeros((8, 8))
    b[0], b[1], b[2] = 2.0**24, 1, 1  # one by one, f32 would lose both ones
    place_a, place_b = SHAPES["32", (16, 8, 8)]
    arguments = [fragment(ones, place_a, "tf32"), fragment(b, place_b, "tf32")]
    arguments[0] |= 0x1FFF
    arguments.append(fragment(np.zeros((16, 8)), of_sum, "f32"))
    actual = run(
        f"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {named('d', 4)}, {named('a', 4)}, "
        f"{named('b', 2)}, {named('c', 4)};", arguments, 4, 32,
    )  # fmt: skip
    assert (actual.view(np.float32) == 2**24 + 2).all()


# ---- ldmatrix and its kin
FILL = """shl.b32 %at, %i, 4; mov.u32 %d0, room; add.u32 %at, %at, %d0;
st.shared.v4.b32 [%at], {%a0, %a1, %a2, %a3};
bar.warp.sync -1;"""


@own_interpreter("on_devices")
def test_matrices_move_between_shared_memory_and_registers():
    matrices = np.arange(4 * 64, dtype=np.uint16).reshape(4, 8, 8) * 3 + 7
    rows = matrices.reshape(32, 8).view(np.uint32)
    for count in (1, 2, 4):
        for turned in (False, True):
            expected = np.zeros((32, count), np.uint32)
            for lane in range(32):
                for number in range(count):
                    one = matrices[number].T if turned else matrices[number]
                    row, column = lane // 4, lane % 4 * 2
                    expected[lane, number] = int(one[row, column]) | int(one[row, column + 1]) << 16
            modifiers = f"x{count}{'.trans' if turned else ''}"
            load = f"ldmatrix.sync.aligned.m8n8.{modifiers}.shared.b16 {named('d', count)}, [%at];"
            assert np.array_equal(run(FILL + load, [rows], max(count, 1), 32), expected), modifiers
            # Stored with the same layout, the matrices are unchanged.
            store = f"stmatrix.sync.aligned.m8n8.{modifiers}.shared.b16 [%at], {named('d', count)};"
            wiped = "bar.warp.sync -1; st.shared.v4.b32 [%at], {%z, %z, %z, %z}; bar.warp.sync -1;"
            again = "bar.warp.sync -1; ld.shared.v4.b32 {%d0, %d1, %d2, %d3}, [%at];"
            text = f".reg .b32 %z; mov.u32 %z, 0; {FILL} {load} {wiped} {store} {again}"
            if count == 4:
                assert np.array_equal(run(text, [rows], 4, 32), rows), modifiers
    turn = "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %d0;"
    load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%at];"
    load_turned = "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%d0}, [%at];"
    assert np.array_equal(
        run(FILL + load + turn, [rows], 1, 32), run(FILL + load_turned, [rows], 1, 32)
    )
