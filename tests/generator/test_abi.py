"""The model of every listed release agrees with the vendors' headers; a wrong one is caught."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator import cli, manifest, store
from generator.abi import AbiError, Declared, Proof, prove_declarations, prove_release
from generator.abi.command import Result, run
from generator.files import WriteError
from generator.headers.fetch import FetchError, fetch_headers
from generator.merge import merge, release_of
from generator.model import CType, Field, Parameter, Release, Source
from generator.releases import (
    ApiReleases,
    FurtherExports,
    Package,
    find_api,
    read_releases,
    release_name,
)
from tests.generator.headers import PER_THREAD, ROOT, missing, parse_text
from tests.generator.test_files import little_room

LISTED = [
    (settings, version)
    for settings in read_releases(ROOT / "api_specs").values()
    for version in settings.releases
]

HEADER = """
#ifdef __cplusplus
extern "C" {
#endif
typedef enum { gpuSuccess = 0, gpuFailed = -3 } gpuError_t;
enum gpuKind { gpuKindNone = 1, gpuKindAll = 0x7fffffff };
typedef struct gpuStream_st *gpuStream_t;
typedef unsigned long long gpuTexture_t;
typedef void (*gpuCallback_t)(gpuStream_t stream, void *data);
struct gpuPlain { char tag; double weight; int sizes[3]; const char *name; };
typedef struct {
    int before;
    union { int fd; struct { void *handle; unsigned char bytes[5]; } win32; } from;
    struct { short inner; long long deep; };
    unsigned low : 3;
    unsigned : 2;
    unsigned high : 7;
    gpuCallback_t call;
    void (*untyped)(int);
} gpuNested;
typedef union {
    int operation;
    struct gpuWait_st { int operation; unsigned set : 2, alias : 4; long long value; } waits[2];
} gpuOperation;
#define GPU_COUNT 7
#define GPU_LARGE 0xffffffffffffffffULL
#define GPU_NEGATIVE (-1)
#define gpuStreamPerThread ((gpuStream_t)0x2)
#ifdef GPU_PER_THREAD
#define gpuWait gpuWait_ptsz
#endif
#define gpuGet gpuGet_v2
gpuError_t gpuGet(int *value, unsigned flags);
gpuError_t gpuWait(gpuStream_t stream);
gpuError_t __gpuOpen_13(gpuStream_t *stream);
static inline gpuError_t gpuOpen(gpuStream_t *stream) { return __gpuOpen_13(stream); }
gpuError_t gpuCall(enum gpuKind kind, struct gpuPlain plain, gpuCallback_t then, void (*f)(int));
#ifdef __cplusplus
}
template <class T> gpuError_t gpuWait(T stream);
#endif
"""

SETTINGS = ApiReleases(
    "gpu", "gpu.h", ("1.0",), prefix="gpu", group_prefix="GPU_", per_thread=PER_THREAD
)


def model(folder: Path) -> Release:
    """The release declared by the small header."""
    return parse_text(folder, HEADER)


def changed(release: Release, kind: str, name: str, change: Callable[[Any], Any]) -> Release:
    """The release with one declaration changed."""
    nodes = dict(getattr(release, kind))
    nodes[name] = change(nodes[name])
    return replace(release, **{kind: nodes})  # type: ignore[arg-type]


def with_field(name: str, **new: Any) -> Callable[[Any], Any]:
    """Changes one field of a struct."""

    def change(struct: Any) -> Any:
        fields = (replace(one, **new) if one.name == name else one for one in struct.fields)
        return replace(struct, fields=tuple(fields))

    return change


def with_type(place: int, type: str) -> Callable[[Any], Any]:
    """Changes the type of one parameter."""

    def change(node: Any) -> Any:
        parameters = list(node.parameters)
        parameters[place] = replace(parameters[place], type=CType.parse(type))
        return replace(node, parameters=tuple(parameters))

    return change


def with_value(name: str, value: int) -> Callable[[Any], Any]:
    """Changes one enumerator."""

    def change(enum: Any) -> Any:
        members = (
            replace(one, value=value) if one.name == name else one for one in enum.enumerators
        )
        return replace(enum, enumerators=tuple(members))

    return change


def with_one_more(node: Any) -> Any:
    """Adds a parameter to a function, or a field to a struct."""
    if hasattr(node, "fields"):
        return replace(node, fields=(*node.fields, Field("more", CType("int"), 0)))
    return replace(node, parameters=(*node.parameters, Parameter("more", CType("int"))))


MUTATIONS = {
    "size": ("structs", "gpuPlain", lambda s: replace(s, size=48), "40 in the header, 48"),
    "alignment": ("structs", "gpuPlain", lambda s: replace(s, align=4), "8 in the header, 4"),
    "offset": ("structs", "gpuPlain", with_field("weight", offset=4), "weight, offset: 8 in"),
    "field type": (
        "structs", "gpuPlain", with_field("weight", type=CType("float")), "weight, type"
    ),
    "constness": (
        "structs", "gpuPlain", with_field("name", type=CType.parse("char *")), "name, type"
    ),
    "bound": (
        "structs", "gpuPlain", with_field("sizes", type=CType.parse("int[4]")), "sizes, type"
    ),
    "no such field": ("structs", "gpuPlain", with_one_more, "more"),
    "kind": (
        "structs", "gpuPlain", lambda s: replace(s, kind="union"), "gpuPlain"
    ),
    "member of a union": (
        "structs", "gpuNested.from.win32", with_field("bytes", offset=9), "bytes"
    ),
    "member of a nameless struct": (
        "structs", "gpuNested.0", with_field("deep", offset=0), "deep, offset"
    ),
    "first bit": ("structs", "gpuNested", with_field("high", offset=326), "from bit 326 in the"),
    "width": ("structs", "gpuNested", with_field("low", bits=4), "3 bits from bit"),
    "inside another in C++": ("structs", "gpuWait_st", with_field("alias", bits=3), "4 bits from"),
    "enumerator": ("enums", "gpuError_t", with_value("gpuFailed", 3), "gpuFailed: -3 in"),
    "underlying type": (
        "enums", "gpuKind", lambda e: replace(e, underlying="int"), "underlying type"
    ),
    "macro": ("macros", "GPU_COUNT", lambda m: replace(m, value=8), "7 in the header, 8"),
    "sign of a macro": ("macros", "GPU_LARGE", lambda m: replace(m, value=-1), "GPU_LARGE"),
    "negative macro": ("macros", "GPU_NEGATIVE", lambda m: replace(m, value=1), "-1 in the header"),
    "pointer macro": (
        "macros", "gpuStreamPerThread", lambda m: replace(m, value=1), "2 in the header"
    ),
    "type of a macro": (
        "macros", "gpuStreamPerThread", lambda m: replace(m, type="void *"), "type"
    ),
    "alias": (
        "aliases", "gpuTexture_t", lambda a: replace(a, type=CType("unsigned long")), "gpuTexture_t"
    ),
    "handle": ("handles", "gpuStream_t", lambda h: replace(h, const=True), "gpuStream_t"),
    "callback": ("callbacks", "gpuCallback_t", with_type(1, "const void *"), "gpuCallback_t"),
    "parameter's type": ("functions", "gpuGet", with_type(0, "long *"), "gpuGet"),
    "parameter's sign": ("functions", "gpuGet", with_type(1, "int"), "gpuGet"),
    "enum or int": ("functions", "gpuCall", with_type(0, "unsigned int"), "gpuCall"),
    "overloaded in C++": ("functions", "gpuWait", with_type(0, "int"), "gpuWait"),
    "count of parameters": ("functions", "gpuGet", with_one_more, "gpuGet"),
    "order": (
        "functions", "gpuGet", lambda f: replace(f, parameters=f.parameters[::-1]), "gpuGet"
    ),
    "result": (
        "functions", "gpuGet", lambda f: replace(f, result=CType("int")), "gpuGet"
    ),
    "symbol": ("functions", "gpuGet", lambda f: replace(f, symbol="gpuWait"), "gpuGet"),
    "per-thread symbol": (
        "functions", "gpuWait", lambda f: replace(f, per_thread=None), "per-thread symbol"
    ),
}  # fmt: skip


def test_a_true_model_holds(tmp_path: Path) -> None:
    proof = prove_release(SETTINGS, model(tmp_path), tmp_path)
    assert proof.failures == []
    assert proof.claims > 60


def test_a_full_disk_is_told_with_the_file(tmp_path: Path) -> None:
    release = model(tmp_path)
    with little_room(), pytest.raises(WriteError, match=r"pygpu-abi-.*: File too large"):
        prove_release(SETTINGS, release, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_wrong_model_is_caught(tmp_path: Path, mutation: str) -> None:
    kind, name, change, said = MUTATIONS[mutation]
    proof = prove_release(SETTINGS, changed(model(tmp_path), kind, name, change), tmp_path)
    assert any(said in str(failure) for failure in proof.failures), proof.failures
    assert all(name.split(".")[0] in failure.about for failure in proof.failures)


def test_what_the_header_lacks_is_named(tmp_path: Path) -> None:
    release = model(tmp_path)
    for kind in ("functions", "structs", "enums", "macros", "aliases", "handles", "callbacks"):
        name, node = next(iter(getattr(release, kind).items()))
        wrong = changed(release, kind, name, lambda n: replace(n, name="gpuUnheardOf"))
        assert any("gpuUnheardOf" in one.about for one in prove(wrong, tmp_path).failures), kind


def prove(release: Release, folder: Path) -> Proof:
    """The proof against the small header."""
    return prove_release(SETTINGS, release, folder)


def test_headers_that_do_not_compile_are_an_error(tmp_path: Path) -> None:
    release = model(tmp_path)
    (tmp_path / "gpu.h").write_text("#include <nowhere.h>\n")
    with pytest.raises(AbiError, match=r"gpu\.h:1.*nowhere"):
        prove(release, tmp_path)


def test_further_folders_are_searched(tmp_path: Path) -> None:
    """Those that releases.toml names, as when the headers are read."""
    release = model(tmp_path)
    (tmp_path / "further").mkdir()
    (tmp_path / "gpu.h").rename(tmp_path / "further" / "real.h")
    (tmp_path / "gpu.h").write_text("#include <real.h>\n")
    with pytest.raises(AbiError, match="real"):
        prove(release, tmp_path)
    settings = replace(SETTINGS, include=(str(tmp_path / "further"),))
    assert prove_release(settings, release, tmp_path).failures == []


def test_what_no_header_declares_is_not_asked_about(tmp_path: Path) -> None:
    """A declaration of our own, which no vendor's header has."""
    release = model(tmp_path)
    given = release.functions["gpuGet"]
    own = replace(given, name="gpuOwn", symbol="gpuOwn", source=Source("own.h", 1))
    more = replace(release, functions={**release.functions, "gpuOwn": own})
    assert any("gpuOwn" in one.about for one in prove(more, tmp_path).failures)
    proof = prove_release(replace(SETTINGS, also=FurtherExports("own.h")), more, tmp_path)
    assert proof == prove(release, tmp_path)


def test_declarations_that_are_not_generated_yet(tmp_path: Path) -> None:
    api = merge(None, model(tmp_path))
    with pytest.raises(AbiError, match=r"gpu/types\.hpp .*python -m generator regenerate"):
        prove_declarations(SETTINGS, api, "1.0", tmp_path, declared(tmp_path / "generated"))


def declared(generated: Path) -> Declared:
    """What the files of the next test declare."""
    structs, enums = frozenset({"gpuPlain", "gpuWait_st"}), frozenset({"gpuKind"})
    return Declared(generated / "gpu" / "types.hpp", "pygpu::gpu", structs, enums)


def test_wrong_declarations_of_our_own_are_caught(tmp_path: Path) -> None:
    api = merge(None, model(tmp_path))
    generated = tmp_path / "generated"
    (generated / "gpu").mkdir(parents=True)
    ours = "struct gpuPlain {\n    char tag; double weight; int sizes[3]; %s name;\n};\n"
    inner = "struct gpuWait_st {\n    int operation; unsigned set : 2, alias : 4; %s value;\n};\n"
    failures = []
    for type in ("const char *", "int"):
        text = f"namespace pygpu::gpu {{\nenum gpuKind : %s {{}};\n{ours % type}"
        text += inner % ("long long" if type == "const char *" else "int") + "}\n"
        kind = "unsigned int" if type == "const char *" else "long"
        (generated / "gpu" / "types.hpp").write_text(text % kind)
        proof = prove_declarations(SETTINGS, api, "1.0", tmp_path, declared(generated))
        failures.append(proof.failures)
    assert failures[0] == []
    said = [str(failure) for failure in failures[1]]
    assert "declaration of gpuPlain, size of name: 8 in the header, 4 in the model" in said
    assert any(line.startswith("enum gpuKind") for line in said)
    assert "declaration of gpuWait_st, size of value: 8 in the header, 4 in the model" in said


# The least number of claims: an API without structs has few.
LEAST = {"cuda_driver": 4000, "cuda_runtime": 3000, "hip_runtime": 3000, "roctx": 20}


# Headers that no registry keeps for good. Whoever has them proves these with `abi --headers DIR`.
PASSING = {("hiprtc", "6.4.43484"): "only Debian's unstable release has carried this header"}


@pytest.mark.parametrize(("settings", "version"), LISTED, ids=[f"{s.name}-{v}" for s, v in LISTED])
def test_listed_releases(settings: ApiReleases, version: str) -> None:
    result = run(ROOT, settings, version, None)
    if result.skipped:
        reason = PASSING.get((settings.name, version))
        # What no package on PyPI has, a person fetches who adds a release of the library.
        if not reason and manifest.load(settings.name, ROOT / "api_specs").extra:
            reason = settings.sources.get(version)
        if reason:
            pytest.skip(f"{settings.name} {version} is not proven here: {reason}")
        missing(f"the header of {settings.name} {version} ({result.skipped})")
    assert result.failures == ()
    assert result.claims > LEAST.get(settings.name, 40)


def test_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fake(root: Path, settings: ApiReleases, version: str, headers: Path | None) -> Result:
        if settings.name == "hip_runtime":
            return Result(settings.name, version, skipped="no headers")
        return Result(settings.name, version, 3, ("struct X: wrong",) if headers else ())

    monkeypatch.setattr("generator.abi.command.run", fake)
    assert cli.main(["abi", "--all", "--json", "--allow-missing"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(LISTED)
    assert cli.main(["abi", "--all"]) == 1
    told = capsys.readouterr().err
    assert "SKIPPED, no headers" in told
    assert "nothing is proven of hip_runtime 5.2.3" in told
    assert cli.main(["abi", "cuda_runtime", "--release", "13.0", "--headers", "."]) == 1
    assert "struct X: wrong" in capsys.readouterr().err
    assert cli.main(["abi", "cuda_runtime", "--release", "9.0"]) == 2
    assert cli.main(["abi", "cuda_runtime"]) == 2


# Releases whose profiler header comes in a separate package with its own version.
PROFILER = {
    "11.8.89": ("nvidia-cuda-profiler-api-cu11", "11.8.86", "nvidia/cuda_profiler_api/include"),
    "12.9.79": ("nvidia-cuda-profiler-api-cu12", "12.9.79", "nvidia/cuda_profiler_api/include"),
    "13.0.96": ("nvidia-cuda-profiler-api", "13.0.85", "nvidia/cu13/include"),
}


@pytest.mark.parametrize("version", PROFILER)
@pytest.mark.parametrize(
    ("api_name", "stop"), [("cuda_runtime", "cudaProfilerStop"), ("cuda_driver", "cuProfilerStop")]
)
def test_our_declarations_are_those_of_the_header_that_the_package_lacks(
    tmp_path: Path, api_name: str, stop: str, version: str
) -> None:
    settings = find_api(ROOT / "api_specs", api_name)
    assert settings.also is not None and settings.also.header is not None
    name, own, folder = PROFILER[version]
    try:
        runtime = fetch_headers(settings.package(version), version)
        profiler = fetch_headers(Package(name, folder), own)
    except FetchError as error:
        missing(str(error))
    api = store.load(ROOT / "api_specs" / api_name / "api.json")
    release = release_of(api, release_name(version))
    without = prove_release(settings, release, runtime)
    both = tmp_path / "include"
    shutil.copytree(runtime, both)
    shutil.copy(profiler / settings.also.header, both)
    proof = prove_release(settings, release, both)
    assert proof.failures == []
    assert proof.claims >= without.claims + 2 * 3
    wrong = changed(release, "functions", stop, with_one_more)
    assert any(stop in one.about for one in prove_release(settings, wrong, both).failures)
