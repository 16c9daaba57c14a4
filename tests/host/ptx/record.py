"""Records an H200's results: python -m tests.host.ptx.record FILE [--tests NAME] [pytest options].

Runs test_corpus.py, or the tests of that name, on this machine's GPU and writes a digest of each
result that is determined to the last bit. The tests compare with the record. A result that the
record lacks fails, too.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import PyGPU

HERE = pathlib.Path(__file__).parent
RECORD = HERE / "corpus-h200.json"
NEW = "CORPUS_RECORD"  # the folder for new records; with it set, nothing is compared


def digest(*values: object) -> str:
    """A digest of types, shapes and bytes; any NaN counts as the same."""
    hashed = hashlib.blake2b(digest_size=16)
    for one in map(np.asarray, values):
        if one.dtype.kind == "f":
            one = np.where(np.isnan(one), np.nan, one).astype(one.dtype)
        # The padding between fields doesn't count.
        content = repr(one.tolist()).encode() if one.dtype.names else one.tobytes()
        hashed.update(f"{one.dtype.str} {one.shape} ".encode() + content)
    return hashed.hexdigest()


class Kernels:
    """The kernels of a corpus file, by one compiler, and random numbers for them."""

    def __init__(self, name: str, variant: str, folder: pathlib.Path) -> None:
        self.name, self.variant = name, variant
        self.code = (folder / name).read_bytes()
        self.module = PyGPU.Module(self.code)
        # Only integers and exact operations make the inputs, so they are the same on every machine.
        self.random = np.random.default_rng(7)
        self.runs: dict[str, int] = {}

    def ints(self, count: int, low: int = 0, high: int = 100) -> np.ndarray:
        return self.random.integers(low, high, count).astype(np.int32)

    def run(self, name, *arguments, out, grid=1, block=32, shared=0, exact=True):
        """What the kernel leaves in the argument `out`. `exact`: only one result is right."""
        arrays = {id(one): PyGPU.to_gpu(one) for one in arguments if isinstance(one, np.ndarray)}
        values = [arrays.get(id(one), one) for one in arguments]
        self.module[name](*values, grid=grid, block=block, shared=shared)
        result = arrays[id(out)].get()
        turn = self.runs[name] = self.runs.get(name, 0) + 1
        if exact:
            self.hold(f"{self.name} {name} {turn}", digest(*arguments), result)
        return result

    def hold(self, run: str, inputs: str, actual: np.ndarray) -> None:
        release = re.search(rb"release [\d.]+, V([\d.]+)", self.code)
        hold(run, self.variant, inputs, actual, compiler=release[1].decode() if release else "")


def hold(run, variant, inputs, actual, *, compiler="", record=RECORD) -> None:
    """Compare a result with a card's record, or add it to a new one.

    inputs: a digest of them, or arrays. Nothing is compared where no card has answered yet.
    """
    inputs = inputs if isinstance(inputs, str) else digest(*inputs)
    described = {"inputs": inputs, "dtype": actual.dtype.str, "shape": list(actual.shape)}
    if folder := os.environ.get(NEW):
        assert PyGPU.backend == "cuda", "a record is a card's"
        entry = [run, described, variant, digest(actual), compiler]
        with open(f"{folder}/{os.getpid()}", "a") as file:
            file.write(json.dumps(entry) + "\n")
        return
    if not record.exists():
        return
    known = json.loads(record.read_text())["runs"].get(run, {})
    recorded = known.pop("results", {}).get(variant)
    assert described == known, f"{run}: the record is of other inputs"
    assert digest(actual) == recorded, f"{run}, {variant}: an H200 gave other bits"


def collected(folder: str) -> tuple[dict, dict]:
    """The tests' results in a folder, by runs, and the compilers' releases."""
    runs: dict[str, dict] = {}
    compilers: dict[str, str] = {}
    lines = [line for one in pathlib.Path(folder).iterdir() for line in one.open()]
    for run, described, variant, result, release in sorted(
        map(json.loads, lines), key=lambda e: e[0]
    ):
        known = runs.setdefault(run, {**described, "results": {}})
        assert {**known, **described} == known and variant not in known["results"], run
        known["results"][variant] = result
        if release:
            compilers[variant.split()[0]] = release
    for one in runs.values():
        one["results"] = dict(sorted(one["results"].items()))
    return runs, dict(sorted(compilers.items()))


def main() -> None:
    file, *options = sys.argv[1:]
    tests = "test_corpus.py"
    if options[:1] == ["--tests"]:
        _, tests, *options = options
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "GPUs"]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, NEW: folder, "CI": "true"}  # nothing may be missing
        subprocess.run([*command, *options, str(HERE / tests)], env=environment, check=True)
        runs, compilers = collected(folder)
    assert runs, "nothing was recorded"
    driver = ["nvidia-smi", "--id=0", "--query-gpu=driver_version", "--format=csv,noheader"]
    about = {
        "device": PyGPU.checked.cudaGetDeviceProperties(0).name,
        "driver": subprocess.check_output(driver, text=True).strip(),
        "runtime": PyGPU.checked.cudaRuntimeGetVersion(),
        "compilers": compilers,
        "date": datetime.date.today().isoformat(),
    }
    text = json.dumps({**about, "runs": runs}, indent=1)
    pathlib.Path(file).write_text(text + "\n")


if __name__ == "__main__":
    main()
