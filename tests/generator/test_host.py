"""What the host runtime exports for a release that came after it was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from generator import emit, manifest, store
from generator.cpp.host import host_row
from generator.errors import GeneratorError
from generator.merge import merge, release_of
from generator.model import Api, CType, Function
from generator.plan import host, host_library
from generator.releases import VersionMacro

Functions = Mapping[str, Function]
NAMESPACES = ("cu", "cuda", "hip")
CUDA = manifest.load("cuda_runtime", emit.SPECS)
VERSION = VersionMacro("CUDART_VERSION", 1000, 10)


@pytest.fixture(scope="module")
def implemented() -> host.Implemented:
    return host.Implemented.load(emit.SPECS, NAMESPACES)


@pytest.fixture(scope="module")
def api() -> Api:
    return store.load(emit.SPECS / "cuda_runtime" / "api.json")


def later(api: Api, change: Callable[[Functions], Functions]) -> Api:
    """An Api with one more release, the newest, in which functions changed."""
    newest = release_of(api, api.newest)
    return merge(api, replace(newest, version="99.0", functions=change(newest.functions)))


def calls(plan: host.HostPlan) -> dict[str, str | None]:
    return {one.symbol: one.call and one.call.function for one in plan.exports}


def test_what_takes_other_types_by_now_is_not_called(
    api: Api, implemented: host.Implemented
) -> None:
    def widened(functions: Functions) -> Functions:
        wait = functions["cudaStreamWaitEvent"]
        stream, event, flags = wait.parameters
        flags = replace(flags, type=CType("unsigned long long"))
        pointer = CType("void", True, (False,))
        read_only = replace(functions["cudaFree"].parameters[0], name="memory", type=pointer)
        return {
            **functions,
            wait.name: replace(wait, parameters=(stream, event, flags)),
            "cudaFree": replace(functions["cudaFree"], parameters=(read_only,)),
        }

    before = calls(host.plan(api, CUDA, VERSION, implemented))
    after = calls(host.plan(later(api, widened), CUDA, VERSION, implemented))
    changed = {"cudaStreamWaitEvent", "cudaStreamWaitEvent_ptsz"}
    assert {name: call for name, call in before.items() if after[name] != call} == dict.fromkeys(
        changed, "StreamWaitEvent"
    )
    assert {after[name] for name in changed} == {None}


def test_what_is_gone_is_not_exported(api: Api, implemented: host.Implemented) -> None:
    def fewer(functions: Functions) -> Functions:
        return {name: one for name, one in functions.items() if name != "cudaSetValidDevices"}

    before = calls(host.plan(api, CUDA, VERSION, implemented))
    after = calls(host.plan(later(api, fewer), CUDA, VERSION, implemented))
    assert before.keys() - after.keys() == {"cudaSetValidDevices"}


def test_an_attribute_is_checked_before_the_call(api: Api, implemented: host.Implemented) -> None:
    """In a later release's functions too. `cudaFuncAttributeMax` counts them, and is none."""

    def more(functions: Functions) -> Functions:
        asked = replace(functions["cudaFuncSetAttribute"], name="cudaSet", symbol="cudaSet")
        return {**functions, "cudaSet": asked}

    planned = host.plan(later(api, more), CUDA, VERSION, implemented)
    attributes = {one.symbol: one.attribute for one in planned.exports}
    assert attributes["cudaSet"] == attributes["cudaFuncSetAttribute"]
    assert attributes["cudaSet"] == host.Attribute("attr", ((8, 16),))
    assert attributes["cudaStreamSetAttribute"] == host.Attribute("attr", ((0, 14), (16, 18)))
    assert attributes["cudaMemRangeGetAttributes"] is None, "of an array each is looked at"
    assert attributes["cudaMalloc"] is None


def test_a_name_that_the_release_has_not_is_an_error(
    api: Api, implemented: host.Implemented
) -> None:
    own = {**implemented.own, "cuda": implemented.own["cuda"] | {"Maloc"}}
    with pytest.raises(GeneratorError, match=r"host\.toml: no function cuda: Maloc in 13\.2"):
        host.plan(api, CUDA, VERSION, replace(implemented, own=own))
    planned = host.plan(api, CUDA, VERSION, implemented)
    wrong = replace(implemented, shared=implemented.shared | {"Maloc"})
    with pytest.raises(GeneratorError, match=r"host\.toml: no API has the shared Maloc"):
        host.check_shared([planned], wrong)


def forwarded(implemented: host.Implemented, name: str, call: str) -> host.Implemented:
    forwards = {**implemented.forwards["cuda"], name: call}
    own = {**implemented.own, "cuda": implemented.own["cuda"] | {name}}
    return replace(implemented, own=own, forwards={**implemented.forwards, "cuda": forwards})


@pytest.mark.parametrize(
    ("forward", "call"),
    [
        ("Other", "Other(as(devPtr), as(value), as(count))"),
        ("Other($3, by_address, $1)", "Other(as(count), by_address, as(devPtr))"),
    ],
)
def test_a_forwarded_function_is_a_call_of_another(
    api: Api, implemented: host.Implemented, forward: str, call: str
) -> None:
    """What isn't passed on has no name, for a compiler would warn of it."""
    plan = host.plan(api, CUDA, VERSION, forwarded(implemented, "Memset", forward))
    row = host_row(next(one for one in plan.exports if one.symbol == "cudaMemset"))
    assert call in row
    assert ("int value" in row) == ("value" in call)


def test_a_type_of_hostgpu_takes_the_place_of_a_number(implemented: host.Implemented) -> None:
    made = manifest.load("cuda_driver", emit.SPECS)
    plan = host.plan(
        store.load(emit.SPECS / "cuda_driver" / "api.json"), made, VERSION, implemented
    )
    rows = {one.symbol: host_row(one) for one in plan.exports}
    assert "Free(as<void *>(dptr))" in rows["cuMemFree_v2"]
    assert "MemAlloc(as<void **>(dptr), as(bytesize))" in rows["cuMemAlloc_v2"].replace("* *", "**")


def test_a_forward_of_a_parameter_that_is_not_there_is_an_error(
    api: Api, implemented: host.Implemented
) -> None:
    wrong = forwarded(implemented, "Memset", "Other($4)")
    with pytest.raises(GeneratorError, match=r"host\.toml: cuda: Memset: it has no parameter \$4"):
        host.plan(api, CUDA, VERSION, wrong)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('MemFree = "Free("', r"cu\.forwards\.MemFree: .*, not 'Free\('"),
        ('MemAlloc = "Malloc"', "cu: listed and forwarded: MemAlloc"),
    ],
)
def test_a_wrong_forward_is_an_error(tmp_path: Path, line: str, message: str) -> None:
    text = (emit.SPECS / "host.toml").read_text(encoding="utf-8")
    changed = text.replace('MemFree = "Free"', line)
    assert changed != text
    (tmp_path / "host.toml").write_text(changed, encoding="utf-8")
    with pytest.raises(GeneratorError, match=message):
        host.Implemented.load(tmp_path, NAMESPACES)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("Nothing", "guard.cuda: no function cuda: Nothing"),
        ("Malloc", "guard.cuda: unsafe and unsafe_late: Malloc"),
        ("GetDevice", "guard.cuda: light and unsafe_late: GetDevice"),
    ],
)
def test_a_wrong_list_of_unsafe_functions_is_an_error(
    api: Api, implemented: host.Implemented, names: str, message: str
) -> None:
    wrong = replace(implemented, unsafe_late={"cuda": frozenset([names])})
    with pytest.raises(GeneratorError, match=message.replace(".", r"\.")):
        host.plan(api, CUDA, VERSION, wrong)


def test_a_light_function_may_be_unsafe(api: Api, implemented: host.Implemented) -> None:
    light = replace(implemented, unsafe={"cuda": frozenset(["GetDevice"])})
    guards = {one.name: one.guard for one in host.plan(api, CUDA, VERSION, light).exports}
    assert guards["cudaGetDevice"] == "light_unsafe"
    assert guards["cudaSetDevice"] == "light"


def test_a_table_of_another_name_is_an_error(tmp_path: Path) -> None:
    text = (emit.SPECS / "host.toml").read_text(encoding="utf-8")
    (tmp_path / "host.toml").write_text(text.replace("[shared]", "[sharedd]"), encoding="utf-8")
    with pytest.raises(GeneratorError, match=r"host\.toml: sharedd: unknown key"):
        host.Implemented.load(tmp_path, NAMESPACES)


@pytest.mark.parametrize("name", ["cuda_runtime", "cuda_driver"])
def test_each_code_of_cuda_has_a_text(name: str, implemented: host.Implemented) -> None:
    """A name put into words is no text: it says no more than the code."""
    made = manifest.load(name, emit.SPECS)
    api = store.load(emit.SPECS / name / "api.json")
    planned = host.plan(api, made, VERSION, implemented)
    known = implemented.messages[made.namespace]
    assert [name for code, name, _ in planned.errors if code not in known] == []


def test_a_library_has_every_symbol_and_calls_what_is_written_for_it() -> None:
    known, nvml = store.load(emit.SPECS / "nvml" / "api.json"), manifest.load("nvml", emit.SPECS)

    def widened(functions: Functions) -> Functions:
        index = functions["nvmlDeviceGetIndex"]
        wide = replace(index.parameters[1], type=CType("unsigned long", False, (False,)))
        return {**functions, index.name: replace(index, parameters=(index.parameters[0], wide))}

    def implemented(api: Api, names: str) -> dict[str, bool]:
        plan = host_library.plan(api, nvml, host_library.Library("13.5", names))
        return {one.symbol: one.implemented for one in plan.exports}

    names = "DeviceGetIndex DeviceGetName Init_v2"
    before = implemented(known, names)
    assert {one for one, is_called in before.items() if is_called} == {
        f"nvml{one}" for one in names.split()
    }
    assert len(before) > 400
    after = implemented(later(known, widened), names)
    assert after == {**before, "nvmlDeviceGetIndex": False}
    with pytest.raises(GeneratorError, match=r"nvml 13\.5 exports no nvmlDeviceGetNothing"):
        implemented(known, "DeviceGetNothing")
