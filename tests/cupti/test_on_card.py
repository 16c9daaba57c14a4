"""Records and callbacks of work on a GPU."""

from __future__ import annotations

import threading

import numpy as np

import PyGPU
from PyGPU import cu, cuda
from tests.own_interpreter import own_interpreter

PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u32 count)
{
    .reg .u32 %r<3>;
    .reg .pred %p;
    ld.param.u32 %r1, [count];
    mov.u32 %r2, 0;
again:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, %r1;
    @%p bra again;
    ret;
}
"""


def collect(kinds, work):
    """The records of these kinds that CUPTI makes while `work` runs."""
    cupti = PyGPU.cupti
    records, sizes = [], []

    def completed(context, stream, buffer, size, valid):
        sizes.append((size, valid))
        record = None
        while True:
            record, err = cupti.cuptiActivityGetNextRecord(buffer, valid, record)
            if err:
                assert err is cupti.CUPTI_ERROR_MAX_LIMIT_REACHED
                return
            records.append(record)

    cupti.checked.cuptiActivityRegisterCallbacks(lambda: 1 << 16, completed)
    for kind in kinds:
        cupti.checked.cuptiActivityEnable(getattr(cupti, f"CUPTI_ACTIVITY_KIND_{kind}"))
    work()
    cuda.checked.cudaDeviceSynchronize()
    cupti.checked.cuptiActivityFlushAll(cupti.CUPTI_ACTIVITY_FLAG_FLUSH_FORCED)
    for kind in kinds:
        cupti.checked.cuptiActivityDisable(getattr(cupti, f"CUPTI_ACTIVITY_KIND_{kind}"))
    assert sizes
    return records


def launch_some(times):
    cuda.checked.cudaFree(None)  # the context is this thread's, too
    module = cu.checked.cuModuleLoadData(PTX + b"\0")
    spin = cu.checked.cuModuleGetFunction(module, "spin")
    for count in range(times):
        cu.checked.cuLaunchKernel(spin, 2, 1, 1, 32, 1, 1, 0, None, [np.uint32(1000 + count)], None)
    cuda.checked.cudaDeviceSynchronize()
    return module


@own_interpreter("real_on_card")
def test_a_launch_is_one_record_with_its_name_and_time():
    records = collect(["CONCURRENT_KERNEL"], lambda: launch_some(5))
    kernels = [one for one in records if getattr(one, "name", None) == "spin"]
    assert len(kernels) == 5
    for one in kernels:
        assert (one.gridX, one.blockX) == (2, 32)
        assert 0 < one.end - one.start < 10_000_000


@own_interpreter("real_on_card")
def test_copies_and_memsets_have_their_bytes():
    def work():
        array = PyGPU.to_gpu(np.arange(1000, dtype="f4"))
        array.get()
        cuda.checked.cudaMemset(array, 0, 400)

    records = collect(["MEMCPY", "MEMSET"], work)
    sizes = [(type(one).__name__[:18], one.bytes) for one in records]
    assert sizes.count(("CUpti_ActivityMemc", 4000)) >= 2
    assert sizes.count(("CUpti_ActivityMems", 400)) == 1


@own_interpreter("real_on_card")
def test_calls_of_both_apis_are_seen_by_a_subscriber():
    cupti, seen = PyGPU.cupti, []
    PyGPU.empty(10, "f4")  # there is a context now

    def called(user, domain, number, info):
        seen.append((info.callbackSite, info.functionName, info.symbolName))

    with cupti.CUpti_SubscriberHandle(callback=called) as subscriber:
        for domain in (cupti.CUPTI_CB_DOMAIN_RUNTIME_API, cupti.CUPTI_CB_DOMAIN_DRIVER_API):
            cupti.checked.cuptiEnableDomain(1, subscriber, domain)
        launch_some(2)
    names = [name for _, name, _ in seen]
    assert names.count("cuLaunchKernel") + names.count("cuLaunchKernelEx") == 4  # enter and leave
    assert sum(symbol == "spin" for _, _, symbol in seen) >= 2
    before = len(seen)
    cuda.checked.cudaDeviceSynchronize()
    assert len(seen) == before


@own_interpreter("real_on_card")
def test_two_threads_make_records():
    """CUPTI asks for buffers on the threads that work; each may wait for the other one's GIL."""

    def work():
        threads = [threading.Thread(target=launch_some, args=(3000,)) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()

    records = collect(["CONCURRENT_KERNEL", "RUNTIME", "DRIVER"], work)
    assert sum(getattr(one, "name", None) == "spin" for one in records) == 12_000
