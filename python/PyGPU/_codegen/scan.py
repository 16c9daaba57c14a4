"""Scans: running sums by any associative expression, in segments too.

The elements are cut into intervals, one for each block. A first launch sums the intervals, and the
block that is done last scans these sums. A second launch scans each interval, from the sum of those
before it. Where the output may overwrite what the input of another element still needs, the first
launch keeps its scans in a buffer, and the second reads that. A single interval needs no sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import Template
from typing import Any, NamedTuple

import numpy as np

from PyGPU._codegen import headers, loading, operands
from PyGPU._codegen.arguments import Argument, ScalarArg, VectorArg, arguments_of
from PyGPU._codegen.c_types import dtype_to_ctype
from PyGPU._codegen.operands import Axes, Table
from PyGPU._codegen.reduction import Item
from PyGPU._core import arrays
from PyGPU._kernels.kernel import Kernel

LIMITS = ((4, 15), (8, 7), (16, 3))  # sizes of items, and so many for each thread. Odd numbers
# keep threads that read shared memory side by side in banks of their own.


class Loaded(NamedTuple):
    """The kernels on a device."""

    sums: Kernel
    output: Kernel
    resident: int  # blocks that run at once
    counters: loading.Counters


class Layout(NamedTuple):
    """What decides the kernels' source beside the scan."""

    axes: tuple[Axes | None, ...]
    words: int
    wide: bool


class Scan:
    """Kernels for some arguments, expressions and types; GenericScanKernel says what these mean."""

    def __init__(
        self,
        call: str,
        arguments: Sequence[VectorArg | ScalarArg],
        dtype: np.dtype[Any],
        input_expr: str,
        scan_expr: str,
        neutral: str | None,
        output_statement: str,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: Sequence[tuple[str, str, int]] = (),
        index_dtype: Any = np.int64,
        name: str = "scan",
        options: Any = None,
        preamble: str = "",
        item: Item | None = None,
    ) -> None:
        self.call, self.arguments, self.dtype = call, arguments, dtype
        self.item = item or Item(dtype_to_ctype(dtype), dtype.itemsize)
        self.input_expr, self.scan_expr, self.neutral = input_expr, scan_expr, neutral
        self.output, self.starts = output_statement, is_segment_start_expr
        self.fetches = list(input_fetch_exprs)
        self.index_dtype = np.dtype(index_dtype)
        self.name, self.options, self.preamble = name, options, preamble
        self.vectors = [one for one in arguments if isinstance(one, VectorArg)]
        self.scalars = [(at, one) for at, one in enumerate(arguments) if isinstance(one, ScalarArg)]
        if not self.vectors:
            raise ValueError(f"{call}: parameter 'arguments' must name an array")
        if self.index_dtype.kind != "i":
            raise TypeError(f"{call}: parameter 'index_dtype' must be a signed integer")
        self._most = np.iinfo(self.index_dtype).max
        self.uses_last = operands.has(output_statement, "last_item")
        self.uses_previous = operands.has(output_statement, "prev_item")
        if self.uses_previous and neutral is None:
            raise ValueError(
                f"{call}: parameter 'neutral' is missing: it is prev_item of the first element"
            )
        if self.uses_last and self.starts is not None:
            raise ValueError(f"{call}: last_item can't be used in a segmented scan")
        self._check_fetches()
        self.in_turn, self.direct = self._reads()
        self.size = self.item.size
        if self.starts is not None:  # two bools more, and padding
            unit = 8 if self.item.size % 16 else 16
            self.size = -(-(self.item.size + 2) // unit) * unit
        self.items = next((count for limit, count in LIMITS if self.size <= limit), 1)
        self.threads = operands.block_size(256, (self.items + 1) * self.size, call)
        self._loaded: dict[tuple[Layout, int], Loaded] = {}

    def _check_fetches(self) -> None:
        names = [one.name for one in self.vectors]
        for name, array, offset in self.fetches:
            if array not in names:
                raise ValueError(
                    f"{self.call}: parameter 'input_fetch_exprs': {array!r} isn't an array argument"
                )
            if offset not in (0, -1):
                raise ValueError(
                    f"{self.call}: parameter 'input_fetch_exprs': the offset of {name!r} must be "
                    f"0 or -1, not {offset!r}"
                )

    def _reads(self) -> tuple[frozenset[str], bool]:
        """The arrays that are read by i alone, and whether each output needs its own input only."""
        names = [one.name for one in self.vectors]
        inputs = [self.input_expr, self.starts or "", *(f"{one}[i]" for _, one, _ in self.fetches)]
        reads = operands.reads(names, inputs, self.preamble)
        both = operands.indexed(names, " ; ".join([*inputs, self.output]), self.preamble)
        used = {one for one in names if operands.has(" ".join([*inputs, self.output]), one)}
        looks_back = any(offset for _, _, offset in self.fetches)
        wrote = not reads.in_turn and any(operands.has(" ".join(inputs), one) for one in names)
        return both.in_turn, both.in_turn == used and not looks_back and not wrote

    def __call__(
        self, values: Sequence[Any], size: int | None = None, stream: Any = None,
        allocator: Any = None,
    ) -> None:  # fmt: skip
        """Scan as many elements as the first array has, or the first `size` of them."""
        chosen = operands.checked_arrays(self.arguments, values, self.call)
        values = list(values)
        for at, scalar in self.scalars:
            values[at] = operands.scalar(scalar, values[at], self.call)
        self._part(values, chosen, stream)
        first = chosen[0]
        count = first.size if size is None else size
        if not 0 <= count <= self._most:
            raise ValueError(f"{self.call}: {count} elements are too many for {self.index_dtype}")
        table = Table()
        axes = []
        for argument, one in zip(self.vectors, chosen, strict=True):
            if one.size < count and argument.name in self.in_turn:
                raise ValueError(
                    f"{self.call}: parameter {argument.name!r} has {one.size} elements, not {count}"
                )
            if not argument.is_const:
                operands.check_output(one, argument.name, self.call, first.device)
            axes.append(operands.axes_of(one, table))
        if not count:
            return
        layout = Layout(tuple(axes), len(table.words), table.wide)
        more = [table.value()] if table.words else []
        with loading.on_device(first.device):
            self._launch(
                layout, first.device, [*values, *more], count, stream, allocator or first.allocator
            )

    def _part(self, values: list[Any], chosen: list[Any], stream: Any) -> None:
        """Copy what is only read and shares memory with what is written. ValueError for others."""
        places = [at for at, one in enumerate(self.arguments) if isinstance(one, VectorArg)]
        for written in (at for at, one in enumerate(self.vectors) if not one.is_const):
            for at, one in enumerate(self.vectors):
                if at == written or not operands.share_memory(chosen[at], chosen[written]):
                    continue
                if not one.is_const:
                    raise ValueError(
                        f"{self.call}: parameters {self.vectors[written].name!r} and {one.name!r} "
                        "share memory: declare what is only read as const"
                    )
                chosen[at] = values[places[at]] = chosen[at].copy(stream=stream)

    def _launch(
        self, layout: Layout, device: int, values: list[Any], count: int, stream: Any,
        allocator: Any,
    ) -> None:  # fmt: skip
        key = (layout, device)
        loaded = self._loaded.get(key)
        if loaded is None or not loading.exists(loaded.sums):
            loaded = self._loaded[key] = self._load(layout)
        tile = self.threads * self.items
        tiles = -(-count // tile)
        interval = -(-tiles // loaded.resident) * tile
        blocks = -(-count // interval)
        totals: Any = 0
        buffer: Any = 0
        in_steps = blocks > 1 or self.uses_last or not self.direct
        if in_steps:
            totals = arrays.empty(self.size * blocks, np.uint8, stream=stream)
            counter = loaded.counters.on(stream, 1)
        if not self.direct:
            buffer = arrays.empty(self.size * count, np.uint8, stream=stream)
        more = (*values, count, interval, blocks)
        if in_steps:
            loaded.sums(
                totals, buffer, counter, *more, grid=blocks, block=self.threads, stream=stream
            )
        loaded.output(totals, buffer, *more, grid=blocks, block=self.threads, stream=stream)

    def _load(self, layout: Layout) -> Loaded:
        types = operands.parameter_types(self.arguments, layout.words)
        names = [f"{self.name}_{part}" for part in ("sums", "output")]
        sums, output = loading.kernels(self.source(layout), names, self.options)
        sums.prepare(["P", "P", "P", *types, self.index_dtype, "Q", "Q"])
        output.prepare(["P", "P", *types, self.index_dtype, "Q", "Q"])
        return Loaded(
            sums, output, loading.resident_blocks(sums, self.threads), loading.Counters(1)
        )

    def source(self, layout: Layout) -> str:
        """The text of both kernels."""
        types = {one.name: dtype_to_ctype(one.dtype) for one in self.vectors}
        fetches = [
            f"[[maybe_unused]] {types[array]} {name} = {array}[i{' - (i > 0)' if offset else ''}];"
            for name, array, offset in self.fetches
        ]
        is_segmented = self.starts is not None
        value = ".value" if is_segmented else ""
        previous = f"pygpu_before ? (*pygpu_before){value} : pygpu_type({self.neutral})"
        if is_segmented:
            previous = f"pygpu_now.begins ? pygpu_type({self.neutral}) : {previous}"
        last = "pygpu_type last_item = pygpu_totals[pygpu_blocks - 1];"
        texts = {
            "preamble": self.preamble,
            "device": operands.DEVICE,
            "words": operands.table_type(layout.words),
            "type": self.item.name,
            "index": dtype_to_ctype(self.index_dtype),
            "definition": _SEGMENTED if is_segmented else "typedef pygpu_type pygpu_item;",
            "threads": self.threads,
            "items": self.items,
            "direct": str(self.direct).lower(),
            "name": self.name,
            "parameters": operands.parameters(self.arguments, layout.words),
            "n": "pygpu_n" if any(one.name == "N" for one in self.arguments) else "N",
            "rows": " ".join(
                operands.row(one, axes, layout.wide)
                for one, axes in zip(self.vectors, layout.axes, strict=True)
            ),
            "fetches": " ".join(fetches),
            "input": self.input_expr,
            "start": _STARTS.replace("$starts", self.starts or "") if is_segmented else "",
            "read": "pygpu_item{pygpu_value, pygpu_starts, pygpu_starts}"
            if is_segmented
            else "pygpu_value",
            "scan": self.scan_expr,
            "joined": _JOINED if is_segmented else "pygpu_scan(a, b, false)",
            "value": value,
            "previous": f"pygpu_type prev_item = {previous};" if self.uses_previous else "",
            "last": last if self.uses_last else "",
            "output": self.output,
            "finish": Template(_DIRECT if self.direct else _BUFFERED).substitute(
                looks_back=str(self.uses_previous).lower()
            ),
        }
        texts["common"] = Template(_COMMON).substitute(texts)
        dtypes = [self.dtype, *(one.dtype for one in self.arguments)]
        return headers.includes_for(dtypes) + Template(_SOURCE).substitute(texts)


# What is scanned in segments: a value, whether a segment begins in what it is the sum of, and
# whether one begins with the element itself.
_SEGMENTED = "struct pygpu_item { pygpu_type value; bool passes, begins; };"
_JOINED = "pygpu_item{pygpu_scan(a.value, b.value, b.passes), a.passes || b.passes, b.begins}"

_STARTS = (
    "const bool pygpu_starts = [&]([[maybe_unused]] pygpu_type a) -> bool { return $starts; }"
    "(pygpu_value);"
)

_COMMON = """
    $rows
    const auto pygpu_scan = [&](pygpu_type a, pygpu_type b,
                                bool across_seg_boundary) -> pygpu_type { return ($scan); };
    [[maybe_unused]] const auto pygpu_join = [&](const pygpu_item &a,
                                                 const pygpu_item &b) -> pygpu_item {
        return $joined;
    };
    [[maybe_unused]] const auto pygpu_read = [&](size_t pygpu_at) -> pygpu_item {
        [[maybe_unused]] const pygpu_index i = pygpu_at;
        $fetches
        const pygpu_type pygpu_value = $input;
        $start
        return $read;
    };
    [[maybe_unused]] const size_t pygpu_begin = blockIdx.x * pygpu_size;
    [[maybe_unused]] const size_t pygpu_end =
        pygpu_begin + pygpu_size < size_t($n) ? pygpu_begin + pygpu_size : size_t($n);
"""

_SOURCE = """
$preamble
$device
$words
typedef $type pygpu_type;
typedef $index pygpu_index;
$definition
#define PYGPU_THREADS $threads
#define PYGPU_ITEMS $items

struct pygpu_shared { // of a block; bytes, as items may have constructors
    __align__(16) unsigned char items[PYGPU_THREADS * PYGPU_ITEMS * sizeof(pygpu_item)];
    __align__(16) unsigned char sums[(PYGPU_THREADS + 31) / 32 * sizeof(pygpu_item)];
    __align__(16) unsigned char carry[sizeof(pygpu_item)];
};

#ifdef __HIP__
__device__ unsigned pygpu_shuffle_up(unsigned word, unsigned lanes) {
    return __shfl_up(word, lanes, 32);
}
#else
__device__ unsigned pygpu_shuffle_up(unsigned word, unsigned lanes) {
    return __shfl_up_sync(PYGPU_THREADS < 32 ? (1u << PYGPU_THREADS % 32) - 1 : ~0u, word, lanes);
}
#endif

// The item of the thread that is so many lanes before this one in its warp.
__device__ pygpu_item pygpu_from_before(const pygpu_item &item, unsigned lanes) {
    unsigned words[(sizeof(pygpu_item) + 3) / 4] = {};
    memcpy(words, &item, sizeof item);
    for (unsigned &word : words) word = pygpu_shuffle_up(word, lanes);
    pygpu_item other = item;
    memcpy(&other, words, sizeof other);
    return other;
}

// Scans an interval by one block; a thread scans PYGPU_ITEMS neighbours of each tile. `before` is
// the sum of the intervals before it, `total` where its own goes.
template <bool WRITES, class Read, class Write, class Join>
__device__ void pygpu_interval(pygpu_shared &shared, size_t begin, size_t end,
                               const pygpu_item *before, pygpu_item *total, const Read &read,
                               const Write &write, const Join &join) {
    const unsigned tile_size = PYGPU_THREADS * PYGPU_ITEMS;
    pygpu_item *const items = reinterpret_cast<pygpu_item *>(shared.items);
    pygpu_item *const sums = reinterpret_cast<pygpu_item *>(shared.sums);
    pygpu_item *const carry = reinterpret_cast<pygpu_item *>(shared.carry);
    const unsigned thread = threadIdx.x, first = thread * PYGPU_ITEMS;
    const unsigned lane = thread % 32, warp = thread / 32;
    bool carries = before;
    if (!thread) {
        if (carries)
            *carry = *before;
        else
            memset(shared.carry, 0, sizeof shared.carry); // it is read early, and left out
    }
    pygpu_item loaded[PYGPU_ITEMS]; // of the next tile: its loads wait while this one is scanned
    const auto load = [&](size_t tile) {
#pragma unroll
        for (size_t k = 0, at = tile + thread; k < PYGPU_ITEMS; ++k, at += PYGPU_THREADS)
            if (at < end) loaded[k] = read(at);
    };
    load(begin);
    for (size_t tile = begin; tile < end; tile += tile_size) {
        const unsigned count = end - tile < tile_size ? end - tile : tile_size;
#pragma unroll
        for (unsigned k = 0, at = thread; k < PYGPU_ITEMS; ++k, at += PYGPU_THREADS)
            if (at < count) items[at] = loaded[k];
        __syncthreads();
        load(tile + tile_size);

        const unsigned last = first + PYGPU_ITEMS < count ? first + PYGPU_ITEMS : count;
        pygpu_item sum = items[first < last ? first : 0];
#pragma unroll
        for (unsigned at = 1; at < PYGPU_ITEMS; ++at)
            if (first + at < last) sum = join(sum, items[first + at]);
#pragma unroll
        for (unsigned apart = 1; apart < 32; apart *= 2) {
            const pygpu_item other = pygpu_from_before(sum, apart);
            if (lane >= apart) sum = join(other, sum);
        }
        const pygpu_item neighbour = pygpu_from_before(sum, 1);
        if (first < last && (lane == 31 || last == count)) sums[warp] = sum;
        __syncthreads();

        if (WRITES && first < last) {
            pygpu_item now = items[first];
            if (lane) now = join(neighbour, now);
            for (unsigned at = warp; at-- > 0;) now = join(sums[at], now);
            if (carries) now = join(*carry, now);
            items[first] = now;
#pragma unroll
            for (unsigned at = 1; at < PYGPU_ITEMS; ++at) {
                if (first + at < last) items[first + at] = now = join(now, items[first + at]);
            }
        }
        if (WRITES) {
            __syncthreads();
#pragma unroll
            for (unsigned at = thread; at < tile_size; at += PYGPU_THREADS)
                if (at < count)
                    write(tile + at, items[at], at ? &items[at - 1] : carries ? carry : nullptr);
            __syncthreads();
        }
        if (!thread) {
            pygpu_item now = carries ? join(*carry, sums[0]) : sums[0];
            for (unsigned at = 1; at * 32 * PYGPU_ITEMS < count; ++at) now = join(now, sums[at]);
            *carry = now;
        }
        carries = true;
    }
    if (!thread && total) *total = *carry;
}

extern "C" __global__ void __launch_bounds__(PYGPU_THREADS) ${name}_sums(
    pygpu_item *pygpu_totals, pygpu_item *pygpu_buffer, unsigned *pygpu_counter, $parameters,
    pygpu_index $n, size_t pygpu_size, size_t pygpu_blocks) {
    __shared__ pygpu_shared pygpu_memory;
    __shared__ bool pygpu_is_last;
    $common
    pygpu_interval<!$direct>(
        pygpu_memory, pygpu_begin, pygpu_end, nullptr, pygpu_totals + blockIdx.x, pygpu_read,
        [&](size_t at, const pygpu_item &now, const pygpu_item *) { pygpu_buffer[at] = now; },
        pygpu_join);
    if (!threadIdx.x) {
        __threadfence();
        pygpu_is_last = atomicInc(pygpu_counter, pygpu_blocks - 1) == pygpu_blocks - 1;
        __threadfence();
    }
    __syncthreads();
    if (!pygpu_is_last) return;
    pygpu_interval<true>(
        pygpu_memory, 0, pygpu_blocks, nullptr, nullptr,
        [&](size_t at) { return pygpu_totals[at]; },
        [&](size_t at, const pygpu_item &now, const pygpu_item *) { pygpu_totals[at] = now; },
        pygpu_join);
}

extern "C" __global__ void __launch_bounds__(PYGPU_THREADS) ${name}_output(
    pygpu_item *pygpu_totals, pygpu_item *pygpu_buffer, $parameters, pygpu_index $n,
    size_t pygpu_size, size_t pygpu_blocks) {
    $common
    const auto pygpu_write = [&](size_t pygpu_at, const pygpu_item &pygpu_now,
                                 const pygpu_item *pygpu_before) {
        [[maybe_unused]] const pygpu_index i = pygpu_at;
        [[maybe_unused]] pygpu_type item = pygpu_now$value;
        $previous
        $last
        $output;
    };
    const pygpu_item *pygpu_before = blockIdx.x ? pygpu_totals + blockIdx.x - 1 : nullptr;
    $finish
}
"""

_DIRECT = """
    __shared__ pygpu_shared pygpu_memory;
    pygpu_interval<true>(pygpu_memory, pygpu_begin, pygpu_end, pygpu_before, nullptr, pygpu_read,
                         pygpu_write, pygpu_join);
"""

_BUFFERED = """
    for (size_t at = pygpu_begin + threadIdx.x; at < pygpu_end; at += PYGPU_THREADS) {
        const auto sum = [&](size_t of) {
            return pygpu_before ? pygpu_join(*pygpu_before, pygpu_buffer[of]) : pygpu_buffer[of];
        };
        const pygpu_item now = sum(at);
        if ($looks_back && at > pygpu_begin) {
            const pygpu_item previous = sum(at - 1);
            pygpu_write(at, now, &previous);
        } else {
            pygpu_write(at, now, pygpu_before);
        }
    }
"""


class GenericScanKernel:
    """A scan as pyopencl's GenericScanKernel: of an expression, with a statement for each result.

    dtype: of what is scanned
    arguments: as C declares them, "const int *x, int *out", or VectorArg and ScalarArg objects. The
        size of the first array is the number of elements, N.
    input_expr: element `i`, as "x[i]"
    scan_expr: joins `a` and, behind it, `b`: "a + b". It must be associative. In segments it gets
        across_seg_boundary, whether a segment begins in b: "across_seg_boundary ? b : a + b"
    neutral: what prev_item is before the first element
    output_statement: with `item`, the result for element `i`; `prev_item`, that of the one before
        (neutral at the start of a segment); `last_item`, that of the last one (without segments)
    is_segment_start_expr: whether a segment begins with element `i`, whose input is `a`
    input_fetch_exprs: (name, array, offset) declares name = array[i + offset] for these
        expressions. The offset is 0 or -1; element 0 has itself before it.
    index_dtype: of i and N
    """

    def __init__(
        self,
        dtype: Any,
        arguments: str | Sequence[Argument],
        input_expr: str,
        scan_expr: str,
        neutral: Any,
        output_statement: str,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: Sequence[tuple[str, str, int]] = (),
        index_dtype: Any = np.int32,
        name_prefix: str = "scan",
        options: Any = None,
        preamble: str = "",
        devices: Any = None,
    ) -> None:
        call = "GenericScanKernel()"
        _refuse_devices(call, devices)
        self.dtype = np.dtype(dtype)
        self._scan = Scan(
            call, arguments_of(arguments, call), self.dtype, input_expr, scan_expr,
            None if neutral is None else str(neutral), output_statement, is_segment_start_expr,
            input_fetch_exprs, index_dtype, name_prefix, options, preamble,
        )  # fmt: skip

    def __call__(
        self, *args: Any, allocator: Any = None, stream: Any = None, queue: Any = None,
        size: int | None = None,
    ) -> None:  # fmt: skip
        """Scan: `args` are those that the declarations name; `size` limits the elements.

        `queue` is a stream. ValueError and TypeError for arguments that don't fit, CompileError,
        GPUError.
        """
        self._scan(args, size, queue if stream is None else stream, allocator)


class _ArrayScan:
    """A scan of one array into another."""

    _output: str

    def __init__(
        self,
        dtype: Any,
        scan_expr: str,
        neutral: Any = None,
        name_prefix: str = "scan",
        options: Any = None,
        preamble: str = "",
        devices: Any = None,
    ) -> None:
        call = f"{type(self).__name__}()"
        _refuse_devices(call, devices)
        self.dtype = np.dtype(dtype)
        arguments = [VectorArg(self.dtype, "input_ary", True), VectorArg(self.dtype, "output_ary")]
        self._scan = Scan(
            call, arguments, self.dtype, "input_ary[i]", scan_expr,
            None if neutral is None else str(neutral), f"output_ary[i] = {self._output}",
            name=name_prefix, options=options, preamble=preamble,
        )  # fmt: skip

    def __call__(
        self,
        input_ary: Any,
        output_ary: Any = None,
        allocator: Any = None,
        stream: Any = None,
        *,
        queue: Any = None,
    ) -> Any:
        """Scan an array in C order, into itself or into `output_ary`, which is returned.

        "new" as output_ary is a new array. `queue` is another name for `stream`. ValueError for
        another shape, TypeError for another dtype, CompileError, GPUError.
        """
        stream = queue if stream is None else stream
        if output_ary is None:
            output_ary = input_ary
        elif isinstance(output_ary, str):
            if output_ary != "new":
                raise ValueError(
                    f"{self._scan.call}: parameter 'output_ary' must be an array, None or 'new', "
                    f"not {output_ary!r}"
                )
            with loading.on_device(input_ary.device):
                output_ary = arrays.empty(
                    input_ary.shape, self.dtype, allocator=allocator or input_ary.allocator,
                    stream=stream,
                )  # fmt: skip
        if getattr(input_ary, "shape", None) != getattr(output_ary, "shape", None):
            raise ValueError(
                f"{self._scan.call}: parameter 'output_ary' must have the input's shape"
            )
        self._scan([input_ary, output_ary], None, stream, allocator)
        return output_ary


class InclusiveScanKernel(_ArrayScan):
    """A running sum by `scan_expr`, which joins `a` and, behind it, `b`: each with its element.

    dtype: of the arrays
    scan_expr: as "a + b". It must be associative, but needn't be commutative.
    neutral: isn't needed
    name_prefix, options, preamble: of the kernels, of the compiler, and text before the kernels
    """

    _output = "item"


class ExclusiveScanKernel(_ArrayScan):
    """A running sum by `scan_expr`, of the elements before each: the first result is `neutral`.

    The parameters are those of InclusiveScanKernel.
    """

    _output = "prev_item"


def _refuse_devices(call: str, devices: Any) -> None:
    if devices is not None:
        raise TypeError(
            f"{call}: parameter 'devices' must be None: kernels are compiled for the arrays' device"
        )
