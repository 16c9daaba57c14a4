"""Without a rule, a direction is right or left open: held against what was read in the manuals.

right_or_raw.toml has functions of four vendors' headers, drawn by a fixed seed. The rules of the
shipped APIs, read by a person too, say it of many more.
"""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from generator import rules, store
from generator.decide import Decision, decide
from generator.handles import as_handles
from generator.headers.fetch import FetchError, cache_folder, fetch_headers
from generator.merge import merge_all
from generator.model import Api, Parameter
from generator.parse import Conventions, HeaderSet, ParseRequest, parse_release
from generator.releases import Package
from generator.rules import Rules
from generator.toml import tomllib
from tests.generator.headers import ROOT, missing

KNOWN = tomllib.loads((Path(__file__).parent / "right_or_raw.toml").read_text())
SEED, DRAWN = 38, 40
FETCH = ROOT / "tools" / "fetch_debian.sh"
SHIPPED = ["cuda_runtime", "cuda_driver", "hip_runtime", "nvrtc", "hiprtc"]
# HIP tags these outputs [in,out]; its rules know better.
TAGGED_WRONG = {
    "hipDeviceGetStreamPriorityRange",
    "hipMemPtrGetInfo",
    "hipStreamGetFlags",
    "hipStreamGetPriority",
}


def wheel(name: str, version: str, include: str) -> Path:
    try:
        return fetch_headers(Package(name, include), version)
    except FetchError as error:
        missing(f"{name} {version} ({error})")
        raise


def debian(package: str, version: str) -> Path:
    """The include folder of a Debian package, which is kept beside the wheels' headers."""
    folder = cache_folder() / f"debian-{package}-{version}"
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=made(folder.parent)) as scratch:
            command = [FETCH, f"{scratch}/unpacked", f"{package}={version}"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                missing(f"{package} {version} of Debian ({done.stderr.strip()})")
            with suppress(OSError):  # another run was faster
                Path(scratch, "unpacked").rename(folder)
    return folder / "usr" / "include"


def made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def cublas(version: str) -> Path:
    """The headers of an installed CUDA toolkit, or of the wheel, which has half a gigabyte."""
    for home in ("CUDA_HOME", "CUDA_PATH"):
        if (Path(os.environ.get(home, "")) / "include" / "cublas_v2.h").is_file():
            return Path(os.environ[home]) / "include"
    if not os.environ.get("PYGPU_FETCH"):
        pytest.skip("no CUDA_HOME has cublas_v2.h, and `make reread` alone fetches its wheel")
    return wheel("nvidia-cublas", version, "nvidia/cu13/include")


HEADERS = {
    "nvml": (lambda at: wheel("nvidia-nvml-dev", at, "nvidia/cu13/include"), "nvml.h", "nvml"),
    "cublas": (cublas, "cublas_v2.h", "cublas"),
    "opencl": (lambda at: debian("opencl-c-headers", at), "CL/cl.h", "cl"),
    "level_zero": (lambda at: debian("libze-dev", at), "level_zero/ze_api.h", "ze"),
}


def read(name: str) -> Api:
    find, header, prefix = HEADERS[name]
    folder = HeaderSet(find(KNOWN[name]["release"]), header)
    request = ParseRequest(name, "1.0", folder, Conventions(prefix, ""))
    return as_handles(merge_all([parse_release(request)]))


def right(name: str) -> Mapping[tuple[str, str], str]:
    return {
        (function, one.split()[0]): one.split()[1]
        for function, told in KNOWN[name]["functions"].items()
        for one in filter(None, told.split(", "))
    }


def direction(decision: Decision) -> str | None:
    """What a decision says of a pointer; `*` for more than one value, None if it says nothing."""
    options = decision.options
    match decision.kind:
        case _ if decision.by in ("raw", "unreviewed"):
            return None
        case "value" | "address" | "user_data" | "function" | "struct":
            return "in"
        case "out" | "out_lent":
            return "out"
        case "out_array" | "out_text" | "out_bytes" | "writable":
            return "out*"
        case "inout":
            return "inout*" if "count" in options else "inout"
        case "count" | "typed_by":
            return str(options["direction"])
    return "in*"  # readable, array, text, image, arguments, …


def wrong(found: str | None, known: str) -> bool:
    """Whether a decision contradicts; one that is for more values than there are is none."""
    if found is None or found.removesuffix("*") == known.removesuffix("*") == "in":
        return False
    return found != known


@pytest.mark.parametrize("reviewed", [(), ("1.0",)], ids=["new", "reviewed"])
@pytest.mark.parametrize("name", HEADERS)
def test_no_direction_is_wrong(name: str, reviewed: tuple[str, ...]) -> None:
    """Neither in a header that is just bound, nor in one that was read and needed no rule."""
    api = read(name)
    decided = decide(api, Rules(name, reviewed=reviewed))
    known = right(name)
    listed, drawn = (
        KNOWN[name]["functions"],
        random.Random(SEED).sample(sorted(api.functions), DRAWN),
    )
    assert sorted(drawn) == sorted(listed)
    said = {
        (function, one.name): (direction(decision), one)
        for function in drawn
        for one, decision in pairs(api, decided, function)
        if one.type.is_pointer
    }
    assert said.keys() == known.keys()
    errors = {
        key: (found, known[key]) for key, (found, _) in said.items() if wrong(found, known[key])
    }
    assert errors == {}
    annotated = [found for found, one in said.values() if one.tag or one.returned]
    if not reviewed and annotated:
        decided_share = sum(found is not None for found in annotated) / len(annotated)
        assert decided_share >= 0.8, f"{decided_share:.0%} of {len(annotated)}"


def pairs(
    api: Api, decided: Mapping[tuple[str, int], tuple[Decision, ...]], function: str
) -> Iterator[tuple[Parameter, Decision]]:
    newest = len(api.functions[function]) - 1
    node = api.functions[function][newest].node
    yield from zip(node.parameters, decided[function, newest], strict=True)


@pytest.mark.parametrize("name", SHIPPED)
def test_evidence_agrees_with_the_rules(name: str) -> None:
    """In every function of the shipped APIs: no evidence says what a person has ruled out."""
    api, known = as_handles(store.load(ROOT / "api_specs" / name / "api.json")), rules.load(name)
    bare, ruled = decide(api, Rules(name)), decide(api, known)
    shown = 0
    for function in api.functions:
        if known.exclude(function) or function in TAGGED_WRONG:
            continue
        for (one, found), (_, right) in zip(
            pairs(api, bare, function), pairs(api, ruled, function), strict=True
        ):
            if found.by != "evidence":
                continue
            told = direction(replace(right, by="rule"))
            assert not wrong(direction(found), str(told)), f"{function}.{one.name}: {found.reason}"
            shown += 1
    assert shown > 5
