"""The two proofs with a vendor's headers: of a release's model, and of generated declarations."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from generator.abi.checks import (
    Check,
    checks,
    function_checks,
    names,
    probes,
    struct_checks,
)
from generator.abi.compiler import AbiError, Compiler, Failure
from generator.abi.spelling import Spelling
from generator.merge import covers, release_of
from generator.model import Api, Release, Variant
from generator.releases import ApiReleases, version_key
from generator.review import settled


@dataclass(frozen=True, slots=True)
class Proof:
    """How many claims were checked, and those that failed."""

    claims: int
    failures: list[Failure]


def prove_release(settings: ApiReleases, release: Release, include: Path) -> Proof:
    """Prove every struct, enumerator, macro, type and prototype of a release with its headers.

    Declarations are left out if the only header that has them isn't there.
    AbiError when there is no compiler or the headers don't compile.
    """
    with tempfile.TemporaryDirectory(prefix="pygpu-abi-") as folder:
        compiler = Compiler.find(settings, include, Path(folder))
        release = _in_headers(settings, release, compiler.headers)
        tags = {
            failure.about for failure in compiler.check("names", list(names(release)), language="c")
        }
        structs = list(struct_checks(release, tags))
        failures = compiler.check("structs", structs, language="c")
        others = list(checks(release))
        failures += compiler.check("others", others)
        looks = list(probes(release, _inner(compiler, release)))
        failures += compiler.run("probe", looks)
        functions = list(function_checks(release))
        failures += compiler.check("functions", functions)
        streams = []
        if settings.per_thread is not None:
            streams = list(function_checks(release, per_thread=True))
            failures += compiler.check("streams", streams, defines=[settings.per_thread])
    made = sum(
        not claim.code.startswith("#") for claim in (*structs, *others, *functions, *streams)
    )
    return Proof(made + len(looks), failures)


def _inner(compiler: Compiler, release: Release) -> set[str]:
    """The structs and enums whose names C++ doesn't know outside of the enclosing struct."""
    return {failure.about for failure in compiler.check("inner", list(names(release)))}


def _in_headers(settings: ApiReleases, release: Release, headers: tuple[str, ...]) -> Release:
    """The release without our own declarations, unless the vendor's header of these is there."""
    if not settings.also or settings.also.header in headers:
        return release
    own = settings.also.declared
    kept = {name: one for name, one in release.functions.items() if one.source.header != own}
    return replace(release, functions=kept)


def prove_declarations(
    settings: ApiReleases,
    api: Api,
    version: str,
    include: Path,
    generated: Path,
    reviewed: Sequence[str] = (),
) -> Proof:
    """Prove the structs and enums of generated/<api>/types.hpp with the headers of a release.

    Each declaration has the settled form (generator/review.py). So each is proven with one release:
    the last reviewed one that has that form, or the last of all if none is reviewed.
    """
    release = release_of(api, version)
    header = (generated / settings.name / "types.hpp").resolve()
    if not header.is_file():
        raise AbiError(f"{header} isn't there yet; run `python -m generator regenerate`")
    text = header.read_text(encoding="utf-8")
    found = re.search(r"^namespace ([\w:]+) \{", text, re.M)
    namespace = found[1] if found else ""
    # Without structs that are declared as a block of bytes: C++ lays out their members otherwise.
    whole = re.findall(r"^(?:struct|union) (\w+) \{\n(?!    uint\d+_t bytes\[)", text, re.M)
    structs = _last_in(api.structs, version, whole, reviewed)
    enums = _last_in(api.enums, version, re.findall(r"^enum (\w+) :", text, re.M), reviewed)
    with tempfile.TemporaryDirectory(prefix="pygpu-abi-") as folder:
        compiler = Compiler.find(settings, include, Path(folder))
        pairs = [
            *_struct_pairs(release, structs, namespace, _inner(compiler, release)),
            *(
                _pair(f"enum {name}", "sizeof", name, f"{namespace}::{name}")
                for name in sorted(enums)
            ),
        ]
        # Our header comes first, so that the vendor's macros can't rename anything in it.
        before = f'#include <cstddef>\n#include "{header}"\nnamespace ours {{\n'
        for index, (_, _, ours) in enumerate(pairs):
            before += f"constexpr std::size_t n{index} = {ours};\n"
        claims = [
            Check(about, f"static_assert(abi::Same<{theirs}, ours::n{index}>::ok);")
            for index, (about, theirs, _) in enumerate(pairs)
        ]
        failures = compiler.check("declarations", claims, before=before + "}\n")
    return Proof(len(claims), failures)


def _last_in(
    declared: Mapping[str, tuple[Variant[Any], ...]],
    version: str,
    names: Iterable[str],
    reviewed: Sequence[str],
) -> set[str]:
    return {
        name
        for name in names
        if name in declared and _last(declared[name], reviewed) == version_key(version)
    }


def _last(forms: Sequence[Variant[Any]], reviewed: Sequence[str]) -> tuple[int, ...]:
    form = forms[settled(forms, reviewed)]
    read = (version_key(one) for one in reviewed if covers(form, one))
    return max(read, default=version_key(form.until))


def _struct_pairs(
    release: Release, names: set[str], namespace: str, inner: set[str]
) -> Iterator[tuple[str, str, str]]:
    header, own = Spelling(release, inner=inner), Spelling(release)
    for struct in release.structs.values():
        if struct.name.split(".")[0] not in names:
            continue
        theirs = header.location(struct.name).type
        outer = struct.name.split(".")[0]
        bare = own.location(struct.name).type
        ours = re.sub(rf"(?<![\w.:]){re.escape(outer)}\b", f"{namespace}::{outer}", bare)
        about = f"declaration of {struct.name}"
        if not struct.name.rpartition(".")[2].isdigit():
            yield _pair(f"{about}, size", "sizeof", theirs, ours)
            yield _pair(f"{about}, alignment", "alignof", theirs, ours)
        for field in struct.fields:
            if field.name and field.bits is None:
                at = f"__builtin_offsetof({{0}}, {field.name})"
                size = f"sizeof((({{0}} *)0)->{field.name})"
                for what, form in (("offset", at), ("size", size)):
                    of = f"{about}, {what} of {field.name}"
                    yield of, form.format(theirs), form.format(ours)


def _pair(about: str, operator: str, theirs: str, ours: str) -> tuple[str, str, str]:
    return about, f"{operator}({theirs})", f"{operator}({ours})"
