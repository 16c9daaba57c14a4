"""Which parameters are inputs, next to what cuda-bindings and hip-python make of a function.

The differences stand in peer_differences.toml with their reasons: one that isn't there is an error,
and so is one that is no longer found.
"""

from __future__ import annotations

import copy
import importlib
import importlib.metadata
import inspect
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from generator import rules, store
from generator.decide import Decision, decide
from generator.model import Api

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SPECS = Path(__file__).parents[2] / "api_specs"
KNOWN = tomllib.loads(Path(__file__).with_name("peer_differences.toml").read_text("utf-8"))
PEERS = {
    "cuda_runtime": ("cuda-bindings", "13.0.3", "cuda.bindings.runtime"),
    "cuda_driver": ("cuda-bindings", "13.0.3", "cuda.bindings.driver"),
    "hip_runtime": ("hip-python", "6.2.0.499.16", "hip.hip"),
}
APIS = list(PEERS)

# What one says of a parameter: "in", "out", "in+out", or "" for neither.
Directions = Mapping[tuple[str, str], str]


def peer(api: str) -> ModuleType:
    """The peer's module, or a skip that CI does not accept."""
    package, version, module = PEERS[api]
    if package == "hip-python" and sys.version_info >= (3, 12):
        pytest.skip("hip-python 6.2 has no wheel for Python 3.12 and newer")
    try:
        found = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        found = "nothing"
    if found != version:
        message = f"compares with {package} {version}, and {found} is installed"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return importlib.import_module(module)


def newest(api: Api, function: str, release: str) -> int | None:
    """The place of the form that a release has."""
    forms = api.functions[function]
    order = api.releases.index
    for place, form in enumerate(forms):
        if order(form.since) <= order(release) <= order(form.until):
            return place
    return None


def direction(decision: Decision) -> str:
    if decision.is_output:
        return "out" if decision.is_result else ""
    return "in+out" if decision.is_result else "in"


def ours(api: Api, known: rules.Rules, release: str) -> Directions:
    decisions = decide(api, known)
    found = {}
    for name, forms in api.functions.items():
        place = newest(api, name, release)
        if place is None or known.exclude(name):
            continue
        for parameter, one in zip(
            forms[place].node.parameters, decisions[name, place], strict=True
        ):
            found[name, parameter.name] = direction(one)
    return found


def returned(function: Callable[..., Any]) -> list[str]:
    """The names under "Returns" in a docstring of cuda-bindings."""
    section = re.search(r"Returns\s+-{7}\n(.*?)(\n\s*\n|\Z)", function.__doc__ or "", re.DOTALL)
    return re.findall(r"^\s*(\w+) : ", section[1], re.MULTILINE) if section else []


def theirs(mine: Directions, api: str, module: ModuleType) -> Directions:
    """The peer's directions, for the parameters of all functions that it has."""
    renamed = KNOWN[api].get("renamed", {})
    found = {}
    for function, parameter in mine:
        if bound := getattr(module, function, None):
            name = renamed.get(f"{function}.{parameter}", parameter)
            taken = name in inspect.signature(bound).parameters
            # hip-python says in prose what it returns: what it doesn't take must be an output.
            also = api != "hip_runtime" and parameter in returned(bound)
            found[function, parameter] = ("in+out" if also else "in") if taken else "out"
    return found


def differences(api: str, mine: Directions, other: Directions) -> dict[str, tuple[str, str]]:
    found = {}
    for key, there in other.items():
        here = mine[key]
        if api == "hip_runtime" and here == "in+out":
            here = "in"
        if here != there:
            found[".".join(key)] = (here, there)
    return found


def document(api: str) -> dict[str, Any]:
    return tomllib.loads((SPECS / api / "rules.toml").read_text("utf-8"))


def compare(api: str, changed: dict[str, Any] | None = None) -> dict[str, tuple[str, str]]:
    module = peer(api)
    model = store.load(SPECS / api / "api.json")
    known = rules.parse(api, changed or document(api))
    mine = ours(model, known, KNOWN[api]["release"])
    return differences(api, mine, theirs(mine, api, module))


def explained(api: str) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for entry in KNOWN[api]["difference"]:
        assert entry["reason"]
        for name in entry["parameters"]:
            assert name not in found, name
            found[name] = (entry["here"], entry["there"])
    return found


@pytest.mark.parametrize("api", APIS)
def test_inputs_are_those_of_the_peer(api: str) -> None:
    assert compare(api) == explained(api)


@pytest.mark.parametrize("api", APIS)
def test_only_known_functions_are_not_compared(api: str) -> None:
    module = peer(api)
    model = store.load(SPECS / api / "api.json")
    release = KNOWN[api]["release"]
    all_of_release = [name for name in model.functions if newest(model, name, release) is not None]
    absent = sorted(name for name in all_of_release if not hasattr(module, name))
    assert absent == sorted(KNOWN[api]["absent"])


# A rule turned around must be found; each is one of another sort.
TURNED = [
    ("cuda_runtime", "function", "cudaGraphMemFreeNodeGetParams", "dptr_out", "address", {}),
    ("cuda_runtime", "function", "cudaThreadExchangeStreamCaptureMode", "mode", "out", {}),
    ("cuda_runtime", "function", "cudaMemcpyBatchAsync", "attrs", "out", {}),
    ("cuda_runtime", "family", "cudaMemcpy*", "dst", "out", {"as": "int"}),
    ("cuda_runtime", "family", "cudaGraphAdd*Node*", "pGraphNode", "readable", {}),
    (
        *("cuda_runtime", "function", "cudaMemPoolGetAttribute", "value", "typed_by"),
        {"by": "attr", "direction": "in"},
    ),
    ("cuda_driver", "family", "cuMemcpy*", "dstHost", "out", {"as": "int"}),
    ("cuda_driver", "function", "cuGraphGetNodes", "nodes", "array", {"count": "numNodes"}),
    ("cuda_driver", "function", "cuMemPoolImportPointer", "shareData", "out", {}),
    ("hip_runtime", "function", "hipGraphExecUpdate", "updateResult_out", "struct", {}),
    ("hip_runtime", "function", "hipMemPoolImportPointer", "export_data", "out", {}),
    ("hip_runtime", "family", "hipMemcpyHtoD*", "src", "out", {"as": "int"}),
]


@pytest.mark.parametrize(
    ("api", "table", "name", "parameter", "kind", "options"), TURNED, ids=lambda value: str(value)
)
def test_a_rule_turned_around_is_found(
    api: str, table: str, name: str, parameter: str, kind: str, options: dict[str, str]
) -> None:
    turned = copy.deepcopy(document(api))
    turned[table][name]["parameter"][parameter] = {"kind": kind, **options}
    assert compare(api, turned) != explained(api)
