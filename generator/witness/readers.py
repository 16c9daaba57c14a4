"""Reads the files of witnesses: profilers' tables, other packages' declarations and docstrings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from generator.errors import GeneratorError
from generator.witness.spelling import declared, split
from generator.witness.statement import Account, Said

Accounts = Mapping[str, Account]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise GeneratorError(f"{path}: {error.strerror}") from None


def cupti(files: Iterable[Path]) -> Accounts:
    """A struct of parameters for each traced function, and a callback id for each.

    `cudaMalloc_v3020` came with release 3.2. The driver's names are its symbols.
    """
    parameters = re.compile(r"typedef struct (\w+)_params_st \{(.*?)\n\}", re.DOTALL)
    accounts: dict[str, Account] = {}
    for path in files:
        text = _text(path)
        for name in re.findall(r"_TRACE_CBID_(\w+)\s*=", text):
            function, since = _dated(name)
            accounts.setdefault(function, Account(None, since))
        for name, body in parameters.findall(text):
            function, since = _dated(name)
            members = (declared(one) for one in body.split(";") if one.strip())
            said = tuple(Said(member, kind) for kind, member in members)
            accounts[function] = Account(said, since)
    return accounts


def _dated(name: str) -> tuple[str, str | None]:
    dated = re.fullmatch(r"(\w+)_v(\d+)0(\d\d?)0", name)
    return (dated[1], f"{dated[2]}.{int(dated[3])}") if dated else (name, None)


def hip_profiler(files: Iterable[Path]) -> Accounts:
    """The arguments that ROCm's profiler records for each function.

    For some pointers it has room for the value behind them; behind a pointer to char it is a text.
    """
    accounts = {}
    for path in files:
        every = re.search(r"union \{\n(.*?)\n  \} args;", _text(path), re.DOTALL)
        for body, name in re.findall(
            r"    struct \{\n(.*?)    \} (\w+);", every[1] if every else "", re.DOTALL
        ):
            members = [declared(one) for one in body.split(";") if one.strip()]
            said = [(kind, one) for kind, one in members if not one.endswith("__val")]
            texts = {one for kind, one in members if kind == "char" and one.endswith("__val")}
            accounts[name] = Account(
                tuple(
                    Said(one, kind, form="text" if f"{one}__val" in texts else None)
                    for kind, one in said
                )
            )
    return accounts


def declarations(files: Iterable[Path]) -> Accounts:
    """The C prototypes in a Cython package's .pxd files."""
    prototype = re.compile(
        r"^cdef [\w *]+?[ *](\w+)\(([^()]*)\) (?:except|noexcept|nogil)", re.MULTILINE
    )
    accounts = {}
    for path in files:
        for name, listing in prototype.findall(_text(path)):
            parameters = (declared(one) for one in split(listing))
            accounts[name] = Account(tuple(Said(one, kind) for kind, one in parameters))
    return accounts


def cuda_functions(files: Iterable[Path]) -> Accounts:
    """The Python functions of cuda-bindings: what they take, and what their docstrings return.

    C's own return value has the name of its type before the colon; it is no output.
    """
    accounts = {}
    for path in files:
        for name, listing, doc in re.findall(
            r'^def (\w+)\((.*?)\):\n    r?"""(.*?)"""', _text(path), re.DOTALL | re.MULTILINE
        ):
            taken = [_named(one) for one in split(listing)]
            documented = _documented(doc, "Parameters")
            returned = _documented(doc, "Returns")
            said = {}
            for one in taken:
                direction = "in+out" if one in returned else "in"
                said[one] = Said(one, None, direction, _form(documented.get(one, "")))
            for one, kind in returned.items():
                said.setdefault(one, Said(one, None, "out", _form(kind)))
            accounts[name] = Account(tuple(said.values()))
    return accounts


def _named(parameter: str) -> str:
    """The name in `size_t count = 0`, `kind not None : cudaMemcpyKind`, `graph`."""
    words = re.split(r"\s*[:=]\s*|\s+not None", parameter)[0]
    return str(re.findall(r"\w+", words)[-1])


def _documented(doc: str, section: str) -> Mapping[str, str]:
    """Names and types in a section of a docstring in numpy's style."""
    listed = re.search(rf"{section}\s+-+\n(.*?)(?:\n\s*\n|\Z)", doc, re.DOTALL)
    return dict(re.findall(r"^\s*(\w+) : (.+)$", listed[1], re.MULTILINE)) if listed else {}


def _form(text: str) -> str | None:
    """Whether a documented Python type is a list or a text."""
    if re.match(r"(list|List|Tuple|tuple)\b", text):
        return "array"
    if re.match(r"(bytes|str)\b", text):
        return "text"
    return None


def hip_functions(files: Iterable[Path]) -> Accounts:
    """The Python functions of hip-python: each argument with its direction.

    C's signature in the docstring is only used for the names of the outputs.
    """
    accounts = {}
    for path in files:
        for name, listing, doc in re.findall(
            r'^def (\w+)\(([^)]*)\):\n    r?"""(.*?)"""', _text(path), re.DOTALL | re.MULTILINE
        ):
            taken = {_named(one): ("IN", "") for one in split(listing)}
            for one, kind, direction in re.findall(
                r"^\s+(\w+) \((.*)\) -- \*(\w+)\*:", doc, re.MULTILINE
            ):
                taken[one] = (direction, kind)
            if signature := re.search(rf"\s{name}\((.*)\)\s*$", doc):
                accounts[name] = Account(tuple(_hip_said(split(signature[1]), taken)))
    return accounts


def _hip_said(parameters: Iterable[str], taken: Mapping[str, tuple[str, str]]) -> Iterator[Said]:
    directions = {"IN": "in", "OUT": "out", "INOUT": "in+out"}
    for _, one in map(declared, parameters):
        direction, python = taken.get(one) or taken.get(f"{one}_") or ("OUT", "")
        form = "array" if "ListOf" in python else "text" if "CStr" in python else None
        yield Said(one, None, directions[direction], form)


READERS: Mapping[str, Callable[[Iterable[Path]], Accounts]] = {
    "cupti": cupti,
    "hip_profiler": hip_profiler,
    "declarations": declarations,
    "cuda_functions": cuda_functions,
    "hip_functions": hip_functions,
}
