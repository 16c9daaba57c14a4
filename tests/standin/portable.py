"""Calls every portable function that HIP serves, by CUDA's names, on HIP's stand-in.

Run as a program like drive.py, with the folder of CUDA's API as another argument. CUDA's entry of
the reviewed table says what has to arrive in HIP's function. If an adaptor has CUDA's form, it
arrives in the parameter of that name, otherwise in the parameter at the same place of HIP's entry.
Prints the result as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

os.environ["PYGPU_BACKEND"] = "hip"

import PyGPU
from generator import emit, store
from generator.merge import release_of
from generator.model import CType, Function, Parameter
from generator.plan import portable
from tests.standin.drive import ROOT, start
from tests.standin.expected import Expected, read
from tests.standin.forms import Form, fit
from tests.standin.source import Layout

# HIP's names for CUDA's parameters, where they differ.
RENAMED = {
    "cudaGraphExecUpdate": {
        "hErrorNode_out": "resultInfo.errorNode",
        "updateResult_out": "resultInfo.result",
    },
    "cudaGetErrorString": {"hipError": "error"},
    "cudaMemAdvise": {"dev_ptr": "devPtr", "device": "location"},
    "cudaMemPrefetchAsync": {"dev_ptr": "devPtr", "device": "location"},
}
# The same for the driver's API, where each entry holds for several functions.
DRIVERS = {
    "count": "N",
    "ctx": "pctx",
    "dest": "dstDevice",
    "dev_ptr": "devPtr",
    "device": "dev location",
    "dst": "dstDevice",
    "dynSharedMemPerBlk": "dynamicSMemSize",
    "event": "hEvent",
    "f": "func",
    "graph": "hGraph",
    "gridSize": "minGridSize",
    "hDst": "dst",
    "hSrc": "src",
    "node": "hNode",
    "pDependencies": "dependencies",
    "pDependentNodes": "dependentNodes",
    "pGraphExec": "phGraphExec",
    "pGraphNode": "phGraphNode",
    "pNumDependencies": "numDependencies",
    "pNumDependentNodes": "numDependentNodes",
    "ptr": "addr",
    "sizeBytes": "ByteCount",
    "stream": "hStream",
    "value": "ui",
}
# Structs that an older HIP has under another name. HIP's own adaptor fills their fields.
# What arrives is compared under HIP's names, by drive.py.
OLDER = dict.fromkeys(
    ("cuGraphAddMemsetNode", "cuGraphExecMemsetNodeSetParams"), "HIP_MEMSET_NODE_PARAMS"
)
# Additional parameters of HIP's functions, which adaptors fill.
BESIDES = {"kind", "mask"}
# Functions that a table in PyGPU answers, under CUDA's names: tests/seed/test_no_library.py.
ANSWERED = {"cudaGetErrorName", "cuGetErrorName"}


@dataclass(frozen=True)
class Fixed:
    """Always gives the one form that is there."""

    form: Form

    def find(self, name: str) -> Form:
        """Gives that form."""
        return self.form


def todays(called: str, types: Mapping[str, object]) -> str:
    """CUDA's name for a parameter of HIP's; "" if CUDA has none."""
    if called in types:
        return called
    found = (one for one in DRIVERS.get(called, "").split() if one in types)
    return next(found, "" if called in BESIDES else called)


def signed_alike(
    serving: Function, types: Mapping[str, CType], renamed: Mapping[str, str]
) -> Function:
    """HIP's function with CUDA's numbers, where only one of the two is signed."""

    def alike(one: Parameter) -> Parameter:
        mine = types.get(renamed[one.name])
        numbers = {"int", "unsigned int"}
        return replace(one, type=mine) if mine and {mine.base, one.type.base} == numbers else one

    return replace(serving, parameters=tuple(map(alike, serving.parameters)))


def names(entry: Expected) -> list[str]:
    """The names of an entry's inputs and outputs, in order."""
    return [one.name for one in (*entry.inputs, *entry.keywords, *entry.outputs)]


def main(api: str, version: str, path: str, served: str) -> int:
    """Call all functions of the portable table that this release of HIP has."""
    plans = [emit._plan(name, ROOT / "api_specs") for name in (served, "hip_runtime")]
    pairs = portable.names(*plans, portable.load(ROOT / "api_specs", "hip_runtime", served))
    cuda = store.load(ROOT / "api_specs" / served / "api.json")
    of_cuda, of_hip = read(served).functions, read(api).functions
    driver = start(api, version, path)
    driver.module, driver.newest = PyGPU, Layout(release_of(cuda, cuda.newest))
    hip = driver.layout.release
    known = set(driver.forms.read())
    found: dict[str, dict[str, str]] = {"right": {}, "adapted": {}, "older": {}, "wrong": {}}
    for pair in pairs:
        if pair.hip not in known or pair.cuda not in of_cuda or pair.cuda in ANSWERED:
            continue
        expected = of_cuda[pair.cuda]
        types = {one.name: one.type for one in cuda.functions[pair.cuda][-1].node.parameters}
        calls = [one.name for one in hip.functions[pair.hip].parameters]
        renamed = {one: todays(one, types) for one in calls} | RENAMED.get(pair.cuda, {})
        if not pair.adapted:
            renamed = dict(zip(names(of_hip[pair.hip]), names(expected), strict=True))
        serving = hip.functions[pair.hip]
        if OLDER.get(pair.cuda) in {one.type.base for one in serving.parameters}:
            found["older"][pair.cuda] = ""
            continue
        form = fit(
            signed_alike(serving, types, renamed) if pair.adapted else serving, types, renamed
        )
        driver.forms = Fixed(form)  # type: ignore[assignment]
        try:
            driver.check(pair.cuda, expected)
            found["adapted" if pair.adapted else "right"][pair.cuda] = ""
        except Exception as error:
            found["wrong"][pair.cuda] = f"{type(error).__name__}: {error}"
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
