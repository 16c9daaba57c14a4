"""A barrier with a thread count counts whole warps, however their lanes arrive.

The cluster's barrier has phases: a thread arrives at it, and waits later.
"""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
# How lanes arrive at barrier 1; the predicate is true for odd lanes.
COMES = {
    "at once": "bar.sync 1, 64;",
    "in two groups": "@%odd bra other;\nbar.sync 1, 64;\nbra met;\nother: bar.sync 1, 64;",
    "some leave first": "@%odd exit;\nbar.sync 1, 64;",
    "some leave later": "@!%odd bra other;\nmov.u32 %n, 9; exit;\nother: bar.sync 1, 64;",
    "some only arrive": "@%odd bra other;\nbar.sync 1, 64;\nbra met;\nother: bar.arrive 1, 64;",
}

# How threads arrive and wait at the cluster's barrier (PTX ISA, "barrier.cluster").
ARRIVE, WAIT = "barrier.cluster.arrive;", "barrier.cluster.wait;"
PHASES = {
    "at once": f"{ARRIVE} {WAIT}",
    "waits around another barrier": f"""{ARRIVE} @%low bra other; bar.sync 0; {WAIT} bra met;
        other: {WAIT} bar.sync 0;""",
    "some leave first": f"@%odd exit; {ARRIVE} {WAIT}",
    "some leave after they arrived": f"{ARRIVE} @%odd exit; {WAIT}",
    "some work on until others have waited": f"""{ARRIVE} add.u32 %v, %n, 1; @%low bra other;
        poll: ld.volatile.shared.u32 %u, [flag]; setp.ne.u32 %more, %u, %v; @%more bra poll;
        {WAIT} bra met;
        other: {WAIT} st.volatile.shared.u32 [flag], %v;""",
    "lanes of a warp wait for several phases": f"""@!%odd bra even; {ARRIVE} bra together;
        even: {ARRIVE} {WAIT} {ARRIVE}
        together: {WAIT} @!%odd bra met; {ARRIVE} {WAIT}""",
}


@pytest.mark.parametrize("threads", [48, 64, 33])
@pytest.mark.parametrize("comes", [*COMES.items(), *PHASES.items()], ids=lambda one: one[0])
@own_interpreter("on_host", PYGPU_HOST_TIMEOUT="10")
def test_threads_go_on_once_all_have_come(threads, comes):
    name, text = comes
    kernel = PyGPU.Module(
        f"""{HEAD}.visible .entry k(.param .u64 p) {{
    .reg .u64 %p, %a; .reg .u32 %t, %n, %u, %v; .reg .pred %odd, %low, %more; .shared .b32 flag;
    ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 4, %p;
    and.b32 %n, %t, 1; setp.eq.u32 %odd, %n, 1; setp.lt.u32 %low, %t, 32;
    mov.u32 %n, 0;
again: {text}
met: add.u32 %n, %n, 1; setp.lt.u32 %more, %n, 3;
    bar.warp.sync -1;
    @%more bra again;
    st.u32 [%a], %n; ret; }}""".encode()
    )["k"]
    array = PyGPU.to_gpu(np.zeros(threads, np.uint32))
    kernel(array, grid=2, block=threads)
    leave = name.startswith("some leave")
    assert array.get().tolist() == [0 if leave and i % 2 else 3 for i in range(threads)]
