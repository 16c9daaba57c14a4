"""Calls every portable function that HIP serves, by CUDA's names, against HIP's stand-in.

Run as a program like drive.py. CUDA's entry of the reviewed table says what has to arrive in HIP's
function: in the parameter of that name where an adaptor has CUDA's form, else in that at the same
place of HIP's entry. Prints what it found as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

os.environ["PYGPU_BACKEND"] = "hip"

import PyGPU
from generator import emit, store
from generator.merge import release_of
from generator.plan import portable
from tests.standin.drive import ROOT, start
from tests.standin.expected import Expected, read
from tests.standin.forms import Form, fit
from tests.standin.source import Layout

# HIP's names of CUDA's parameters, where they differ.
RENAMED = {
    "cudaGraphExecUpdate": {
        "hErrorNode_out": "resultInfo.errorNode",
        "updateResult_out": "resultInfo.result",
    },
    "cudaGetErrorString": {"hipError": "error"},
    "cudaMemAdvise": {"dev_ptr": "devPtr", "device": "location"},
    "cudaMemPrefetchAsync": {"dev_ptr": "devPtr", "device": "location"},
}
# What a table of PyGPU's answers, under CUDA's names: tests/seed/test_no_library.py.
ANSWERED = {"cudaGetErrorName"}


@dataclass(frozen=True)
class Fixed:
    """The one form that is there."""

    form: Form

    def find(self, name: str) -> Form:
        """That form."""
        return self.form


def names(entry: Expected) -> list[str]:
    """What an entry takes and gives, in order."""
    return [one.name for one in (*entry.inputs, *entry.keywords, *entry.outputs)]


def main(api: str, version: str, path: str) -> int:
    """All functions of the portable table that this release of HIP has."""
    plans = [emit._plan(name, ROOT / "api_specs") for name in ("cuda_runtime", "hip_runtime")]
    pairs = portable.names(*plans, portable.load(ROOT / "api_specs"))
    cuda = store.load(ROOT / "api_specs" / "cuda_runtime" / "api.json")
    of_cuda, of_hip = read("cuda_runtime").functions, read(api).functions
    driver = start(api, version, path)
    driver.module, driver.newest = PyGPU, Layout(release_of(cuda, cuda.newest))
    hip = driver.layout.release
    known = set(driver.forms.read())
    found: dict[str, dict[str, str]] = {"right": {}, "adapted": {}, "wrong": {}}
    for pair in pairs:
        if pair.hip not in known or pair.cuda not in of_cuda or pair.cuda in ANSWERED:
            continue
        expected = of_cuda[pair.cuda]
        renamed = RENAMED.get(pair.cuda, {})
        if not pair.adapted:
            renamed = dict(zip(names(of_hip[pair.hip]), names(expected), strict=True))
        types = {one.name: one.type for one in cuda.functions[pair.cuda][-1].node.parameters}
        form = fit(hip.functions[pair.hip], types, renamed)
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
