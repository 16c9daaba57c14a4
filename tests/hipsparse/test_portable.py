"""cuSPARSE's names on AMD's library."""

from __future__ import annotations

import PyGPU
from tests.own_interpreter import own_interpreter


@own_interpreter("on_amd")
def test_a_program_of_cusparse_runs_on_hipsparse() -> None:
    from tests.hipsparse import portable

    assert PyGPU.backend == "hip"
    assert portable.run() == [1 * 10 + 2 * 30 + 1, 3 * 20 + 1]
    assert portable.cusparseHandle_t is PyGPU.hipsparse.hipsparseHandle_t
    *_, err = PyGPU.cusparseSpMMOp_createPlan(*[None] * 14)  # it has no counterpart
    assert err is PyGPU.CUSPARSE_STATUS_NOT_SUPPORTED
