"""The end of the interpreter doesn't wait for kernels that never end."""

from __future__ import annotations

import numpy as np

import PyGPU
from tests.own_interpreter import AT_EXIT

TEXT = b""".version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 p) { again: bra again; }"""


def loop():
    array, stream = PyGPU.to_gpu(np.zeros(4, np.int32)), PyGPU.Stream()
    module = PyGPU.Module(TEXT)
    module["k"](array, grid=1, block=32)
    module["k"](array, grid=1, block=32, stream=stream)
    AT_EXIT.append((array, module, stream))
    print("leaving")


def test_a_program_ends_while_its_kernel_loops(on_host):
    assert on_host(loop).stdout == "leaving\n"
