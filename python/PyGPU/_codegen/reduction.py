"""Reductions: of all elements, or along axes, in one launch.

A thread reduces elements of its own, a block those of its threads in shared memory. Where several
blocks share a result, each leaves a partial one, and the block that is done last reduces these. A
counter tells it, and is 0 again afterwards. All orders are fixed: equal calls give equal bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from string import Template
from typing import Any, NamedTuple

import numpy as np

from PyGPU._codegen import headers, loading, operands
from PyGPU._codegen.arguments import Argument, ScalarArg, VectorArg, arguments_of
from PyGPU._codegen.c_types import dtype_to_ctype
from PyGPU._codegen.operands import Axes, Table
from PyGPU._core import arrays
from PyGPU._kernels.kernel import Kernel

LOAD = 16  # bytes that a thread loads at once
ONE_BLOCK = 4  # so many rounds of a block take less time than joining partial results
BESIDE = 512  # bytes that the threads of a block load side by side, where rows are summed up,
COLUMNS = 256  # in so many columns at most
FULL = 1 << 18  # threads that fill a large device
PLANS = 256  # that a reduction remembers


class Item(NamedTuple):
    """What a reduction accumulates: its C name and its size."""

    name: str
    size: int


class Access(NamedTuple):
    """How a kernel reads an array: None are axes that are one run of memory."""

    reduced: Axes | None = None
    kept: Axes | None = None
    packed: bool = False


class Layout(NamedTuple):
    """What decides a kernel's source beside the reduction."""

    accesses: tuple[Access, ...]
    width: int = 1  # elements of a load
    words: int = 0  # of the table of axes
    wide: bool = False

    @property
    def rounds(self) -> int:
        """Loads of a thread that are in flight together."""
        return 4 if any(one.packed for one in self.accesses) else 8


class Grid(NamedTuple):
    """How threads share the work of a launch."""

    lanes: int  # threads of a block that share a result
    groups: int  # blocks for all results
    across: int  # 1: neighbouring threads have neighbouring results, 0: neighbouring elements
    share: int  # elements of a block
    splits: int  # blocks that share a result


class Loaded(NamedTuple):
    """A kernel on a device."""

    kernel: Kernel
    resident: int  # blocks that run at once
    counters: loading.Counters


class Ready(NamedTuple):
    """What a reduction of one array needs that came before in the same layout."""

    plan: Plan
    loaded: Loaded
    grid: Grid
    length: int  # elements of each result


class Variant:
    """The kernel of one layout, on the devices that have used it."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.loaded: dict[int, Loaded] = {}
        self.grids: dict[tuple[int, int, int, bool], Grid] = {}


class Plan(NamedTuple):
    """How arrays of some shapes and strides are reduced."""

    variant: Variant
    across: bool = False
    table: Any = None
    offsets: tuple[tuple[int, int], ...] = ()  # of arguments whose elements start elsewhere
    shape: tuple[int, ...] = ()  # of the result
    length: int | None = None  # elements of each result; None: all that there are
    outputs: int = 1


class Reduction:
    """A kernel for some arguments, expressions and types.

    `map_expr` has the arguments by name, i (the number of the element) and n (how many there are).
    `reduce_expr` has a and b, and like `finish`, which makes the result from a, the scalars and n.
    """

    def __init__(
        self,
        call: str,
        arguments: Sequence[VectorArg | ScalarArg],
        map_expr: str,
        reduce_expr: str,
        neutral: str,
        dtype_out: np.dtype[Any],
        item: Item | None = None,
        finish: str = "a",
        name: str = "reduce_kernel",
        options: Any = None,
        preamble: str = "",
    ) -> None:
        self.call = call
        self.arguments = arguments
        self.map_expr, self.reduce_expr = map_expr, reduce_expr
        self.neutral, self.finish = neutral, finish
        self.dtype_out = dtype_out
        self.item = item or Item(dtype_to_ctype(dtype_out), dtype_out.itemsize)
        self.name, self.options, self.preamble = name, options, preamble
        self.vectors = [one for one in arguments if isinstance(one, VectorArg)]
        self.scalars = [(at, one) for at, one in enumerate(arguments) if isinstance(one, ScalarArg)]
        if not self.vectors:
            raise ValueError(f"{call}: parameter 'arguments' must name an array")
        self.reads = operands.reads([one.name for one in self.vectors], [map_expr], preamble)
        self.threads = operands.block_size(512, self.item.size, call)
        self._positions = [at for at, one in enumerate(arguments) if isinstance(one, VectorArg)]
        # The arrays that may be loaded by packs.
        self._streams = [
            at
            for at, one in enumerate(self.vectors)
            if one.name in self.reads.in_turn and one.dtype.kind in "biufc"
        ]
        largest = max([self.vectors[at].dtype.itemsize for at in self._streams], default=LOAD)
        self._width = max(LOAD // largest, 1)
        self._size = max(one.dtype.itemsize for one in self.vectors)
        packed = tuple(Access(packed=at in self._streams) for at in range(len(self.vectors)))
        self._variants: dict[Layout, Variant] = {}
        self._plans: dict[Any, Plan] = {}
        self._ready: dict[Any, Ready] = {}
        self._plain = Plan(self._variant(Layout((Access(),) * len(self.vectors))))
        self._packed = Plan(self._variant(Layout(packed, self._width)))

    def __call__(
        self,
        values: Sequence[Any],
        axes: Sequence[int] | None = None,
        out: Any = None,
        stream: Any = None,
        allocator: Any = None,
    ) -> Any:
        """Reduce all elements, or those along some axes; `values` are the arguments."""
        chosen = operands.checked_arrays(self.arguments, values, self.call)
        values = list(values)
        for at, scalar in self.scalars:
            values[at] = operands.scalar(scalar, values[at], self.call)
        first = chosen[0]
        if len(chosen) > 1:
            self._check_sizes(chosen)
        plan = self._plan(chosen, axes)
        for at, offset in plan.offsets:
            values[at] = operands.moved(values[at], offset)
        if plan.table is not None:
            values.append(plan.table)
        device = first.device
        with loading.on_device(device):
            allocator = allocator or first.allocator
            if out is None:
                out = arrays.empty(plan.shape, self.dtype_out, allocator=allocator, stream=stream)
            if plan.outputs:
                count = first.size if plan.length is None else plan.length
                self._launch(plan, device, values, count, out, stream)
        return out

    def of(
        self, array: Any, axis: Any, axes: Callable[[], Sequence[int] | None], stream: Any,
        allocator: Any,
    ) -> Any:  # fmt: skip
        """Reduce an array of the right dtype, the only argument. `axes` checks and lists the axes.

        A layout that came before skips all that depends on the layout alone.
        """
        if axis is not None and type(axis) is not int:
            return self([array], axes(), None, stream, allocator)
        device = array.device
        key = (axis, array.shape, array.strides, array._address % LOAD, device)
        ready = self._ready.get(key)
        if (
            ready is None
            or loading.current_device() != device
            or not loading.exists(ready.loaded.kernel)
        ):
            return self._prepare(key, array, axes(), stream, allocator)
        plan = ready.plan
        values = [operands.moved(array, plan.offsets[0][1]) if plan.offsets else array]
        if plan.table is not None:
            values.append(plan.table)
        out = arrays.empty(plan.shape, self.dtype_out, allocator or array.allocator, stream=stream)
        self._start(plan, ready.loaded, ready.grid, values, ready.length, out, stream)
        return out

    def _prepare(
        self, key: Any, array: Any, axes: Sequence[int] | None, stream: Any, allocator: Any
    ) -> Any:
        out = self([array], axes, None, stream, allocator)
        plan = self._plan([array], axes)
        if plan.outputs:
            if len(self._ready) > PLANS:
                self._ready.clear()
            count = array.size if plan.length is None else plan.length
            self._ready[key] = Ready(plan, *self._load_for(plan, array.device, count), count)
        return out

    def _check_sizes(self, chosen: list[Any]) -> None:
        size = chosen[0].size
        for argument, one in zip(self.vectors, chosen, strict=True):
            if one.size < size and argument.name in self.reads.in_turn:
                raise ValueError(
                    f"{self.call}: parameter {argument.name!r} has {one.size} elements, "
                    f"{self.vectors[0].name!r} has {size}"
                )

    # How arrays are read.

    def _plan(self, chosen: list[Any], axes: Sequence[int] | None) -> Plan:
        if axes is None:
            layouts = [one._contiguity for one in chosen]
            # All in F order: the order of memory, as in PyCUDA.
            shapes = {one.shape for one in chosen}
            if all(one[0] for one in layouts) or (
                len(shapes) == 1 and all(one[1] for one in layouts)
            ):
                for at in self._streams:
                    if chosen[at]._address % (self._width * chosen[at].itemsize):
                        return self._plain
                return self._packed if self._streams else self._plain
        key = (
            None if axes is None else tuple(axes),
            *[(one.shape, one.strides, one._address % LOAD) for one in chosen],
        )
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) > PLANS:
                self._plans.clear()
            plan = self._plans[key] = self._new_plan(chosen, axes)
        return plan

    def _variant(self, layout: Layout) -> Variant:
        return self._variants.setdefault(layout, Variant(layout))

    def _new_plan(self, chosen: list[Any], axes: Sequence[int] | None) -> Plan:
        shape = chosen[0].shape
        in_turn = [one.name in self.reads.in_turn for one in self.vectors]
        together = [at for at, one in enumerate(chosen) if in_turn[at] and one.shape == shape]
        free = self.reads.in_any_order and len(together) == sum(in_turn) and chosen[0].size
        reduced = list(range(len(shape))) if axes is None else list(axes)
        kept = [axis for axis in range(len(shape)) if axis not in reduced]

        def part(of: list[int], in_any_order: bool) -> Any:
            extents = [shape[axis] for axis in of]
            strides = [[chosen[at].strides[axis] for axis in of] for at in together]
            return operands.collapsed(extents, strides, in_any_order)

        inner_shape, inner, offsets = part(reduced, bool(free))
        outer_shape, outer, _ = part(kept, False)
        table = Table()
        accesses = []
        for at, one in enumerate(chosen):
            if at not in together:
                accesses.append(Access(operands.axes_of(one, table)))
                continue
            strides = inner[together.index(at)]
            is_run = not inner_shape or strides == [one.itemsize]
            rows = outer[together.index(at)]
            accesses.append(
                Access(
                    None if is_run else table.axes(inner_shape, strides),
                    table.axes(outer_shape, rows) if outer_shape else None,
                )
            )
        across = bool(inner_shape and outer_shape) and abs(inner[0][-1]) > abs(outer[0][-1])
        moves = zip((self._positions[at] for at in together), offsets, strict=True)
        starts = [one._address for one in chosen]
        for at, offset in zip(together, offsets, strict=True):
            starts[at] += offset
        width = 1 if across else self._pack(chosen, accesses, starts, table)
        layout = Layout(tuple(accesses), width, len(table.words), table.wide)
        results = tuple(shape[axis] for axis in kept)
        return Plan(
            self._variant(layout), across, table.value() if table.words else None,
            tuple((at, offset) for at, offset in moves if offset),
            results, prod(shape[axis] for axis in reduced), prod(results),
        )  # fmt: skip

    def _pack(
        self, chosen: list[Any], accesses: list[Access], starts: list[int], table: Table
    ) -> int:
        """Load arrays by packs where their rows are runs that begin at multiples of a pack."""
        runs = [at for at in self._streams if accesses[at].reduced is None]
        if not runs:
            return 1
        largest: int = max(chosen[at].itemsize for at in runs)
        width = max(LOAD // largest, 1)
        for at in runs:
            kept = accesses[at].kept
            rows = table.words[kept.strides : kept.strides + kept.rank] if kept else []
            if any(one % (width * chosen[at].itemsize) for one in (starts[at], *rows)):
                return 1
        for at in runs:
            accesses[at] = accesses[at]._replace(packed=True)
        return width

    # Launches.

    def _launch(
        self, plan: Plan, device: int, values: list[Any], count: int, out: Any, stream: Any
    ) -> None:
        loaded, grid = self._load_for(plan, device, count)
        self._start(plan, loaded, grid, values, count, out, stream)

    def _load_for(self, plan: Plan, device: int, count: int) -> tuple[Loaded, Grid]:
        """The kernel on a device, and how its threads share the work."""
        variant = plan.variant
        loaded = variant.loaded.get(device)
        if loaded is None or not loading.exists(loaded.kernel):
            loaded = variant.loaded[device] = self._load(variant.layout)
        key = (device, count, plan.outputs, plan.across)
        grid = variant.grids.get(key)
        if grid is None:
            if len(variant.grids) > PLANS:
                variant.grids.clear()
            grid = variant.grids[key] = self._grid(variant.layout, loaded.resident, *key[1:])
        return loaded, grid

    def _start(
        self, plan: Plan, loaded: Loaded, grid: Grid, values: list[Any], count: int, out: Any,
        stream: Any,
    ) -> None:  # fmt: skip
        outputs = plan.outputs
        partial: Any = 0
        counters: Any = 0
        if grid.splits > 1:
            size = grid.splits * outputs * self.item.size
            partial = arrays.empty(size, np.uint8, stream=stream)  # of PyGPU's pool: freed in order
            counters = loaded.counters.on(stream, grid.groups)
        loaded.kernel(
            out, partial, counters, *values, count, outputs, grid.share, grid.splits, grid.groups,
            grid.lanes, grid.across, grid=grid.groups * grid.splits, block=self.threads,
            stream=stream,
        )  # fmt: skip

    def _grid(self, layout: Layout, resident: int, count: int, outputs: int, across: bool) -> Grid:
        lanes, groups = self._lanes(count, outputs, layout.width, layout.rounds, across)
        step = lanes * layout.width
        if count <= ONE_BLOCK * layout.rounds * step or groups >= resident:
            return Grid(lanes, groups, int(across), count, 1)
        share = -(-count // (resident // groups))  # all blocks run at once, and end together
        least = layout.rounds if across else 1  # rows of less don't fill a round
        share = max(-(-share // step), least) * step
        return Grid(lanes, groups, int(across), share, -(-count // share))

    def _lanes(
        self, count: int, outputs: int, width: int, rounds: int, across: bool
    ) -> tuple[int, int]:
        """How many threads of a block share a result, and how many blocks that makes."""
        threads = self.threads
        if across:
            beside = min(_power(outputs), max(BESIDE // self._size, 32), COLUMNS, threads)
            lanes = min(threads // beside, _power(-(-count // rounds)))
        else:
            most = min(_power(-(-count // width)), threads)
            lanes = min(most, 32)
            while lanes < most and outputs * lanes < FULL:
                lanes *= 2
        return lanes, -(-outputs * lanes // threads)

    # Sources.

    def _load(self, layout: Layout) -> Loaded:
        types = operands.parameter_types(self.arguments, layout.words)
        kernel = loading.kernel(self.source(layout), self.name, self.options)
        kernel.prepare(["P", "P", "P", *types, *"QQQIIII"])
        resident = loading.resident_blocks(kernel, self.threads)
        return Loaded(kernel, resident, loading.Counters(resident))

    def source(self, layout: Layout) -> str:
        """The text of the kernel."""
        accesses = dict(zip((one.name for one in self.vectors), layout.accesses, strict=True))
        packed = [one for one in self.vectors if accesses[one.name].packed]
        sums = min(layout.rounds, max(16 // self.item.size, 1), 4)
        names = [one.name for one in self.arguments]
        texts = {
            "preamble": self.preamble,
            "device": operands.DEVICE,
            "item": self.item.name,
            "result": dtype_to_ctype(self.dtype_out),
            "name": self.name,
            "threads": self.threads,
            "width": layout.width,
            "rounds": layout.rounds,
            "sums": sums,
            "starts": ", ".join(["pygpu_neutral"] * sums),
            "neutral": self.neutral,
            "reduce": self.reduce_expr,
            "finish": self.finish,
            "map": self.map_expr,
            "n": "pygpu_count" if "n" in names else "n",
            "parameters": operands.parameters(self.arguments, layout.words),
            "words": operands.table_type(layout.words),
            "rows": " ".join(_row(one, accesses[one.name], layout.wide) for one in self.vectors),
            "loaded": "".join(
                f"const pygpu_loaded<{operands.c_type(one)}> {one.name}, " for one in packed
            ),
            "packs": " ".join(_pack(one, f"[{layout.rounds}]") for one in packed),
            "pack": " ".join(_pack(one, "") for one in packed),
            "loads": " ".join(
                _load(one, "[pygpu_round]", " + pygpu_round * pygpu_step") for one in packed
            ),
            "load": " ".join(_load(one, "", "") for one in packed),
            "elements": "".join(
                f"{{pygpu_{one.name}_pack[pygpu_round].at[pygpu_k]}}, " for one in packed
            ),
            "element": "".join(f"{{pygpu_{one.name}_pack.at[pygpu_k]}}, " for one in packed),
        }
        texts["loop"] = Template(_PACKED if packed else _PLAIN).substitute(texts)
        source = Template(_SOURCE).substitute(texts)
        dtypes = [self.dtype_out, *(one.dtype for one in self.arguments)]
        return headers.includes_for(dtypes) + source


def _power(number: int) -> int:
    """The least power of two that isn't below a number; 1 for 0."""
    return 1 << (max(number, 1) - 1).bit_length()


def _row(argument: VectorArg, access: Access, wide: bool) -> str:
    """What has the elements that one output needs."""
    base = ""
    if access.kept:
        rows = access.kept.text(operands.c_type(argument), f"pygpu_{argument.name}", wide)
        base = f"&{rows}[pygpu_output]"
    return operands.row(argument, access.reduced, wide, base)


def _pack(argument: VectorArg, rounds: str) -> str:
    kind = dtype_to_ctype(argument.dtype)
    return f"pygpu_pack<{kind}, PYGPU_WIDTH> pygpu_{argument.name}_pack{rounds};"


def _load(argument: VectorArg, at: str, offset: str) -> str:
    kind, name = dtype_to_ctype(argument.dtype), argument.name
    return (
        f"pygpu_{name}_pack{at} = "
        f"*(const pygpu_pack<{kind}, PYGPU_WIDTH> *)({name} + pygpu_at{offset});"
    )


_SOURCE = """
$preamble
$device
$words
typedef $item pygpu_item;
typedef $result pygpu_result;
#define PYGPU_THREADS $threads
#define PYGPU_WIDTH $width
#define PYGPU_ROUNDS $rounds

// Reduces what the lanes have that share an output. The result is the first lane's.
template <class Reduce>
__device__ pygpu_item pygpu_joined(pygpu_item mine, unsigned lane, unsigned lanes, unsigned apart,
                                   const Reduce &reduce) {
    __shared__ __align__(16) unsigned char bytes[PYGPU_THREADS * sizeof(pygpu_item)];
    pygpu_item *all = reinterpret_cast<pygpu_item *>(bytes);
    all[threadIdx.x] = mine;
    for (unsigned left = lanes / 2; left; left /= 2) {
        __syncthreads();
        if (lane < left) {
            mine = reduce(mine, all[threadIdx.x + left * apart]);
            all[threadIdx.x] = mine;
        }
    }
    return mine;
}

extern "C" __global__ void __launch_bounds__(PYGPU_THREADS) $name(
    pygpu_result *pygpu_out, pygpu_item *pygpu_partial, unsigned *pygpu_counters, $parameters,
    size_t $n, size_t pygpu_outputs, size_t pygpu_share, unsigned pygpu_splits,
    unsigned pygpu_groups, unsigned pygpu_lanes, unsigned pygpu_across) {
    const auto pygpu_reduce = [&](pygpu_item a, pygpu_item b) -> pygpu_item { return ($reduce); };
    const unsigned pygpu_beside = PYGPU_THREADS / pygpu_lanes;
    const unsigned pygpu_lane =
        pygpu_across ? threadIdx.x / pygpu_beside : threadIdx.x % pygpu_lanes;
    const unsigned pygpu_seat =
        pygpu_across ? threadIdx.x % pygpu_beside : threadIdx.x / pygpu_lanes;
    const unsigned pygpu_group = blockIdx.x % pygpu_groups;
    const size_t pygpu_output = size_t(pygpu_group) * pygpu_beside + pygpu_seat;
    const size_t pygpu_split = blockIdx.x / pygpu_groups;

    pygpu_item pygpu_neutral = $neutral;
    pygpu_item pygpu_sums[$sums] = {$starts};
    if (pygpu_output < pygpu_outputs) {
        $rows
        const auto pygpu_map = [&](const size_t i) -> pygpu_item { return ($map); };
        const size_t pygpu_begin = pygpu_split * pygpu_share;
        const size_t pygpu_end =
            pygpu_begin + pygpu_share < $n ? pygpu_begin + pygpu_share : $n;
        const size_t pygpu_step = size_t(pygpu_lanes) * PYGPU_WIDTH;
        size_t pygpu_at = pygpu_begin + size_t(pygpu_lane) * PYGPU_WIDTH;
        $loop
    }
#pragma unroll
    for (int pygpu_k = 1; pygpu_k < $sums; ++pygpu_k)
        pygpu_sums[0] = pygpu_reduce(pygpu_sums[0], pygpu_sums[pygpu_k]);
    const unsigned pygpu_apart = pygpu_across ? pygpu_beside : 1;
    pygpu_item pygpu_all =
        pygpu_joined(pygpu_sums[0], pygpu_lane, pygpu_lanes, pygpu_apart, pygpu_reduce);
    if (pygpu_splits > 1) {
        __shared__ bool pygpu_is_last;
        if (!pygpu_lane && pygpu_output < pygpu_outputs)
            pygpu_partial[pygpu_split * pygpu_outputs + pygpu_output] = pygpu_all;
        __threadfence();
        __syncthreads();
        if (!threadIdx.x)
            pygpu_is_last =
                atomicInc(&pygpu_counters[pygpu_group], pygpu_splits - 1) == pygpu_splits - 1;
        __syncthreads();
        if (!pygpu_is_last) return;
        __threadfence();
        pygpu_all = pygpu_neutral;
        if (pygpu_output < pygpu_outputs) {
#pragma unroll 4
            for (size_t i = pygpu_lane; i < pygpu_splits; i += pygpu_lanes)
                pygpu_all =
                    pygpu_reduce(pygpu_all, pygpu_partial[i * pygpu_outputs + pygpu_output]);
        }
        pygpu_all = pygpu_joined(pygpu_all, pygpu_lane, pygpu_lanes, pygpu_apart, pygpu_reduce);
    }
    if (pygpu_lane || pygpu_output >= pygpu_outputs) return;
    const auto pygpu_finish = [&](pygpu_item a) -> pygpu_result { return pygpu_result($finish); };
    pygpu_out[pygpu_output] = pygpu_finish(pygpu_all);
}
"""

_PLAIN = """
        for (; pygpu_at + (PYGPU_ROUNDS - 1) * pygpu_step < pygpu_end;
             pygpu_at += PYGPU_ROUNDS * pygpu_step) {
#pragma unroll
            for (int pygpu_round = 0; pygpu_round < PYGPU_ROUNDS; ++pygpu_round) {
                pygpu_item &sum = pygpu_sums[pygpu_round % $sums];
                sum = pygpu_reduce(sum, pygpu_map(pygpu_at + pygpu_round * pygpu_step));
            }
        }
        for (; pygpu_at < pygpu_end; pygpu_at += pygpu_step)
            pygpu_sums[0] = pygpu_reduce(pygpu_sums[0], pygpu_map(pygpu_at));
"""

_PACKED = """
        const auto pygpu_map_loaded = [&]($loaded const size_t i) -> pygpu_item { return ($map); };
        for (; pygpu_at + (PYGPU_ROUNDS - 1) * pygpu_step + PYGPU_WIDTH <= pygpu_end;
             pygpu_at += PYGPU_ROUNDS * pygpu_step) {
            $packs
#pragma unroll
            for (int pygpu_round = 0; pygpu_round < PYGPU_ROUNDS; ++pygpu_round) { $loads }
#pragma unroll
            for (int pygpu_round = 0; pygpu_round < PYGPU_ROUNDS; ++pygpu_round) {
                pygpu_item &sum = pygpu_sums[pygpu_round % $sums];
#pragma unroll
                for (int pygpu_k = 0; pygpu_k < PYGPU_WIDTH; ++pygpu_k)
                    sum = pygpu_reduce(
                        sum, pygpu_map_loaded($elements
                                              pygpu_at + pygpu_round * pygpu_step + pygpu_k));
            }
        }
        for (; pygpu_at + PYGPU_WIDTH <= pygpu_end; pygpu_at += pygpu_step) {
            $pack
            $load
#pragma unroll
            for (int pygpu_k = 0; pygpu_k < PYGPU_WIDTH; ++pygpu_k)
                pygpu_sums[0] = pygpu_reduce(pygpu_sums[0],
                                             pygpu_map_loaded($element pygpu_at + pygpu_k));
        }
        for (; pygpu_at < pygpu_end; ++pygpu_at) // less than a pack
            pygpu_sums[0] = pygpu_reduce(pygpu_sums[0], pygpu_map(pygpu_at));
"""


class ReductionKernel:
    """A reduction of arrays to one number: `map_expr` of each element, joined by `reduce_expr`.

    dtype_out: of the result, and of the sums on the way to it
    neutral: where a sum starts: "0" for a + b
    reduce_expr: joins `a` and `b`. It must be associative and commutative.
    map_expr: of element `i`, as "x[i] * y[i]"; n is the number of elements. By default "in[i]"
    arguments: as C declares them, "const float *x, float s", or VectorArg and ScalarArg objects
    options, preamble: of the compiler, and text before the kernels

    It stands for pycuda.reduction.ReductionKernel, and takes strided arrays, too. i counts the
    elements of the first array in C order, or in the order of memory if all arrays are in F order,
    as in PyCUDA. Equal calls on one device give equal bits.
    """

    def __init__(
        self,
        dtype_out: Any,
        neutral: Any,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: str | Sequence[Argument] | None = None,
        name: str = "reduce_kernel",
        keep: bool = False,
        options: Any = None,
        preamble: str = "",
        allocator: Any = None,
    ) -> None:
        call = "ReductionKernel()"
        if keep:
            raise ValueError(
                f"{call}: parameter 'keep' must be False: there are no temporary files"
            )
        if arguments is None:
            raise TypeError(f"{call}: parameter 'arguments' must be C declarations, not None")
        self.dtype_out = np.dtype(dtype_out)
        self.allocator = allocator
        self._reduction = Reduction(
            call, arguments_of(arguments, call), map_expr or "in[i]", reduce_expr, str(neutral),
            self.dtype_out, name=name, options=options, preamble=preamble,
        )  # fmt: skip

    def __call__(
        self, *args: Any, stream: Any = None, out: Any = None, allocator: Any = None
    ) -> Any:
        """Reduce arrays: `args` are those that the declarations name.

        The result is a GPUArray without axes; with `out`, that array, whose first element it sets.
        Its memory is of `allocator`, by default the first array's. ValueError and TypeError for
        arguments that don't fit, CompileError, GPUError.
        """
        if out is not None:
            self._check_out(out)
            operands.check_output(out, "out", self._reduction.call, _device_of(args, out))
        return self._reduction(args, None, out, stream, allocator or self.allocator)

    def _check_out(self, out: Any) -> None:
        call = self._reduction.call
        if not isinstance(out, arrays.Array):
            raise TypeError(f"{call}: parameter 'out' must be a GPUArray, not {type(out).__name__}")
        if out.dtype != self.dtype_out or not out.size:
            raise ValueError(
                f"{call}: parameter 'out' must have an element of {self.dtype_out}, not {out.size} "
                f"of {out.dtype}"
            )


def _device_of(values: Sequence[Any], otherwise: Any) -> int:
    """The device of the first array among some values."""
    found = next((one for one in values if isinstance(one, arrays.Array)), otherwise)
    device: int = found.device
    return device
