"""The two proofs with a vendor's headers: of a release's model, and of generated declarations."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from generator.cpp.text import identifier, member
from generator.merge import covers, release_of
from generator.model import Api, Release, Variant
from generator.plan.binding import BindingPlan
from generator.plan.ctypes import is_block
from generator.releases import ApiReleases, version_key
from generator.review import settled


@dataclass(frozen=True, slots=True)
class Declared:
    """What a generated types.hpp declares with C's layout: the names of structs and enums.

    `namespace` is the C++ namespace that they stand in. `whole` are enums that stand for a struct.
    """

    header: Path
    namespace: str
    structs: frozenset[str]
    enums: frozenset[str]
    whole: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: BindingPlan, generated: Path) -> Declared:
        """What the file of a plan declares.

        Without structs that are declared as a block of bytes: C++ lays out their members otherwise.
        """
        structs = (one for one in plan.structs if not is_block(one))
        return cls(
            generated / plan.api / "types.hpp",
            f"pygpu::{plan.namespace}",
            frozenset(one.name for one in structs),
            frozenset(one.name for one in plan.enums),
            {plan.status: plan.detail.struct} if plan.detail else {},
        )


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
    asserted = sum(
        not claim.code.startswith("#") for claim in (*structs, *others, *functions, *streams)
    )
    return Proof(asserted + len(looks), failures)


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
    declared: Declared,
    reviewed: Sequence[str] = (),
) -> Proof:
    """Prove the structs and enums of a generated types.hpp with the headers of a release.

    Each declaration has the settled form (generator/review.py). So each is proven with one release:
    the last reviewed one that has that form, or the last of all if none is reviewed.
    """
    release = release_of(api, version)
    header = declared.header.resolve()
    if not header.is_file():
        raise AbiError(f"{header} isn't there yet; run `python -m generator regenerate`")
    namespace = declared.namespace
    structs = _last_in(api.structs, version, declared.structs, reviewed)
    enums = _last_in(api.enums, version, declared.enums, reviewed)
    with tempfile.TemporaryDirectory(prefix="pygpu-abi-") as folder:
        compiler = Compiler.find(settings, include, Path(folder))
        pairs = [
            *_struct_pairs(release, structs, namespace, _inner(compiler, release)),
            *(
                _pair(
                    f"enum {name}",
                    "sizeof",
                    declared.whole.get(name, name),
                    f"{namespace}::{identifier(name)}",
                )
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
    header, own = Spelling(release, inner=inner), Spelling(release, namespace=namespace)
    for struct in release.structs.values():
        if struct.name.split(".")[0] not in names:
            continue
        theirs, ours = (each.location(struct.name).type for each in (header, own))
        about = f"declaration of {struct.name}"
        if not struct.name.rpartition(".")[2].isdigit():
            yield _pair(f"{about}, size", "sizeof", theirs, ours)
            yield _pair(f"{about}, alignment", "alignof", theirs, ours)
        for one in struct.fields:
            if one.name and one.bits is None:
                at = "__builtin_offsetof({0}, {1})"
                size = "sizeof((({0} *)0)->{1})"
                for what, form in (("offset", at), ("size", size)):
                    of = f"{about}, {what} of {one.name}"
                    yield of, form.format(theirs, one.name), form.format(ours, member(one.name))


def _pair(about: str, operator: str, theirs: str, ours: str) -> tuple[str, str, str]:
    return about, f"{operator}({theirs})", f"{operator}({ours})"
