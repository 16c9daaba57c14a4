"""Damaged PTX is refused, or runs to an end; the process survives.

mutants.cpp does the same under sanitizers, with many more mutants.
"""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter

CORPUS = pathlib.Path(__file__).parent / "corpus"
TURNS = 500
# The codes that a kernel or the load of its module may end with.
CODES = {0, 1, 2, 9, 200, 218, 700, 702, 710, 715, 716, 719}


def mutant(text: bytes, random: np.random.Generator) -> bytes:
    """The text with some bytes changed, and with one line moved."""
    created = bytearray(text)
    for _ in range(random.integers(1, 5)):
        at = int(random.integers(len(created)))
        match random.integers(4):
            case 0:
                created[at] = random.integers(32, 127)
            case 1:
                del created[at : at + int(random.integers(1, 20))]
            case 2:
                created[at:at] = created[at - 30 : at]
            case _:
                end = created.find(b"\n", at)
                other = created.find(b"\n", int(random.integers(len(created))))
                if 0 <= other < at < end:
                    created[other:other] = created[at:end]
    return bytes(created)


@pytest.mark.parametrize("name", ["basics", "blocks", "warps", "numbers", "textures"])
@own_interpreter("on_host", PYGPU_HOST_TIMEOUT="1", PYGPU_HOST_MEMORY="1GiB")
def test_mutants_of_the_corpus(name, nvrtc):
    source = (CORPUS / f"{name}.cu").read_text()
    text = PyGPU.compiler.compile(source, arch="compute_80", cache=False)
    kernels = list(text.parameters.items())
    random, seen = np.random.default_rng(3), set()
    with host.reports():
        for turn in range(TURNS):
            array = PyGPU.to_gpu(np.zeros(4096, np.int32))
            kernel, parameters = kernels[turn % len(kernels)]
            try:
                module = PyGPU.Module(mutant(text, random))
                module[kernel](*[array] * len(parameters), grid=2, block=40)
            except (PyGPU.GPUError, KeyError, TypeError, ValueError, OverflowError) as error:
                seen.add(int(error.error) if isinstance(error, PyGPU.GPUError) else 500)
            seen.add(int(PyGPU.cudaDeviceSynchronize()))
            PyGPU.cudaDeviceReset()
    assert {0, 218} <= seen <= CODES | {500}, seen
