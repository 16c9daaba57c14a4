"""Invented releases for the tests of merging and storing."""

from __future__ import annotations

from hypothesis import strategies as st

from generator.model import (
    Alias,
    Callback,
    CType,
    Enum,
    Enumerator,
    Field,
    Function,
    Handle,
    Macro,
    Parameter,
    Release,
    Source,
    Struct,
)

VERSIONS = ("1.0", "1.2", "1.10", "2.0")
INT = CType("int")

_types = st.sampled_from([INT, CType("void", True, (False,)), CType("char", extents=(8,))])
_sources = st.builds(Source, st.sampled_from(["gpu.h", "a/b.h"]), st.integers(1, 99))
_names = st.sampled_from(["a", "b", "c"])


def _named(nodes: st.SearchStrategy) -> st.SearchStrategy:  # type: ignore[type-arg]
    return st.lists(nodes, max_size=3, unique_by=lambda node: node.name).map(
        lambda found: {node.name: node for node in sorted(found, key=lambda node: node.name)}
    )


def _parameters() -> st.SearchStrategy[tuple[Parameter, ...]]:
    parameter = st.builds(
        Parameter,
        _names,
        _types,
        default=st.sampled_from([None, "0"]),
        tag=st.sampled_from([None, "in", "out"]),
        returned=st.booleans(),
    )
    return st.lists(parameter, max_size=2, unique_by=lambda one: one.name).map(tuple)


def _enumerators() -> st.SearchStrategy[tuple[Enumerator, ...]]:
    one = st.builds(Enumerator, _names, st.integers(0, 2), st.booleans())
    return st.lists(one, max_size=3, unique_by=lambda e: e.name).map(
        lambda found: tuple(sorted(found, key=lambda e: e.value))
    )


_functions = st.builds(
    Function,
    _names,
    st.sampled_from(["a", "a_v2"]),
    _types,
    _parameters(),
    st.sampled_from(["memory", "other"]),
    _sources,
    per_thread=st.sampled_from([None, "a_ptsz"]),
    errors=st.sampled_from([(), ("gpuSuccess",)]),
    deprecated=st.booleans(),
)
_fields = st.builds(
    Field, st.sampled_from(["", "x", "y"]), _types, st.integers(0, 9), st.sampled_from([None, 3])
).filter(lambda one: one.name or one.bits is not None)  # padding; a struct inside has a type
_structs = st.builds(
    Struct,
    _names,
    st.sampled_from(["struct", "union"]),
    st.integers(10, 11),
    st.just(1),
    st.lists(_fields, max_size=2, unique_by=lambda one: one.name).map(tuple),
    _sources,
)
_enums = st.builds(Enum, _names, st.sampled_from(["int"]), _enumerators(), _sources)
_macros = st.builds(
    Macro, _names, st.integers(-1, 1), _sources, st.sampled_from([None, "gpuStream_t"])
)
_callbacks = st.builds(
    Callback,
    _names,
    _types,
    st.lists(st.builds(Parameter, _names, _types), max_size=2, unique_by=lambda one: one.name).map(
        tuple
    ),
    _sources,
)


def release(version: str) -> st.SearchStrategy[Release]:
    """Any small release with that version."""
    return st.builds(
        Release,
        st.just("gpu"),
        st.just(version),
        _named(_functions),
        _named(_structs),
        _named(_enums),
        _named(_macros),
        _named(st.builds(Alias, _names, _types, _sources)),
        _named(st.builds(Handle, _names, st.just("opaque"), _sources, st.booleans())),
        _named(_callbacks),
    )


RELEASES = st.tuples(*(release(version) for version in VERSIONS))


def empty(version: str, **kinds: dict[str, object]) -> Release:
    """A release that has only the given declarations."""
    names = ("functions", "structs", "enums", "macros", "aliases", "handles", "callbacks")
    nodes: dict[str, dict[str, object]] = {name: {} for name in names}
    return Release("gpu", version, **(nodes | kinds))  # type: ignore[arg-type]


def function(line: int = 1, tag: str | None = None, name: str = "n", **others: object) -> Function:
    """gpuRun(int), with the attributes that a test needs."""
    parameters = (Parameter(name, INT, tag=tag),)
    source = Source("gpu.h", line)
    return Function("gpuRun", "gpuRun", INT, parameters, "other", source, **others)  # type: ignore[arg-type]
