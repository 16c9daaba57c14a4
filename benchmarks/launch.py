"""What a launch costs: C++, PyGPU's three forms and the peers, by turns, in nanoseconds.

    python benchmarks/launch.py [--rounds N] [--launches N] [--json FILE|-] [--png FILE] [--check]

Kernels without arguments, with 4 and with 16 are launched on one stream. After each round the
program waits for the stream, so that the queue is never full. All candidates run in one process on
one driver and context. They take turns, and each round begins with another candidate. A few
launches come before the timed ones: they bring the candidate's code into the processor's caches.

"bare call" is the least that any binding can cost (bare.cpp): a Python function that releases the
GIL and launches with arguments that were packed before. "bare call, given all" gets the arguments
of PyGPU's raw launch, in a new list, and reads none of them: this is the interpreter's part of that
launch. The program also measures a graph of 100 launches, captured from PyGPU.Kernel and replayed,
and launches on two streams by turns. The latter are empty kernels, and kernels that keep the card
busy for a while, which overlap on a card. For a peer that isn't installed or can't launch here, the
table gives the reason.

With --check the exit code is 1 if a form of PyGPU misses its target. A raw launch, by the driver or
by the runtime, may take 400 ns more than the same call in C++ with 4 arguments in a new list, and
200 ns more without arguments. PyGPU.Kernel must not be slower than a peer.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
from measure import Cell, machine, print_table, run, write_json
from twin import build_extension, compile_twin

import PyGPU
from PyGPU import compiler, cu

SOURCE = r"""
extern "C" __global__ void none() {}
extern "C" __global__ void four(float *x, float *y, float a, int n) {
    if (n < 0) y[0] = a * x[0];
}
extern "C" __global__ void sixteen(float *a, float *b, float *c, float *d, float *e, float *f,
                                   float *g, float *h, int i, int j, int k, int l, float m,
                                   float n, float o, float p) {
    if (i < 0) a[0] = *b + *c + *d + *e + *f + *g + *h + i + j + k + l + m + n + o + p;
}
extern "C" __global__ void busy(long long cycles) {
    for (long long begin = clock64(); clock64() - begin < cycles;) {}
}
"""
COUNTS = {"none": 0, "four": 4, "sixteen": 16}
GRID, BLOCK = 1, 32
BUSY, BUSY_ON_TWO = "10 busy kernels", "10 busy kernels on two streams"
BUSY_CYCLES = 200_000  # about 100 us
OVERLAP = 0.75  # the most that two streams may take of one stream's time
IN_CPP, IN_CPP_BY_RUNTIME = "C++", "C++, cudaLaunchKernel"
WARM = 20  # launches of each candidate before it is timed
TARGETS = {"none": 200.0, "four": 400.0}  # ns over C++, of each raw launch

Loop = Callable[[int], None]  # makes so many launches


def loop(launch: str, names: dict[str, object]) -> Loop:
    """A loop around a launch, as a user writes it: with local names, and without a call between.

    `*given` stands for the arguments, written out one by one.
    """
    given = cast("list[object]", names["given"]) if "*given" in launch and "given" in names else []
    each = {f"given_{at}": one for at, one in enumerate(given)}
    names = {**names, **each}
    launch = launch.replace("*given", ", ".join(each)) if each else launch.replace("*given, ", "")
    launch = launch.replace("*given", "")
    defaults = ", ".join(f"{name}={name}" for name in names)
    scope = globals() | names
    exec(f"def run(calls, {defaults}):\n    for _ in range(calls):\n        {launch}\n", scope)
    return cast("Loop", scope["run"])


def scalars(name: str) -> list[object]:
    """The arguments after the pointers, as numpy scalars."""
    if name == "sixteen":
        return [np.int32(1)] * 4 + [np.float32(1)] * 4
    return [np.float32(2), np.int32(5)] if name == "four" else []


def pointers(name: str) -> int:
    """How many pointers come first."""
    return {"none": 0, "four": 2, "sixteen": 8}[name]


class Peers:
    """The candidates; each method imports what it needs."""

    def __init__(self) -> None:
        PyGPU.checked.cudaFree(None)
        self.stream = PyGPU.Stream()
        self.other = PyGPU.Stream()
        self.handle = int(self.stream)
        self.image = compiler.compile(SOURCE, cache=False)
        self.module = PyGPU.Module(self.image)
        self.memory = [PyGPU.zeros(16, np.float32) for _ in range(8)]
        self.addresses = [one.ptr for one in self.memory]

    def bare_launch(self, name: str) -> Callable[..., object]:
        """The function of bare.cpp, prepared for a kernel."""
        words = [*self.addresses[: pointers(name)]]
        words += [int.from_bytes(one.tobytes(), "little") for one in scalars(name)]
        with tempfile.TemporaryDirectory() as folder:
            launch = build_extension(Path(__file__).with_name("bare.cpp"), folder).launch
        launch(
            cu.address("cuLaunchKernel"), self.module[name].handle, GRID, BLOCK, self.handle, words
        )
        return cast("Callable[..., object]", launch)

    def bare(self, name: str) -> Loop:
        """The least that a call can cost."""
        return loop("launch()", {"launch": self.bare_launch(name)})

    def bare_given_all(self, name: str) -> Loop:
        """The same function, called with the arguments of PyGPU.cu.cuLaunchKernel."""
        return self.raw(name, self.bare_launch(name))

    def raw(self, name: str, launch: Callable[..., object] = cu.cuLaunchKernel) -> Loop:
        """PyGPU.cu.cuLaunchKernel with a new list of arguments."""
        function = cu.CUfunction(self.module[name].handle)
        stream = cu.CUstream(self.handle)
        given = [ctypes.c_void_p(one) for one in self.addresses[: pointers(name)]] + scalars(name)
        if name == "none":
            return loop("launch(function, GRID, 1, 1, BLOCK, 1, 1, 0, stream, [], None)", locals())
        return loop(
            "launch(function, GRID, 1, 1, BLOCK, 1, 1, 0, stream, [*given], None)", locals()
        )

    def raw_none(self, name: str) -> Loop:
        """The same with a prepared list, or None."""
        launch, function = cu.cuLaunchKernel, cu.CUfunction(self.module[name].handle)
        stream = cu.CUstream(self.handle)
        values = [ctypes.c_void_p(one) for one in self.addresses[: pointers(name)]]
        given = values + scalars(name) or None
        return loop("launch(function, GRID, 1, 1, BLOCK, 1, 1, 0, stream, given, None)", locals())

    def runtime_kernel(self, name: str) -> object:
        """The kernel as the runtime knows it."""
        cuda = PyGPU.cuda.checked
        if not hasattr(self, "library"):
            self.library = cuda.cudaLibraryLoadData(self.image, None, None, 0, None, None, 0)
        return cuda.cudaLibraryGetKernel(self.library, name)

    def runtime(self, name: str) -> Loop:
        """PyGPU.cuda.cudaLaunchKernel by a kernel of a library, with a new list."""
        launch = PyGPU.cuda.cudaLaunchKernel
        kernel = self.runtime_kernel(name)
        stream = PyGPU.cuda.cudaStream_t(self.handle)
        given = [ctypes.c_void_p(one) for one in self.addresses[: pointers(name)]] + scalars(name)
        grid, block = (GRID, 1, 1), (BLOCK, 1, 1)
        return loop("launch(kernel, grid, block, [*given], 0, stream)", locals())

    def kernel(self, name: str) -> Loop:
        """PyGPU.Kernel with keywords, arrays, ints and floats."""
        kernel, stream = self.module[name], self.stream
        given = [*self.memory[: pointers(name)], *(one.item() for one in scalars(name))]
        grid, block = (GRID, 1), (BLOCK, 1, 1)
        return loop("kernel(*given, grid=grid, block=block, stream=stream)", locals())

    def configured(self, name: str) -> Loop:
        """PyGPU.Kernel, configured once by brackets."""
        kernel = self.module[name][GRID, BLOCK, self.stream]
        given = [*self.memory[: pointers(name)], *(one.item() for one in scalars(name))]
        return loop("kernel(*given)", locals())

    def cupy(self, name: str) -> Loop:
        """cupy.RawModule's kernel."""
        import cupy

        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(self.image)
            file.flush()
            kernel = cupy.RawModule(path=file.name).get_function(name)
        arrays = [cupy.zeros(16, np.float32) for _ in range(pointers(name))]
        given = (*arrays, *scalars(name))
        stream = cupy.cuda.ExternalStream(self.handle)
        grid, block = (GRID,), (BLOCK,)
        stream.use()
        return loop("kernel(grid, block, given)", locals())

    def bindings(self, name: str) -> Loop:
        """cuda-bindings' cuLaunchKernel with (values, types)."""
        from cuda.bindings import driver

        function = driver.CUfunction(self.module[name].handle)
        stream = driver.CUstream(self.handle)
        values = (*self.addresses[: pointers(name)], *(one.item() for one in scalars(name)))
        kinds = {np.float32: ctypes.c_float, np.int32: ctypes.c_int}
        types = (*[ctypes.c_void_p] * pointers(name), *(kinds[type(s)] for s in scalars(name)))
        given = (values, types) if values else 0
        launch = driver.cuLaunchKernel
        return loop("launch(function, GRID, 1, 1, BLOCK, 1, 1, 0, stream, given, 0)", locals())

    def core(self, name: str) -> Loop:
        """cuda.core's launch()."""
        try:
            from cuda import core
        except ImportError:
            from cuda.core import experimental as core
        if not hasattr(core, "launch"):
            from cuda.core import experimental as core
        launch = core.launch

        device = core.Device()
        device.set_current()
        kernel = core.ObjectCode.from_cubin(bytes(self.image)).get_kernel(name)
        stream = device.create_stream(self.stream)
        config = core.LaunchConfig(grid=GRID, block=BLOCK)
        given = (*self.addresses[: pointers(name)], *scalars(name))
        return loop("launch(stream, config, kernel, *given)", locals())

    def numba(self, name: str) -> Loop:
        """A kernel of numba-cuda with as many arguments."""
        from numba import cuda

        if not hasattr(np, "row_stack"):  # some numba-cuda need it, new numpy lacks it
            np.row_stack = np.vstack  # type: ignore[attr-defined]
        arrays = [cuda.to_device(np.zeros(16, np.float32)) for _ in range(pointers(name))]
        given = [*arrays, *scalars(name)]
        names = [f"a{at}" for at in range(len(given))]
        scope: dict[str, object] = {}
        exec(f"def {name}({', '.join(names)}):\n    pass\n", scope)
        stream = cuda.external_stream(self.handle)
        kernel = cuda.jit(scope[name])[GRID, BLOCK, stream]
        return loop("kernel(*given)", locals())

    def torch(self, name: str) -> Loop:
        """torch's own compiled kernel, with tensors."""
        import torch

        kernel = torch.cuda._compile_kernel(SOURCE, name)
        given = [torch.zeros(16, device="cuda") for _ in range(pointers(name))]
        given += [one.item() for one in scalars(name)]
        torch.cuda.set_stream(torch.cuda.ExternalStream(self.handle))
        grid, block = (GRID, 1, 1), (BLOCK, 1, 1)
        return loop("kernel(grid, block, given)", locals())

    def triton(self, name: str) -> Loop:
        """A kernel of triton with as many arguments, launched with a grid."""
        import torch
        import triton

        arrays = [torch.zeros(16, device="cuda") for _ in range(pointers(name))]
        given = [*arrays, *(one.item() for one in scalars(name))]
        names = [f"a{at}" for at in range(len(given))]
        folder = tempfile.mkdtemp()
        path = Path(folder) / "triton_kernels.py"  # triton reads the source of functions
        path.write_text(
            f"import triton\n\n@triton.jit\ndef {name}({', '.join(names)}):\n    pass\n"
        )
        scope: dict[str, object] = {"__name__": "triton_kernels"}
        exec(compile(path.read_text(), str(path), "exec"), scope)
        kernel = scope[name]
        stream = torch.cuda.ExternalStream(self.handle)
        torch.cuda.set_stream(stream)
        launch = kernel[(GRID,)]  # type: ignore[index]
        del triton
        return loop("launch(*given, num_warps=1)", locals())


CANDIDATES = {
    "bare call": "bare",
    "bare call, given all": "bare_given_all",
    "PyGPU.cu, new list": "raw",
    "PyGPU.cu, prepared": "raw_none",
    "PyGPU.cuda, new list": "runtime",
    "PyGPU.Kernel": "kernel",
    "PyGPU.Kernel[...]": "configured",
    "CuPy RawKernel": "cupy",
    "cuda-bindings": "bindings",
    "cuda.core": "core",
    "numba-cuda": "numba",
    "torch": "torch",
    "triton": "triton",
}
RAW = {"PyGPU.cu, new list": IN_CPP, "PyGPU.cuda, new list": IN_CPP_BY_RUNTIME}
PEERS = ("CuPy RawKernel", "cuda-bindings", "cuda.core", "numba-cuda", "torch", "triton")


def in_cpp(twin: ctypes.CDLL, peers: Peers, name: str) -> dict[str, Callable[[int], float]]:
    """Timers of launch.cpp, in nanoseconds of a launch: by the driver and by the runtime."""
    words = [*peers.addresses[: pointers(name)]]
    words += [int.from_bytes(one.tobytes(), "little") for one in scalars(name)]
    array = (ctypes.c_ulonglong * max(len(words), 1))(*words)
    twin.launches.restype = twin.runtime_launches.restype = ctypes.c_double
    pointer, stream = ctypes.c_void_p, ctypes.c_void_p(peers.handle)
    handle = peers.module[name].handle
    by, kernel = PyGPU.cuda.address("cudaLaunchKernel"), int(peers.runtime_kernel(name))
    rest = GRID, BLOCK, stream, array, len(words)

    def driver(launches: int) -> float:
        return float(twin.launches(ctypes.c_long(launches), pointer(handle), *rest))

    def runtime(launches: int) -> float:
        given = pointer(by), ctypes.c_long(launches), pointer(kernel)
        return float(twin.runtime_launches(*given, *rest))

    return {IN_CPP: driver, IN_CPP_BY_RUNTIME: runtime}


def timed(loop: Loop, launches: int) -> float:
    """Nanoseconds of a launch in a Python loop."""
    begin = time.perf_counter_ns()
    loop(launches)
    return (time.perf_counter_ns() - begin) / launches


def measure(
    peers: Peers, twin: ctypes.CDLL, options: argparse.Namespace
) -> dict[str, dict[str, Cell]]:
    """For each kernel some rounds, in which each candidate runs once."""
    found: dict[str, dict[str, Cell]] = {}
    for name in COUNTS:
        times = in_cpp(twin, peers, name)
        cells = found[name] = {shown: Cell() for shown in times}
        for shown, method in CANDIDATES.items():
            cells[shown] = Cell()
            try:
                launch = getattr(peers, method)(name)
                launch(1)
                peers.stream.synchronize()
            except Exception as error:
                said = str(error).strip().splitlines() or [""]
                cells[shown].absent = f"{type(error).__name__}: {said[0]}"
            else:
                times[shown] = functools.partial(timed, launch)
        for turn in range(options.rounds + 2):
            begin = turn % len(times)
            for shown in [*times, *times][begin : begin + len(times)]:
                times[shown](WARM)  # the candidate before has filled the processor's caches
                peers.stream.synchronize()
                took = times[shown](options.launches)
                peers.stream.synchronize()
                if turn > 1:
                    cells[shown].times.append(took)
    return found


def graphs_and_streams(peers: Peers, rounds: int) -> dict[str, Cell]:
    """A graph of 100 launches, replayed; and 100 launches on two streams by turns."""
    checked, count = PyGPU.checked, 100
    kernel = peers.module["four"]
    given = (*peers.memory[:2], 2.0, 5)
    mode = PyGPU.cudaStreamCaptureMode.cudaStreamCaptureModeRelaxed
    checked.cudaStreamBeginCapture(peers.stream, mode)
    for _ in range(count):
        kernel(*given, grid=GRID, block=BLOCK, stream=peers.stream)
    graph = checked.cudaStreamEndCapture(peers.stream)
    executable = checked.cudaGraphInstantiate(graph, 0)
    found = {"graph of 100, replayed": Cell(), "100 launches": Cell(), "100 on two streams": Cell()}
    found |= {BUSY: Cell(), BUSY_ON_TWO: Cell()}
    streams = peers.stream, peers.other
    busy = peers.module["busy"]
    for _ in range(rounds):
        begin = time.perf_counter_ns()
        checked.cudaGraphLaunch(executable, peers.stream)
        peers.stream.synchronize()
        found["graph of 100, replayed"].times.append(time.perf_counter_ns() - begin)
        for shown, used in (("100 launches", streams[:1] * 2), ("100 on two streams", streams)):
            begin = time.perf_counter_ns()
            for at in range(count):
                kernel(*given, grid=GRID, block=BLOCK, stream=used[at % 2])
            for stream in streams:
                stream.synchronize()
            found[shown].times.append(time.perf_counter_ns() - begin)
        for shown, used in ((BUSY, streams[:1] * 2), (BUSY_ON_TWO, streams)):
            begin = time.perf_counter_ns()
            for at in range(10):
                busy(BUSY_CYCLES, grid=1, block=1, stream=used[at % 2])
            for stream in streams:
                stream.synchronize()
            found[shown].times.append(time.perf_counter_ns() - begin)
    checked.cudaGraphExecDestroy(executable)
    checked.cudaGraphDestroy(graph)
    return found


def draw(found: dict[str, dict[str, Cell]], path: str) -> None:
    """Bars of the least times, a group for each kernel."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 5))
    shown = [one for one in found["four"] if found["four"][one].times]
    height = 0.8 / len(COUNTS)
    for group, (name, count) in enumerate(COUNTS.items()):
        values = [found[name][one].least / 1000 if found[name][one].times else 0 for one in shown]
        axes.barh(
            [at + group * height for at in range(len(shown))],
            values,
            height,
            label=f"{count} arguments",
        )
    axes.set_yticks([at + height for at in range(len(shown))], shown)
    axes.invert_yaxis()
    axes.set_xlabel("µs a launch, least of the rounds")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def missed(found: dict[str, dict[str, Cell]], besides: dict[str, Cell]) -> list[str]:
    """The targets that were missed, in words."""
    lines = []
    if besides[BUSY_ON_TWO].least > OVERLAP * besides[BUSY].least:
        lines.append("kernels on two streams don't overlap")
    for name, target in TARGETS.items():
        for raw, same in RAW.items():
            over = found[name][raw].least - found[name][same].least
            if over > target:
                lines.append(f"{name}: {raw} is {over:.0f} ns over {same}, {target:.0f} are due")
    for name, cells in found.items():
        peers = {one: cells[one].least for one in PEERS if cells[one].times}
        best = min(peers, key=peers.__getitem__, default=None)
        if best and cells["PyGPU.Kernel"].least > peers[best]:
            lines.append(f"{name}: PyGPU.Kernel is slower than {best}")
    return lines


def main() -> int:
    """Measure by turns, print the tables, write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40, help="rounds of each candidate")
    parser.add_argument("--launches", type=int, default=200, help="launches between waits")
    parser.add_argument("--json", metavar="FILE", help="write the numbers to FILE, or - for stdout")
    parser.add_argument("--png", metavar="FILE", help="draw them")
    parser.add_argument("--check", action="store_true", help="fail where a target is missed")
    options = parser.parse_args()
    peers = Peers()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(peers, compile_twin(__file__, folder), options)
    besides = graphs_and_streams(peers, options.rounds)
    lines = missed(found, besides)
    if options.json != "-":
        rows = [[one, *(str(found[name][one])[:40] for name in COUNTS)] for one in found["none"]]
        title = "ns per launch: least / median of the rounds"
        print_table(title, ["", *(f"{count} arguments" for count in COUNTS.values())], rows)
        print_table(
            "ns for all: least / median", ["", "time"], [[k, str(v)] for k, v in besides.items()]
        )
        print("\n".join(lines or ["all targets are met"]))
    if options.json:
        cells = {name: {k: v.as_json() for k, v in each.items()} for name, each in found.items()}
        data = {**machine(), "launches": options.launches, "launch": cells, "missed": lines}
        write_json(data | {"besides": {k: v.as_json() for k, v in besides.items()}}, options.json)
    if options.png:
        draw(found, options.png)
    return 1 if options.check and lines else 0


if __name__ == "__main__":
    sys.exit(run(main))
