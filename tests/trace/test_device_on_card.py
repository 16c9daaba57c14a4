"""Times of kernels and copies on a card, from the real CUPTI.

A test that fails shows all events of its trace, and what the two clocks said.
"""

from __future__ import annotations

import contextlib
import io
import threading
import time

import numpy as np

import PyGPU
from PyGPU import checked as gpu
from PyGPU import cu
from tests.own_interpreter import own_interpreter
from tests.trace.faults import module

on_card = own_interpreter("with_cupti")
# Both clocks are read by the interpreter, and CUPTI fits the card's clock to its own.
TOLERANCE = 100_000

SPIN = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 cycles)
{
    .reg .u64 %d<4>;
    .reg .pred %p;
    ld.param.u64 %d1, [cycles];
    mov.u64 %d2, %clock64;
again:
    mov.u64 %d3, %clock64;
    sub.u64 %d3, %d3, %d2;
    setp.lt.u64 %p, %d3, %d1;
    @%p bra again;
    ret;
}
"""


def shown(trace) -> None:
    """Print the trace: pytest shows it if the test fails."""
    from PyGPU._trace.formats import FORMATS
    from PyGPU._trace.summary import summary

    events = trace.events()
    print(*list(FORMATS["txt"](events))[:120], sep="\n")
    print(trace.summary())
    print(summary(events)["devices"], PyGPU.cupti.cuptiGetVersion())


@on_card
def test_each_way_to_queue_work_has_its_times_and_its_caller():
    """A kernel object, the driver's and the runtime's call, arrays: all lead to their call."""
    add, array = module()["add_one"], PyGPU.zeros(1 << 20, np.int32)
    data = np.ones(1 << 20, np.int32)
    stream = PyGPU.Stream()
    with PyGPU.trace() as trace:
        add[4096, 256](array)
        cu.checked.cuLaunchKernel(add, 4096, 1, 1, 256, 1, 1, 0, stream, [array], None)
        gpu.cudaMemset(array, 0, 4096)
        gpu.cudaMemcpy(array, data, 8192, PyGPU.cudaMemcpyHostToDevice)
        gpu.cudaMemcpyAsync(array, array.ptr + 65536, 1024, PyGPU.cudaMemcpyDeviceToDevice, stream)
        array.set(data)
        array.get()
        stream.synchronize()
        gpu.cudaDeviceSynchronize()
    shown(trace)
    kernels = [one for one in trace.kernels if one.name == "add_one"]
    assert len(kernels) == 2
    assert {one.caller.rpartition(":")[0] for one in kernels} == {__file__}
    assert kernels[0].stream != kernels[1].stream
    sizes = [(one.kind, one.bytes) for one in trace.work]
    for expected in (("set", 4096), ("copy", 8192), ("copy", 1024)):
        assert expected in sizes
    moved = sum(one.bytes for one in trace.work if one.kind == "copy")
    assert moved == 8192 + 1024 + 2 * data.nbytes
    calls = {(one.thread, one.start): one for one in trace.calls}
    for one in trace.work:
        assert one.launched, one
        call = calls[one.thread, one.launched]
        assert call.start - TOLERANCE <= one.start, (call, one)
    assert trace.summary().count("launches have no time") == 0


@on_card
def test_times_agree_with_the_programs_clock_and_with_events():
    """A kernel of some milliseconds lies between its launch and the end of the wait for it."""
    kernel = PyGPU.Module(SPIN)["spin"]
    kernel[1, 1](np.uint64(1000))
    gpu.cudaDeviceSynchronize()
    with PyGPU.trace() as trace:
        for _ in range(5):
            begin = PyGPU.Event().record()
            before = time.monotonic_ns()
            kernel[1, 1](np.uint64(10_000_000))
            end = PyGPU.Event().record()
            gpu.cudaDeviceSynchronize()
            after = time.monotonic_ns()
            print("event", end - begin, "ms; around", before, after, after - before)
    shown(trace)
    assert len(trace.kernels) == 5
    last = trace.kernels[-1]
    assert before - TOLERANCE <= last.start and last.start + last.duration <= after + TOLERANCE
    assert abs(last.duration / 1e6 - (end - begin)) < 0.05 * (end - begin) + 0.05, last
    (numbers,) = trace_numbers(trace)
    assert numbers["gaps"]["count"] == 4
    assert 0.5 < numbers["busy"] / numbers["duration"] <= 1


def trace_numbers(trace):
    from PyGPU._trace.summary import summary

    return summary(trace.events())["devices"]


@on_card
def test_kernels_of_a_graph_are_of_its_launch():
    """All nodes lead to the call that launched the graph; a captured launch has no time."""
    add, array = module()["add_one"], PyGPU.zeros(1000, np.int32)
    stream = PyGPU.Stream()
    with PyGPU.trace() as trace:
        with stream.capture() as graph:
            for _ in range(3):
                add[4, 250, stream](array)
        for _ in range(2):
            graph.launch(stream)
        stream.synchronize()
    shown(trace)
    kernels = [one for one in trace.kernels if one.name == "add_one"]
    assert len(kernels) == 6
    launches = [one.start for one in trace.calls if one.name.endswith("GraphLaunch")]
    assert {one.launched for one in kernels} == set(launches) and len(launches) == 2
    assert "3 launches have no time: captured, or running at the end" in trace.summary()


@on_card
def test_threads_that_launch_with_and_without_the_gil_do_not_hang():
    """CUPTI's callbacks wait for no GIL: 16 threads, and buffers that change hands meanwhile."""
    add = module()["add_one"]

    def work():
        array, stream = PyGPU.zeros(1000, np.int32), PyGPU.Stream()
        for _ in range(2000):
            add[4, 250, stream](array)
            gpu.cudaGetDevice()  # keeps the GIL
        stream.synchronize()

    with PyGPU.trace() as trace:
        threads = [threading.Thread(target=work) for _ in range(16)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    kernels = [one for one in trace.kernels if one.name == "add_one"]
    print(trace.summary())
    assert len(kernels) == 32_000
    assert all(one.caller for one in kernels)
    assert len({one.thread for one in kernels}) == 16


@on_card
def test_cupti_is_left_to_another_tool_and_used_again():
    """The real library says that it has a subscriber, and that buffers are registered."""
    cupti, array = PyGPU.cupti, PyGPU.zeros(1000, np.float32)
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        for _ in range(3):
            with PyGPU.trace() as trace:
                array.get()
            print([one.name for one in trace.work])
            assert trace.work
        assert not said.getvalue()
        with cupti.CUpti_SubscriberHandle(callback=print), PyGPU.trace() as trace:
            array.get()
        print(said.getvalue())
        assert "another tool uses CUPTI" in said.getvalue() and not trace.work
        with PyGPU.trace() as trace:
            array.get()
        assert trace.work
        cupti.checked.cuptiActivityRegisterCallbacks(lambda: 4096, lambda *given: None)
        with PyGPU.trace() as trace:
            array.get()
    print(said.getvalue())
    assert "registered buffers of its own" in said.getvalue() and not trace.work


@on_card
def test_what_it_costs_stays_small():
    """Launches a second without a trace, without the device's times, and with them."""
    add, array = module()["add_one"], PyGPU.zeros(32, np.int32)
    gpu.cudaDeviceSynchronize()
    rates, starts = {}, {}
    for name, trace in (
        ("no trace", contextlib.nullcontext()),
        ("calls", PyGPU.trace(device=False)),
        ("calls and times", PyGPU.trace()),
    ):
        starting = time.perf_counter()
        with trace:
            begin = time.perf_counter()
            starts[name] = begin - starting
            for _ in range(50):
                for _ in range(200):
                    add[1, 32](array)
                gpu.cudaDeviceSynchronize()
            rates[name] = 10_000 / (time.perf_counter() - begin)
    print({name: f"{rate:,.0f} launches/s" for name, rate in rates.items()})
    print({name: f"began in {1e3 * seconds:.1f} ms" for name, seconds in starts.items()})
    assert rates["calls and times"] > 10_000, rates
