"""Checks the arguments of compile(), and reads options in the forms that the compilers take."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from PyGPU._kernels import nvcc_options
from PyGPU._kernels._vendors import COMPILERS

WHERE = "PyGPU.compiler.compile"
_KINDS = tuple(kind for one in COMPILERS.values() for kind in one.kinds)

_SUFFIXES = (*(one.suffix.encode() for one in COMPILERS.values()), b".cuh", b".cpp", b".h")

# The compilers' own, and nvcc's short form.
_ARCH = ("-arch", *(one.architecture.removesuffix("=") for one in COMPILERS.values()))
# Options that make another kind of code, each with nvcc's other form.
_BY_OPTION = {
    form: kind
    for one in COMPILERS.values()
    for kind, known in one.kinds.items()
    for option in known.options
    for form in (option, f"-{option}")
}
_CODE = ("-code", "--gpu-code")
_GENCODE = ("-gencode", "--generate-code")
_FOLDERS = ("-I", "--include-path", "-isystem", "-iquote", "-idirafter")
_FILES = ("-include", "--pre-include", "-imacros")
# Options by which the compiler reads or writes files that PyGPU doesn't know.
_UNCACHED = (
    "-optf", "--options-file", "-pch", "--pch", "-create-pch", "--create-pch", "-use-pch",
    "--use-pch", "-time", "--time", "-fdevice-time-trace", "--fdevice-time-trace", "--save-temps",
    "-save-temps",
)  # fmt: skip


class Request(NamedTuple):
    """What is to be compiled, whatever compiler does it. `options` have no architecture."""

    source: bytes
    name: str
    options: tuple[str, ...]
    arch: str | None
    kind: str | None
    headers: Mapping[str, bytes]
    name_expressions: tuple[str, ...]
    folders: tuple[str, ...]  # those of `options`, too
    included: tuple[str, ...]
    cacheable: bool


def checked_request(
    source: str | bytes,
    options: str | Sequence[str] | None,
    arch: str | None,
    headers: Mapping[str, str | bytes] | None,
    name_expressions: Sequence[str],
    name: str,
    target: str | None,
    include_dirs: Sequence[str | os.PathLike[str]] | None,
    no_extern_c: bool,
    code: str | None,
    *,
    is_clang: bool,
) -> Request:
    """The arguments as a Request; TypeError or ValueError for what can't be one."""
    text = _bytes("source", source)
    if b"\n" not in text and text.endswith(_SUFFIXES):
        raise ValueError(
            f"PyGPU.compiler.compile: source is the text itself, not a file's name: "
            f"pathlib.Path({source!r}).read_text()"
        )
    if not no_extern_c:
        text = b'extern "C" {\n#line 1\n' + text + b"\n}\n"
    listed = _options(options)
    folders = _paths("include_dirs", include_dirs)
    listed += [f"-I{folder}" for folder in folders]
    archs, listed = _taken(listed, _ARCH)
    codes, listed = _taken(listed, _CODE)
    listed = nvcc_options.without(_plain_gencode(listed, archs), is_clang=is_clang)
    kind = _kind(target, listed)
    return Request(
        text,
        _text("name", name),
        tuple(one for one in listed if one not in _BY_OPTION),
        _arch(_optional("arch", arch), archs, _optional("code", code or next(iter(codes), None))),
        kind,
        _headers(headers),
        tuple(_strings("name_expressions", name_expressions)),
        tuple(_taken(listed, _FOLDERS)[0]),
        tuple(_taken(listed, _FILES)[0]),
        not any(one.startswith(_UNCACHED) for one in listed),
    )


def refuse(parameter: str, value: object, why: str) -> None:
    """ValueError for an argument of PyCUDA's that has no meaning here."""
    raise ValueError(f"{WHERE}: {parameter}={value!r}: {why}")


def _arch(asked: str | None, in_options: list[str], code: str | None) -> str | None:
    """The one architecture of all that were named; nvcc's `code` is the real one for it."""
    named = [one for one in (asked, *in_options) if one is not None and one != "native"]
    if "" in named:
        raise ValueError(f"{WHERE}: the option that names the architecture lacks its value")
    if len(set(named)) > 1:
        raise ValueError(f"{WHERE}: several architectures: {', '.join(named)}")
    arch = named[0] if named else None
    if code is None:
        return arch
    if arch is None or arch.partition("_")[2] == code.partition("_")[2]:
        return code
    raise ValueError(
        f"{WHERE}: code={code!r} is not of arch={arch!r}: NVRTC makes code for its own virtual "
        f"architecture only; give arch={code!r} alone"
    )


def _plain_gencode(options: list[str], archs: list[str]) -> list[str]:
    """The options without nvcc's -gencode arch=compute_90,code=sm_90, whose code `found` gets."""
    values, others = _taken(options, _GENCODE)
    for value in values:
        code = re.search(r"code=\W*(\w+)", value) or re.search(r"arch=(\w+)", value)
        archs += [code[1] if code else value]
    return others


def _kind(target: str | None, options: list[str]) -> str | None:
    target = _optional("target", target)
    if target is None:
        return next((_BY_OPTION[one] for one in options if one in _BY_OPTION), None)
    if target not in _KINDS:
        raise ValueError(f"{WHERE}: target must be one of {', '.join(_KINDS)}, not {target!r}")
    return target


def _taken(options: Sequence[str], names: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The values of options of these names, in any form, and the other options."""
    values, others = [], []
    waiting = iter(options)
    for one in waiting:
        if one in names:
            values.append(next(waiting, ""))
        elif name := next((n for n in names if _starts(one, n)), None):
            values.append(one[len(name) :].removeprefix("="))
        else:
            others.append(one)
    return values, others


def _starts(option: str, name: str) -> bool:
    """-Ifolder, --include-path=folder: only -I goes without a sign before its value."""
    return option.startswith(name if name == "-I" else name + "=")


def _options(options: str | Sequence[str] | None) -> list[str]:
    if isinstance(options, str):
        return shlex.split(options)
    return _strings("options", () if options is None else options)


def _headers(headers: Mapping[str, str | bytes] | None) -> dict[str, bytes]:
    if headers is None:
        return {}
    if not isinstance(headers, Mapping):
        raise _wrong("headers", "a mapping of names to texts", headers)
    return {
        _text("a name in headers", name): _bytes(f"headers[{name!r}]", text)
        for name, text in headers.items()
    }


def _paths(parameter: str, value: Sequence[str | os.PathLike[str]] | None) -> list[str]:
    if value is None:
        return []
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise _wrong(parameter, "a sequence of paths", value)
    for one in value:
        if not isinstance(one, (str, os.PathLike)):
            raise _wrong(f"an item of {parameter}", "a path", one)
    return [os.fsdecode(one) for one in value]


def _strings(parameter: str, value: Sequence[str]) -> list[str]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        if isinstance(value, str):
            raise TypeError(f"{WHERE}: {parameter} must be a sequence of str: [{value!r}]")
        raise _wrong(parameter, "a sequence of str", value)
    return [_text(f"an item of {parameter}", one) for one in value]


def _optional(parameter: str, value: str | None) -> str | None:
    return None if value is None else _text(parameter, value)


def _text(parameter: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(parameter, "a str", value)
    if "\0" in value:
        raise ValueError(f"{WHERE}: {parameter} contains a NUL character, where C ends a text")
    return value


def _bytes(parameter: str, value: Any) -> bytes:
    if not isinstance(value, (str, bytes)):
        raise _wrong(parameter, "a str or bytes", value)
    try:
        data = value.encode() if isinstance(value, str) else bytes(value)
    except UnicodeEncodeError as error:
        raise ValueError(f"{WHERE}: {parameter} can't be written as UTF-8: {error}") from None
    if b"\0" in data:
        raise ValueError(f"{WHERE}: {parameter} contains a NUL character, where C ends a text")
    return data


def _wrong(parameter: str, wanted: str, value: object) -> TypeError:
    return TypeError(f"{WHERE}: {parameter} must be {wanted}, not {type(value).__name__}")
