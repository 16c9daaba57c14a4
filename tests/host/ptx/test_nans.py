"""The NaNs of f64 are those of a card, bit by bit, whatever NaNs the host's processor makes."""

from __future__ import annotations

import itertools
import json
import pathlib

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")

# An H200's answers: by instruction, for each choice of operands whose result is NaN.
TABLE = json.loads(pathlib.Path(__file__).with_name("nans-h200.json").read_text())["rows"]
VALUES = {
    "1": 0x3FF0000000000000,
    "-1": 0xBFF0000000000000,
    "0": 0,
    "inf": 0x7FF0000000000000,
    "-inf": 0xFFF0000000000000,
    "A": 0x7FF8000000001234,
    "B": 0xFFF800000000ABCD,
    "S": 0x7FF4000000000055,  # signalling
}
OPERANDS = {"add": 2, "sub": 2, "mul": 2, "div": 2, "min": 2, "max": 2, "copysign": 2, "fma": 3}
IN_MEMORY = {
    "atom.add": "st.global.f64 [%p+32], %a; atom.global.add.f64 %d, [%p+32], %b;"
    "ld.global.f64 %d, [%p+32];",
    "cvt.f64.f32": "ld.global.f32 %f, [%p+4]; cvt.f64.f32 %d, %f;",
}


@pytest.mark.parametrize("name", TABLE)
def test_nans_are_those_of_a_card(name):
    count = 2 if name == "atom.add" else OPERANDS.get(name.split(".")[0], 1)
    code = f"{name}.f64 %d, {', '.join(['%a', '%b', '%c'][:count])};"
    text = f""".version 7.0\n.target sm_80\n.address_size 64
    .visible .entry k(.param .u64 p) {{
        .reg .f64 %a, %b, %c, %d; .reg .u64 %p; .reg .u32 %i; .reg .f32 %f;
        ld.param.u64 %p, [p]; mov.u32 %i, %ctaid.x; mad.wide.u32 %p, %i, 40, %p;
        ld.global.f64 %a, [%p]; ld.global.f64 %b, [%p+8]; ld.global.f64 %c, [%p+16];
        {IN_MEMORY.get(name, code)}
        st.global.f64 [%p+24], %d; ret; }}"""
    chosen = list(itertools.product(VALUES, repeat=count))
    values = np.zeros((len(chosen), 5), "u8")
    for row, operands in zip(values, chosen, strict=True):
        row[:count] = [VALUES[one] for one in operands]
    array = PyGPU.to_gpu(values)
    PyGPU.Module(text.encode())["k"](array, grid=len(chosen), block=1)
    results = array.get()[:, 3]
    found = {
        " ".join(operands): f"{result:x}"
        for operands, result in zip(chosen, results.tolist(), strict=True)
        if np.isnan(np.uint64(result).view("f8"))
    }
    assert found == TABLE[name]
