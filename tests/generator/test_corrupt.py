"""Corrupt files in api_specs/: the error is one line that says where, never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from generator import manifest, rules, store
from generator.errors import GeneratorError
from generator.model import Api
from generator.plan import host, portable
from generator.plan.api import plan
from generator.plan.ctypes import Types
from generator.plan.reachable import reachable
from generator.plan.stubs import stub_module
from generator.releases import read_releases
from generator.rules import Rules
from generator.toml import tomllib
from tests.generator.headers import ROOT
from tests.generator.mutations import as_toml, mutated, places

SPECS = ROOT / "api_specs"
# One function for each shape: outputs, arrays, text, structs, callbacks, typed values, older forms.
FUNCTIONS = (
    *("cudaMalloc", "cudaMemcpy", "cudaGetDevice", "cudaGetErrorName", "cudaGraphGetEdges"),
    *("cudaLaunchHostFunc", "cudaMemPoolSetAttribute", "cudaMemcpyBatchAsync", "cudaMemcpy3D"),
    *("cudaDeviceGetPCIBusId", "cudaGraphExecUpdate", "cudaStreamCreateWithPriority"),
    *("cudaStreamDestroy", "cudaLaunchKernel", "cudaStreamAddCallback", "cudaMemAdvise"),
)


@cache
def small() -> Api:
    """A model of these functions and everything that they need."""
    api = store.load(SPECS / "cuda_runtime" / "api.json")
    functions = {name: api.functions[name] for name in FUNCTIONS}
    forms = [form.node for variants in functions.values() for form in variants]
    needed = {*reachable(Types.of(api), forms), "cudaError", "cudaError_t"}
    needed |= {"cudaMemAllocationType", "cudaMemAllocationHandleType", "cudaMemLocationType"}

    def kept(kind: str) -> dict[str, Any]:
        nodes = getattr(api, kind).items()
        return {name: one for name, one in nodes if name.partition(".")[0] in needed}

    kinds = ("structs", "enums", "aliases", "handles", "callbacks")
    macros = dict(list(api.macros.items())[:8])
    return replace(api, functions=functions, macros=macros, **{one: kept(one) for one in kinds})


@cache
def small_rules() -> dict[str, Any]:
    """The rules of these functions, and those of the whole API."""
    document = tomllib.loads((SPECS / "cuda_runtime" / "rules.toml").read_text("utf-8"))
    document["function"] = {k: v for k, v in document["function"].items() if k in FUNCTIONS}
    document["handle"] = {"cudaStream_t": document["handle"]["cudaStream_t"]}
    document["helper"] = {"make_cudaPos": document["helper"]["make_cudaPos"]}
    return document


def planned(api: Api, known: Rules) -> None:
    rules.unmatched(known, api)
    stub_module(plan(api, known, manifest.load("cuda_runtime", SPECS)))


def test_what_is_mutated_is_right_by_itself() -> None:
    planned(small(), rules.parse("cuda_runtime", small_rules()))
    assert store.loads(store.dumps(small())) == small()


def survives(change: Callable[[], None]) -> bool:
    """Whether the mistake goes unnoticed. If it is noticed, the message is one line."""
    said = None
    try:
        change()
    except GeneratorError as error:
        said = str(error)
    assert said is None or (said.strip() and "\n" not in said)
    return said is None


@pytest.mark.parametrize("seed", range(10))
def test_api_json(seed: int, tmp_path: Path) -> None:
    document = json.loads(store.dumps(small()))
    known = rules.parse("cuda_runtime", small_rules())
    path, random = tmp_path / "api.json", Random(seed)
    everywhere = list(places(document))
    unnoticed = []
    for _ in range(40):
        kind = random.choice(list(document))
        what, wrong = mutated(document, random, [one for one in everywhere if one[0] == kind])
        path.write_text(json.dumps(wrong))
        if survives(lambda: planned(store.load(path), known)):
            unnoticed.append(what)
    # C names and numbers may be replaced by others of their kind, which nothing can notice.
    assert len(unnoticed) < 15, unnoticed


def test_api_json_that_ends_too_early(tmp_path: Path) -> None:
    text, random = store.dumps(small()), Random(1)
    for _ in range(100):
        (tmp_path / "api.json").write_text(text[: random.randrange(len(text) - 2)])
        assert not survives(lambda: planned(store.load(tmp_path / "api.json"), Rules("gpu")))


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("functions.cudaMalloc.0.parameters.0.type", 3, "parameters[0].type: a C type is needed"),
        ("functions.cudaMalloc.0.parameters.0.type", "no_such_t", "unknown type no_such_t"),
        ("functions.cudaMalloc.0.parameters.1.name", "devPtr", "devPtr is there twice"),
        ("functions.cudaMalloc.0.group", "../../x", "cudaMalloc[0].group: a group is needed"),
        ("functions.cudaMalloc.0.since", "10.0", "10.0 is no release of this API"),
        ("functions.cudaMalloc.0.since", 13, "cudaMalloc[0].since: a release such as 13.0"),
        ("functions.cudaMalloc.0.source", "here", "cudaMalloc[0].source: a header and its line"),
        ("functions.cudaMalloc.0.odd", 1, "functions.cudaMalloc[0].odd: unknown key"),
        ("functions.cudaMalloc", [], "functions.cudaMalloc: a list of 1 or more is needed"),
        ("structs.cudaPos.0.size", -1, "cudaPos[0].size: a number from 0"),
        ("structs.cudaPos.0.fields.2.offset", 99, "structs.cudaPos.z: lies behind the struct's 24"),
        ("structs.cudaPos.0.fields.2.name", "", "structs.cudaPos.fields[2]: a field without a na"),
        ("structs.cudaPos.0.fields.2.type", "cudaPos", "cudaPos: a type that is made of itself"),
        ("aliases.cudaError_t.0.type", "cudaError_t", "cudaError_t: a type that is made of"),
        ("enums.cudaError.variants.0.underlying", "float", "a type of whole numbers is needed"),
        ("releases", ["13.0", "12.0"], "releases: not in order"),
        ("format", True, "format: 1 is needed, not True"),
    ],
)
def test_the_place_is_said(path: str, value: object, said: str, tmp_path: Path) -> None:
    document = json.loads(store.dumps(small()))
    *outer, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    owner = document
    for key in outer:
        owner = owner[key]
    owner[last] = value
    file = tmp_path / "api.json"
    file.write_text(json.dumps(document))
    with pytest.raises(store.StoreError) as caught:
        store.load(file)
    assert str(caught.value).startswith(f"{file}: not a model of format 1: ")
    assert said in str(caught.value)


def read_rules(folder: Path) -> None:
    planned(small(), rules.load("cuda_runtime", folder))


def read_listed(folder: Path) -> None:
    for api in read_releases(folder).values():
        for version in api.releases:
            api.listed(version)


def read_host(folder: Path) -> host.Implemented:
    return host.Implemented.load(folder, ("cu", "cuda", "hip"))


READERS: dict[str, Callable[[Path], object]] = {
    "cuda_runtime/rules.toml": read_rules,
    "cuda_runtime/releases.toml": read_listed,
    "hip_runtime/portable.toml": lambda folder: portable.load(
        folder, "hip_runtime", "cuda_runtime"
    ),
    "host.toml": read_host,
    "error_messages.toml": read_host,
    "cuda_runtime/api.toml": lambda folder: manifest.load("cuda_runtime", folder),
}


@pytest.mark.parametrize("name", READERS)
def test_toml(name: str, tmp_path: Path) -> None:
    for other in READERS:
        (tmp_path / other).parent.mkdir(exist_ok=True)
        (tmp_path / other).write_bytes((SPECS / other).read_bytes())
    document = tomllib.loads((SPECS / name).read_text("utf-8"))
    if name.endswith("rules.toml"):
        document = small_rules()
    (tmp_path / name).write_text(as_toml(document))
    READERS[name](tmp_path)
    text, random = as_toml(document), Random(name)
    everywhere = list(places(document))
    noticed = 0
    for _ in range(120):
        what, wrong = mutated(document, random, everywhere)
        (tmp_path / name).write_text(as_toml(wrong))
        noticed += not survives(lambda: READERS[name](tmp_path) and None)
        assert what
        (tmp_path / name).write_text(text[: random.randrange(len(text))])
        survives(lambda: READERS[name](tmp_path) and None)
    assert noticed > 30
    for wrong_bytes in (b"\xff\xfe", b"a = \x00", b"[" * 5000):
        (tmp_path / name).write_bytes(wrong_bytes)
        assert not survives(lambda: READERS[name](tmp_path) and None)
