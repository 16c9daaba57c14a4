"""What compute capability 9.0 added: clusters, bulk copies, tensor maps, products of warpgroups.

The expected values are numpy's, from the rules of the PTX ISA. A GPU runs the same programs, where
there is one, and the record of an H200 is compared with, once there is one (record.py):
python -m tests.host.ptx.record tests/host/ptx/hopper-h200.json --tests test_hopper.py
"""

from __future__ import annotations

import itertools
import pathlib

import numpy as np
import pytest

import PyGPU
from tests.host.ptx.record import hold
from tests.own_interpreter import own_interpreter

HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
CORPUS = pathlib.Path(__file__).parent / "corpus"
RANDOM = np.random.default_rng(17)
RECORD = pathlib.Path(__file__).parent / "hopper-h200.json"


@pytest.fixture
def compilable(nvrtc):
    """The test is skipped where there is no NVRTC."""


def corpus() -> PyGPU.Module:
    source = (CORPUS / "hopper.cu").read_text()
    return PyGPU.Module(PyGPU.compiler.compile(source, [], "compute_90a", cache=False))


def held(name: str, actual: np.ndarray, expected: np.ndarray, *inputs: np.ndarray) -> None:
    """The results are the expected ones, and an H200's."""
    assert np.array_equal(actual, expected), name
    hold(name, "ptx", inputs, actual, record=RECORD)


def zeros(*shape: int, dtype: type = np.uint32) -> PyGPU.GPUArray:
    return PyGPU.to_gpu(np.zeros(shape, dtype))


# ---- clusters
@own_interpreter("on_devices")
def test_blocks_know_their_cluster(compilable):
    kernel = corpus()["places"]
    for grid, cluster in [((4, 6, 2), (2, 3, 1)), ((8, 1, 2), (4, 1, 2)), ((3, 2, 1), None)]:
        out = zeros(grid[0] * grid[1] * grid[2], 16)
        kernel(out, grid=grid, block=32, **({"cluster": cluster} if cluster else {}))
        size = np.array(cluster or (1, 1, 1))
        rows = []
        for z, y, x in itertools.product(*map(range, grid[::-1])):
            at, count = np.array([x, y, z]), np.array(grid)
            inner = at % size
            rank = inner[0] + size[0] * (inner[1] + size[1] * inner[2])
            rows.append([*(at // size), *(count // size), *inner, *size, rank, size.prod(),
                         int(cluster is not None), 7])  # fmt: skip
        held(f"places {grid} {cluster}", out.get(), np.array(rows, np.uint32))


@own_interpreter("on_devices")
def test_blocks_read_each_others_shared_memory(compilable):
    kernel = corpus()["neighbours"]
    out = zeros(4, 32, 8)
    kernel(out, grid=4, block=32, cluster=4)
    block, i = np.mgrid[:4, :32]
    next_block = (block + 1) % 4
    expected = [100 * next_block + 1, 100 * next_block + i, next_block, next_block, 1 + 0 * block,
                0 * block, np.where(block == 0, 4 * 32, 0), block]  # fmt: skip
    held("neighbours", out.get(), np.stack(expected, -1).astype(np.uint32))


@own_interpreter("on_devices")
def test_values_are_sent_to_other_blocks(compilable):
    values = RANDOM.integers(0, 1000, (2, 32), dtype=np.uint32)
    out = zeros(2, 32, 3)
    corpus()["sends"](PyGPU.to_gpu(values), out, grid=2, block=32, cluster=2)
    other = values[::-1]
    expected = np.stack([other, other + 1, 1000 + other[:, ::-1]], -1)
    held("sends", out.get(), expected, values)


@own_interpreter("on_devices")
def test_threads_arrive_at_another_blocks_mbarrier(compilable):
    out = zeros(2)
    corpus()["arrivals"](out, grid=2, block=64, cluster=2)
    held("arrivals", out.get(), np.ones(2, np.uint32))


@own_interpreter("on_devices")
def test_bulk_copies(compilable):
    kernels = corpus()
    values = RANDOM.integers(0, 1000, (6, 128), dtype=np.uint32)
    out, sums = zeros(6, 128), zeros(128)
    kernels["bulk"](PyGPU.to_gpu(values), out, sums, 128, grid=6, block=64)
    held("bulk", out.get(), 3 * values, values)
    held("bulk sums", sums.get(), (3 * values).sum(0, dtype=np.uint32), values)
    out = zeros(2, 64)
    kernels["spread"](PyGPU.to_gpu(values[0, :64].copy()), out, grid=2, block=32, cluster=2)
    expected = np.stack([values[0, :64] + 1000, values[0, :64]])
    held("spread", out.get(), expected, values)


@own_interpreter("on_devices")
def test_a_lane_is_elected_and_vectors_are_added(compilable):
    kernels = corpus()
    out = zeros(64, 2)
    kernels["elected"](out, grid=1, block=64)
    expected = np.zeros((64, 2), np.uint32)
    expected[::32, 0] = 1
    held("elected", out.get(), expected)
    floats, old = zeros(4, dtype=np.float32), zeros(4, dtype=np.float32)
    halves = zeros(4, dtype=np.float16)
    kernels["vectors"](floats, halves, old, grid=1, block=32)
    held("vectors", floats.get(), np.array([496, 528, 992, 32], np.float32))
    held("vectors of halves", halves.get(), np.array([32, 32, 64, 64], np.float16))


@own_interpreter("on_host")
def test_clusters_that_cannot_be(compilable):
    kernel = corpus()["places"]
    out = zeros(64, 16)
    for grid, cluster, status in [(6, 4, 1), (16, 16, 912), (9, 9, 912), ((4, 4), (4, 4), 912)]:
        with pytest.raises(PyGPU.GPUError, match=str(status)):
            kernel(out, grid=grid, block=32, cluster=cluster)
    kernel.set_attribute("NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1)
    kernel(out, grid=16, block=32, cluster=16)
    assert out.get()[:16, 12].tolist() == list(range(16))


# ---- tensor maps
def swizzled(offset: np.ndarray, mode: int) -> np.ndarray:
    """ "Swizzling Modes": the row of 128 bytes moves chunks of 16 bytes."""
    bits = {0: 0, 1: 1, 2: 3, 3: 7}[mode]
    return offset ^ (((offset >> 7) & bits) << 4)


TYPES = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8}
DTYPES = {"u8": "u1", "u16": "u2", "u32": "u4", "s32": "i4", "u64": "u8", "s64": "i8", "f16": "f2",
          "f32": "f4", "f64": "f8"}  # fmt: skip


def tiled_map(array, kind: str, box: tuple, steps: tuple = (), swizzle=0, fill=0):
    """A tensor map of a whole array in C order; `box` and `steps` have the fastest axis first."""
    rank = len(array.shape)
    return PyGPU.cu.checked.cuTensorMapEncodeTiled(
        TYPES[kind], rank, array, list(array.shape[::-1]), list(array.strides[::-1][1:]),
        list(box), list(steps or (1,) * rank), 0, swizzle, 0, fill,
    )  # fmt: skip


def tensor_kernel(axes: int, bytes_: int, what: str, shared: int) -> PyGPU.Kernel:
    """One thread moves a tile; `what` is the copy, or "reduce" and its operation, or "store".

    All of shared memory goes to `image` after a load, and comes from there before a store.
    """
    coordinates = ", ".join(f"%c{k}" for k in range(axes))
    moves = {
        "load": f"""mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {bytes_};
            cp.async.bulk.tensor.{axes}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
                [room], [%map, {{{coordinates}}}], [bar];""",
        "im2col": f"""mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {bytes_};
            cp.async.bulk.tensor.{axes}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes
                [room], [%map, {{{coordinates}}}], [bar], {{%h0, %h1}};""",
        "store": f"""cp.async.bulk.tensor.{axes}d.global.shared::cta.tile.bulk_group
            [%map, {{{coordinates}}}], [room];""",
    }
    loads = what in ("load", "im2col")
    move = moves.get(what) or (
        f"cp.reduce.async.bulk.tensor.{axes}d.global.shared::cta.{what}.tile.bulk_group "
        f"[%map, {{{coordinates}}}], [room];"
    )
    each = """mov.u32 %i, %tid.x;
        next_{0}: setp.ge.u32 %p, %i, {1}; @%p bra end_{0};
        mul.wide.u32 %at, %i, 4; add.u64 %at, %at, %image; mov.u32 %s, room;
        shl.b32 %v, %i, 2; add.u32 %s, %s, %v; {2}
        add.u32 %i, %i, 32; bra next_{0};
        end_{0}: bar.sync 0;"""
    to_room = each.format("in", shared // 4, "ld.global.u32 %v, [%at]; st.shared.u32 [%s], %v;")
    from_room = each.format("out", shared // 4, "ld.shared.u32 %v, [%s]; st.global.u32 [%at], %v;")
    values = " ".join(f"ld.global.u32 %c{k}, [%where+{4 * k}];" for k in range(axes))
    text = f"""{HEAD}.visible .entry k(.param .align 64 .b8 map[128], .param .u64 image,
            .param .u64 where) {{
        .reg .u64 %map, %image, %at, %where; .reg .u32 %i, %s, %v, %c<5>; .reg .b16 %h<2>;
        .reg .pred %p, %done;
        .shared .align 1024 .b8 room[{shared}]; .shared .align 8 .b64 bar;
        mov.u64 %map, map; cvta.param.u64 %map, %map;
        ld.param.u64 %image, [image]; ld.param.u64 %where, [where];
        {values} ld.global.b16 %h0, [%where+20]; ld.global.b16 %h1, [%where+22];
        {to_room}
        fence.proxy.async.shared::cta;
        mov.u32 %i, %tid.x; setp.ne.u32 %p, %i, 0; @%p bra waits;
        mbarrier.init.shared::cta.b64 [bar], 1;
        fence.mbarrier_init.release.cluster;
        {move}
        {"" if loads else "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"}
        waits: bar.sync 0;
        {
        "again: mbarrier.try_wait.parity.shared::cta.b64 %done, [bar], 0; @!%done bra again;"
        if loads
        else ""
    }
        bar.sync 0;
        {from_room if loads else ""}
        ret; }}"""
    return PyGPU.Module(text.encode())["k"]


def tile_image(tile: np.ndarray, swizzle: int, image: np.ndarray) -> np.ndarray:
    """Shared memory after a load of the tile, whose last axis is the fastest one."""
    bytes_ = np.ascontiguousarray(tile).view(np.uint8).reshape(-1, tile.shape[-1] * tile.itemsize)
    row, column = np.mgrid[: bytes_.shape[0], : bytes_.shape[1]]
    image = image.copy()
    image[swizzled(row * bytes_.shape[1] + column, swizzle)] = bytes_
    return image


def box_of(array: np.ndarray, at: tuple, box: tuple, steps: tuple, fill: object) -> np.ndarray:
    """Elements from coordinates on, the slowest axis first; what is outside is `fill`."""
    index = np.meshgrid(
        *(c + np.arange(0, b, s) for c, b, s in zip(at, box, steps, strict=True)), indexing="ij"
    )
    inside = np.all([(i >= 0) & (i < n) for i, n in zip(index, array.shape, strict=True)], axis=0)
    clipped = tuple(np.clip(i, 0, n - 1) for i, n in zip(index, array.shape, strict=True))
    return np.where(inside, array[clipped], np.array(fill, array.dtype))


# The type, the tensor, a tile of it, steps, the swizzle, and where tiles are; slowest axes first.
TILES = [
    ("u8", (256,), (64,), (1,), 0, [(0,), (16,), (-16,), (240,), (304,)]),
    ("f32", (20, 24), (8, 16), (1, 1), 0, [(0, 0), (3, 4), (-2, -4), (15, 12), (19, 20), (40, 0)]),
    ("f16", (70, 64), (64, 64), (1, 1), 3, [(0, 0), (9, 8), (-3, 40)]),
    ("u16", (70, 64), (16, 32), (1, 1), 2, [(0, 0), (1, 8), (60, 48)]),
    ("u32", (33, 32), (32, 8), (1, 1), 1, [(0, 0), (5, -4)]),
    ("s32", (6, 10, 12), (2, 4, 8), (1, 1, 1), 0, [(0, 0, 0), (-1, 8, 8), (5, -2, -4)]),
    ("u64", (3, 4, 6, 8), (2, 2, 3, 4), (1, 1, 1, 1), 0, [(0, 0, 0, 0), (2, 3, -1, 6)]),
    ("f64", (3, 2, 3, 4, 6), (2, 2, 2, 2, 4), (1,) * 5, 0, [(0,) * 5, (1, 1, -1, 3, 2)]),
    ("u16", (40, 48), (32, 16), (3, 1), 0, [(0, 0), (2, 40), (-4, -8)]),
]


@own_interpreter("on_devices")
def test_tiles_of_tensors():
    for kind, shape, box, steps, swizzle, places in TILES:
        dtype, rank = np.dtype(DTYPES[kind]), len(shape)
        array = (np.arange(np.prod(shape)) % 251 + 1).astype(dtype).reshape(shape)
        tile = [-(-b // s) for b, s in zip(box, steps, strict=True)]
        bytes_ = int(np.prod(tile)) * dtype.itemsize
        shared = -(-bytes_ // 1024) * 1024
        load, store, add = (tensor_kernel(rank, bytes_, what, shared)
                            for what in ("load", "store", "add"))  # fmt: skip
        before = RANDOM.integers(0, 256, shared).astype(np.uint8)
        for at in places:
            where = PyGPU.to_gpu(np.array([*at[::-1], *(0,) * (6 - rank)], np.int32))
            on_gpu = PyGPU.to_gpu(array)
            make = tiled_map(on_gpu, kind, box[::-1], steps[::-1], swizzle)
            image = PyGPU.to_gpu(before)
            load(make, image, where, grid=1, block=32)
            expected = tile_image(box_of(array, at, box, steps, 0), swizzle, before)
            name = f"{kind} {shape} {box} {steps} {swizzle} {at}"
            held(f"load {name}", image.get(), expected, array, before)
            if min(at) < 0:
                continue
            values = RANDOM.integers(1, 100, tile).astype(dtype)
            image = PyGPU.to_gpu(tile_image(values, swizzle, before))
            index = np.meshgrid(*(c + s * np.arange(n) for c, s, n in
                                  zip(at, steps, tile, strict=True)), indexing="ij")  # fmt: skip
            inside = np.all([(i >= 0) & (i < n) for i, n in zip(index, shape, strict=True)], axis=0)
            picked = tuple(i[inside] for i in index)
            store(make, image, where, grid=1, block=32)
            expected = array.copy()
            expected[picked] = values[inside]
            held(f"store {name}", on_gpu.get(), expected, array, values)
            if kind in ("u32", "s32", "f16", "f32"):
                add(make, image, where, grid=1, block=32)
                expected[picked] += values[inside]
                held(f"add {name}", on_gpu.get(), expected, array, values)


@pytest.mark.parametrize(("what", "at"), [("load", (0, 2)), ("store", (0, -2)), ("add", (-1, 0))])
@own_interpreter("on_devices")
def test_where_a_tile_can_not_begin(what, at):
    """Between multiples of 16 bytes; a store or a reduction also before the first element."""
    array = PyGPU.to_gpu(np.ones((20, 24), np.float32))
    where = PyGPU.to_gpu(np.array([*at[::-1], 0, 0, 0, 0], np.int32))
    move = tensor_kernel(2, 512, what, 1024)
    move(tiled_map(array, "f32", (16, 8)), zeros(256, dtype=np.uint32), where, grid=1, block=32)
    with pytest.raises(PyGPU.GPUError, match="715"):
        PyGPU.checked.cudaDeviceSynchronize()


@own_interpreter("on_devices")
def test_what_lies_outside_becomes_nan():
    array = np.arange(8 * 8, dtype=np.float32).reshape(8, 8)
    on_gpu = PyGPU.to_gpu(array)
    image = zeros(256, dtype=np.uint32)
    load = tensor_kernel(2, 256, "load", 1024)
    where = PyGPU.to_gpu(np.array([4, 4, 0, 0, 0, 0], np.int32))
    load(tiled_map(on_gpu, "f32", (8, 8), fill=1), image, where, grid=1, block=32)
    tile = image.get()[:64].view(np.float32).reshape(8, 8)
    assert np.array_equal(tile[:4, :4], array[4:, 4:])
    assert np.isnan(tile[4:]).all() and np.isnan(tile[:, 4:]).all()
    hold("nan", "ptx", [array], image.get(), record=RECORD)


@own_interpreter("on_devices")
def test_columns_of_images():
    """im2col: pixels of a box in N, H, W, with the offsets of a filter's tap."""
    images = RANDOM.integers(1, 1000, (2, 5, 6, 16)).astype(np.float32)
    on_gpu = PyGPU.to_gpu(images)
    lower, upper, pixels, channels = (-1, -1), (-1, -1), 40, 8
    make = PyGPU.cu.checked.cuTensorMapEncodeIm2col(
        TYPES["f32"], 4, on_gpu, list(images.shape[::-1]), list(images.strides[::-1][1:]),
        lower, upper, channels, pixels, [1] * 4, 0, 0, 0, 0)  # fmt: skip
    kernel = tensor_kernel(4, pixels * channels * 4, "im2col", 2048)
    for start, tap in [((4, -1, -1, 0), (0, 0)), ((0, 2, 1, 0), (2, 1)), ((8, 3, 3, 1), (1, 2))]:
        where = np.zeros(6, np.int32)
        where[:4] = start
        where[5] = tap[0] | tap[1] << 16
        image = zeros(512, dtype=np.float32)
        kernel(make, image, PyGPU.to_gpu(where), grid=1, block=32)
        c, w, h, n = start
        rows = []
        for _ in range(pixels):
            row, column = h + tap[1], w + tap[0]
            inside = n < 2 and 0 <= row < 5 and 0 <= column < 6
            rows.append(images[n, row, column, c : c + channels] if inside else np.zeros(channels))
            w += 1
            if w >= 6 + upper[0]:
                w, h = lower[0], h + 1
            if h >= 5 + upper[1]:
                h, n = lower[1], n + 1
        held(f"columns {start} {tap}", image.get()[: pixels * channels],
             np.concatenate(rows).astype(np.float32), images)  # fmt: skip


@own_interpreter("on_devices")
def test_a_tensor_map_made_in_a_kernel():
    """tensormap.replace fills in a map of zeros, which is then used from global memory."""
    array = np.arange(32 * 16, dtype=np.float32).reshape(32, 16)
    on_gpu, out, room = PyGPU.to_gpu(array), zeros(8, 8, dtype=np.float32), zeros(64)
    fields = [
        ("global_address", "b64", "%array"), ("rank", "b32", "1"), ("box_dim", "b32", "0, 8"),
        ("box_dim", "b32", "1, 8"), ("global_dim", "b32", "0, 16"), ("global_dim", "b32", "1, 32"),
        ("global_stride", "b64", "0, 64"), ("element_stride", "b32", "0, 1"),
        ("element_stride", "b32", "1, 1"), ("elemtype", "b32", "7"),
        ("interleave_layout", "b32", "0"), ("swizzle_mode", "b32", "0"), ("fill_mode", "b32", "0"),
    ]  # fmt: skip
    replaced = "\n".join(
        f"@!%p tensormap.replace.tile.{name}.shared::cta.b1024.{kind} [map], {value};"
        for name, kind, value in fields
    )
    text = f"""{HEAD}.visible .entry k(.param .u64 array, .param .u64 out, .param .u64 global) {{
        .reg .u64 %array, %out, %global, %at; .reg .u32 %i, %s, %v, %d; .reg .pred %p, %done;
        .shared .align 128 .b8 map[128]; .shared .align 128 .b8 room[256];
        .shared .align 8 .b64 bar;
        ld.param.u64 %array, [array]; ld.param.u64 %out, [out]; ld.param.u64 %global, [global];
        mov.u32 %i, %tid.x; shl.b32 %d, %i, 2; mov.u32 %s, map; add.u32 %s, %s, %d;
        mov.u32 %v, 0; st.shared.u32 [%s], %v; bar.warp.sync 0xffffffff;
        setp.ne.u32 %p, %i, 0;
        {replaced}
        bar.warp.sync 0xffffffff;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
            [%global], [map], 128;
        fence.proxy.tensormap::generic.acquire.gpu [%global], 128;
        @%p bra waits;
        mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
            [room], [%global, {{4, 24}}], [bar];
        waits: bar.sync 0;
        again: mbarrier.try_wait.parity.shared::cta.b64 %done, [bar], 0; @!%done bra again;
        mov.u32 %s, room; add.u32 %s, %s, %d; mul.wide.u32 %at, %i, 4; add.u64 %at, %at, %out;
        ld.shared.u32 %v, [%s]; st.global.u32 [%at], %v;
        ld.shared.u32 %v, [%s+128]; st.global.u32 [%at+128], %v; ret; }}"""
    PyGPU.Module(text.encode())["k"](on_gpu, out, room, grid=1, block=32)
    held("made in a kernel", out.get(), array[24:32, 4:12], array)


# ---- products of warpgroups
MODES = {0: 0, 128: 1, 64: 2, 32: 3}  # by bytes of the swizzle: the descriptor's layout type


def matrix_image(bits: np.ndarray, swizzle: int, across: bool) -> tuple[np.ndarray, int, int]:
    """A matrix of rows along M or N and columns along K, 32 bytes of them, in shared memory.

    Returns the bytes, and the descriptor's leading and stride offsets. "Strides" and "Canonical
    Layouts": along K, groups of eight rows; across K, as many rows as the swizzle has room for.
    """
    rows, depth = bits.shape[0], bits.shape[1]
    size = bits.itemsize
    row, k = np.mgrid[:rows, :depth]
    mode = {0: 0, 32: 1, 64: 2, 128: 3}[swizzle]
    width = swizzle or 16
    if not across:
        byte = k * size
        if swizzle:
            leading, stride = 16, 8 * width
            at = row // 8 * stride + row % 8 * width + byte
        else:
            leading, stride = 128, 256
            at = row // 8 * stride + row % 8 * 16 + byte // 16 * leading + byte % 16
    else:
        elements = width // size
        if swizzle:
            stride = 8 * width
            leading = stride * (depth // 8)
            at = row // elements * leading + row % elements * size
            at = at + k // 8 * stride + k % 8 * width
        else:
            leading, stride = 128, 128 * (depth // 8)
            at = row // 8 * stride + row % 8 * size + k // 8 * leading + k % 8 * 16
    image = np.zeros((int(at.max()) + size + 1023) // 1024 * 1024, np.uint8)
    bytes_ = np.ascontiguousarray(bits).view(np.uint8).reshape(rows, depth, size)
    for part in range(size):
        image[swizzled(at + part, mode)] = bytes_[:, :, part]
    return image, leading, stride


def from_small(codes: np.ndarray, kind: str) -> np.ndarray:
    """The values of e4m3 and e5m2, by their definition."""
    mantissa, bias = (3, 7) if kind == "e4m3" else (2, 15)
    high = codes >> mantissa & ((1 << (7 - mantissa)) - 1)
    digits = (codes & ((1 << mantissa) - 1)) + np.where(high, 1 << mantissa, 0)
    size = digits * 2.0 ** (np.maximum(high, 1) - bias - mantissa)
    return np.where(codes & 0x80, -size, size)


def random_matrix(kind: str, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Small numbers, whose sums are exact, and their bits."""
    values = RANDOM.integers(0 if kind in ("u8", "b1") else -4, 2 if kind == "b1" else 5, shape)
    if kind in ("e4m3", "e5m2"):
        codes = {int(v): c for c in range(256) for v in [from_small(np.array([c]), kind)[0]]
                 if v in range(-4, 5) and c != 0x80}  # fmt: skip
        return values, np.vectorize(codes.get)(values).astype(np.uint8)
    if kind == "bf16":
        return values, (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if kind == "b1":
        return values, np.packbits(values.astype(np.uint8), axis=1, bitorder="little")
    types = {"f16": "f2", "tf32": "f4", "s8": "i1", "u8": "u1"}
    encoded = values.astype(types[kind])
    return values, encoded.view(f"u{encoded.itemsize}")


# The types of D, A and B, N, the swizzles of A (None: in registers) and B, and which of them lie
# across K.
PRODUCTS = [
    *(("f32", "f16", "f16", 64, s, t, "") for s in (0, 32, 64, 128) for t in (0, 32, 64, 128)),
    *(("f32", "bf16", "bf16", 128, s, s, turned) for s in (0, 32, 64, 128)
      for turned in ("a", "b", "ab")),
    *(("f16", "f16", "f16", 32, None, s, turned) for s in (0, 128) for turned in ("", "b")),
    ("f32", "bf16", "bf16", 256, None, 128, ""), ("f32", "f16", "f16", 8, 128, 128, ""),
    ("f32", "tf32", "tf32", 64, 128, 64, ""), ("f32", "tf32", "tf32", 24, None, 0, ""),
    ("f32", "e4m3", "e5m2", 64, 128, 128, ""), ("f16", "e5m2", "e4m3", 16, None, 32, ""),
    ("s32", "s8", "u8", 64, 64, 128, ""), ("s32", "u8", "s8", 96, None, 128, ""),
    ("s32", "b1", "b1", 32, 128, 128, ""), ("s32", "b1", "b1", 16, None, 0, ""),
]  # fmt: skip


def product_kernel(d, a, b, n, k, images, turned, in_registers, signs) -> PyGPU.Kernel:
    """A warpgroup multiplies two matrices twice: D = A * B, then D = +-A * +-B + D."""
    (size_a, lead_a, stride_a, mode_a), (size_b, lead_b, stride_b, mode_b) = images
    count = n // (4 if d == "f16" else 2)
    registers = ", ".join(f"%d{i}" for i in range(count))
    left = "{%a0, %a1, %a2, %a3}" if in_registers else "%left"
    floats = d != "s32"
    flags = ["-1" if s < 0 else "1" for s in signs] if floats else []
    if a in ("f16", "bf16"):
        flags += [] if in_registers else ["1" if "a" in turned else "0"]
        flags += ["1" if "b" in turned else "0"]
    bits = ".and.popc" if a == "b1" else ""

    def one(adds: str, flags: list[str]) -> str:
        return (f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{a}.{b}{bits} {{{registers}}}, "
                f"{left}, %right, {', '.join([adds, *flags])};")  # fmt: skip

    first = [flag.replace("-1", "1") for flag in flags]
    kind = "f32" if d == "f32" else "b32"
    text = f"""{HEAD}.visible .entry k(.param .u64 left, .param .u64 right, .param .u64 out) {{
        .reg .{kind} %d<{count}>; .reg .u64 %left, %right, %from, %at, %out, %x; .reg .b32 %a<4>;
        .reg .u32 %i, %s, %v; .reg .pred %p, %yes, %no;
        .shared .align 1024 .b8 room[{size_a + size_b}];
        mov.u32 %i, %tid.x; ld.param.u64 %left, [left]; ld.param.u64 %right, [right];
        next: setp.ge.u32 %p, %i, {(size_a + size_b) // 4}; @%p bra end;
        shl.b32 %v, %i, 2; mov.u32 %s, room; add.u32 %s, %s, %v; cvt.u64.u32 %at, %v;
        setp.lt.u32 %p, %v, {size_a}; sub.u64 %x, %at, {size_a};
        @%p add.u64 %from, %left, %at; @!%p add.u64 %from, %right, %x;
        ld.global.u32 %v, [%from]; st.shared.u32 [%s], %v; add.u32 %i, %i, 128; bra next;
        end: fence.proxy.async.shared::cta; bar.sync 0;
        mov.u32 %i, %tid.x; mul.wide.u32 %at, %i, 16; add.u64 %at, %at, %left;
        {"ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%at];" if in_registers else ""}
        mov.u32 %s, room; shr.b32 %s, %s, 4; cvt.u64.u32 %left, %s;
        add.u32 %s, %s, {size_a // 16}; cvt.u64.u32 %right, %s;
        or.b64 %left, %left, {(lead_a >> 4) << 16 | (stride_a >> 4) << 32 | mode_a << 62};
        or.b64 %right, %right, {(lead_b >> 4) << 16 | (stride_b >> 4) << 32 | mode_b << 62};
        setp.eq.u32 %yes, %i, %i; setp.ne.u32 %no, %i, %i;
        {
        " ".join(
            f"mov.{kind} %d{i}, {'0f7fffffff' if kind == 'f32' else '77'};" for i in range(count)
        )
    }
        wgmma.fence.sync.aligned;
        {one("%no", first)}
        {one("%yes", flags)}
        wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
        mov.u32 %i, %tid.x; mul.wide.u32 %at, %i, {4 * count}; ld.param.u64 %out, [out];
        add.u64 %at, %at, %out;
        {" ".join(f"st.global.{kind} [%at+{4 * i}], %d{i};" for i in range(count))} ret; }}"""
    return PyGPU.Module(text.encode())["k"]


def result_of(out: np.ndarray, d: str, n: int) -> np.ndarray:
    """The matrix of D's registers: "Register Fragments for wgmma.mma_async.m64nNk..."."""
    types = {"f32": np.float32, "f16": np.float16, "s32": np.int32}
    values = out.view(types[d]).reshape(128, n // 2)
    thread, i = np.mgrid[:128, : n // 2]
    row = 16 * (thread // 32) + thread % 32 // 4 + 8 * (i // 2 % 2)
    column = 8 * (i // 4) + thread % 4 * 2 + i % 2
    result = np.zeros((64, n), types[d])
    result[row, column] = values
    return result


def in_registers_of(bits: np.ndarray) -> np.ndarray:
    """A's registers: "Matrix fragments for multiplicand A"; four words of each thread."""
    words = np.ascontiguousarray(bits).view(np.uint8).reshape(64, 8, 4).view(np.uint32)[..., 0]
    thread, number = np.mgrid[:128, :4]
    return words[16 * (thread // 32) + thread % 32 // 4 + 8 * (number % 2),
                 thread % 4 + 4 * (number // 2)]  # fmt: skip


@own_interpreter("on_devices")
def test_products_of_warpgroups():
    for number, (d, a, b, n, swizzle_a, swizzle_b, turned) in enumerate(PRODUCTS):
        k = {"f16": 16, "bf16": 16, "tf32": 8, "b1": 256}.get(a, 32)
        (left, left_bits), (right, right_bits) = random_matrix(a, (64, k)), random_matrix(b, (n, k))
        registers = swizzle_a is None
        if registers:
            image_a = in_registers_of(left_bits).view(np.uint8).ravel()
            described_a = (len(image_a), 0, 0, 0)
        else:
            image_a, *offsets = matrix_image(left_bits, swizzle_a, "a" in turned)
            described_a = (len(image_a), *offsets, MODES[swizzle_a])
        image_b, *offsets = matrix_image(right_bits, swizzle_b, "b" in turned)
        described_b = (len(image_b), *offsets, MODES[swizzle_b])
        signs = [(1, 1), (-1, 1), (1, -1), (-1, -1)][number % 4] if d != "s32" else (1, 1)
        kernel = product_kernel(d, a, b, n, k, (described_a, described_b), turned, registers, signs)
        out = zeros(128 * n // (4 if d == "f16" else 2))
        kernel(PyGPU.to_gpu(image_a), PyGPU.to_gpu(image_b), out, grid=1, block=128)
        product = left @ right.T
        expected = product + signs[0] * signs[1] * product
        result = result_of(out.get(), d, n)
        name = f"wgmma {d} {a} {b} {n} {swizzle_a} {swizzle_b} {turned}"
        held(name, result, expected.astype(result.dtype), left, right)
