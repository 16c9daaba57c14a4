"""What is over leaves nothing behind; what was freed serves again, for other sizes, too."""

from __future__ import annotations

import pytest

# What is done over and over: names of CUDA's, or HIP's where it says so.
TURNS = {
    "streams": """
        s = gpu.cudaStreamCreateWithFlags(1)
        gpu.cudaMemcpyAsync(memory, memory + 512, 512, 3, s)
        gpu.cudaStreamSynchronize(s)
        gpu.cudaStreamDestroy(s)""",
    "streams with attributes": """
        s = gpu.cudaStreamCreate()
        gpu.cudaStreamSetAttribute(s, PyGPU.cudaLaunchAttributePriority, -1)
        gpu.cudaStreamDestroy(s)""",
    "streams with work that they leave behind": """
        s = gpu.cudaStreamCreateWithFlags(1)
        gpu.cudaMemsetAsync(memory, 1, 1 << 17, s)
        gpu.cudaEventRecord(event, s)
        gpu.cudaStreamDestroy(s)""",
    "events": """
        e = gpu.cudaEventCreate()
        gpu.cudaEventRecord(e, 0)
        gpu.cudaEventDestroy(e)""",
    "pools": """
        q = gpu.cudaMemPoolCreate({"allocType": 1, "location": (1, 0)})
        p = gpu.cudaMallocFromPoolAsync(512, q, stream)
        gpu.cudaFreeAsync(p, stream)
        gpu.cudaMemPoolDestroy(q)""",
    "arrays": "gpu.cudaFreeArray(gpu.cudaMallocArray((8, 0, 0, 0, 0), 64, 8, 0))",
    "memory": "gpu.cudaFree(gpu.cudaMalloc(4096)), gpu.cudaFreeHost(gpu.cudaMallocHost(4096))",
    "managed memory": """
        p = gpu.cudaMallocManaged(8192, 1)
        gpu.cudaMemAdvise(p, 4096, 1, (1, 0))
        gpu.cudaFree(p)""",
    "contexts of HIP's": "hip.hipCtxDestroy(hip.hipCtxCreate(0, 0)[0])",
    "failing calls": "PyGPU.cudaFree(16), PyGPU.cudaStreamQuery(gone), PyGPU.cudaSetDevice(99)",
}


@pytest.mark.parametrize("turn", TURNS)
def test_what_is_over_leaves_nothing_behind(on_host, turn):
    on_host(
        """
        import os, sys, PyGPU, PyGPU.hip
        gpu, hip = PyGPU.checked, PyGPU.hip
        memory, event = gpu.cudaMalloc(1 << 18), gpu.cudaEventCreate()
        stream, gone = gpu.cudaStreamCreate(), gpu.cudaStreamCreate()
        gpu.cudaStreamDestroy(gone)
        turn = compile(sys.argv[1], "turn", "exec")
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
        def go_round(turns):
            for _ in range(turns):
                exec(turn)
        go_round(3000)
        before = resident()
        go_round(15000)
        assert resident() - before < 1 << 20, (before, resident())
        """,
        "\n".join(line.strip() for line in TURNS[turn].splitlines()),
    )


def test_streams_that_are_idle_need_no_thread(on_host):
    on_host("""
        import threading, PyGPU
        gpu, done = PyGPU.checked, []
        streams = [gpu.cudaStreamCreateWithFlags(1) for _ in range(2000)]
        for stream in streams:
            gpu.cudaLaunchHostFunc(stream, done.append, None)
            gpu.cudaStreamSynchronize(stream)
        assert len(done) == 2000
        with open("/proc/self/status") as file:
            threads = next(int(line.split()[1]) for line in file if line.startswith("Threads"))
        assert threads < 100, threads
    """)


def test_many_streams_at_work_at_once(on_host):
    """Each has a thread then; none waits for another's end."""
    on_host("""
        import threading, PyGPU
        gpu, count = PyGPU.checked, 200
        streams = [gpu.cudaStreamCreateWithFlags(1) for _ in range(count)]
        meeting = threading.Barrier(count)
        for _ in range(3):
            for stream in streams:
                gpu.cudaLaunchHostFunc(stream, lambda _: meeting.wait(), None)
            gpu.cudaDeviceSynchronize()
    """)


LIMITED = """
    import resource, PyGPU, PyGPU.host
    MiB = 1 << 20
    gpu = PyGPU.checked
    gpu.cudaFree(gpu.cudaMalloc(64))  # the library has set itself up
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (used + 200 * MiB,) * 2)
"""


def test_pieces_that_were_freed_serve_for_larger_ones(on_host):
    on_host(
        LIMITED
        + """
    free = gpu.cudaMemGetInfo()[0]
    for size in (10, 20, 30):
        pieces = [gpu.cudaMalloc(size * MiB) for _ in range(150 // size)]
        for piece in pieces:
            gpu.cudaFree(piece)
        assert gpu.cudaMemGetInfo()[0] == free
    """
    )


def test_a_process_without_more_addresses_gets_codes(on_host):
    on_host(
        LIMITED
        + """
    held = []
    while True:
        pointer, error = PyGPU.cudaMalloc(MiB + 1)
        if error:
            break
        held.append(pointer)
    assert error == PyGPU.cudaErrorMemoryAllocation and 100 < len(held) < 200
    streams = [PyGPU.cudaStreamCreateWithFlags(1) for _ in range(100)]
    codes = {int(PyGPU.cudaMemsetAsync(p, 0, MiB, s)) for p, (s, e) in zip(held, streams) if not e}
    assert codes <= {0, 2, 304}, codes
    for pointer in held:
        gpu.cudaFree(pointer)
    assert gpu.cudaMalloc(100 * MiB)
    """
    )


def test_handles_stay_handles_where_addresses_are_few(on_host):
    on_host("""
        import resource, PyGPU
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * 4096
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30),) * 2)
        handles = [int(PyGPU.checked.cudaStreamCreate()) for _ in range(10)]
        assert len(set(handles)) == 10 and min(handles) > 1 << 32, handles
    """)
