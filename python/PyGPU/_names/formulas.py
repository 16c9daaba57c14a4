"""What formulas of portable.toml call, and the portable modules with their functions."""

from __future__ import annotations

import os
from operator import index

from PyGPU import _core
from PyGPU._base import late
from PyGPU._errors import GPUError, gpu_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from PyGPU._apis.api import Api

# What a library writes for a number that it doesn't know.
_ALL_ONES = (0xFFFF, 0xFFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF)


class Lacking(Exception):  # noqa: N818 - no error yet: it becomes a status
    """A formula has no value. `status` says why; None where the library doesn't know it."""

    def __init__(self, status: Any = None) -> None:
        super().__init__(status)
        self.status = status


def known(struct: Any, *fields: str, none: int | None = None) -> int:
    """The first of the fields that the loaded release has, and whose number is known.

    A number with all bits set isn't, nor is `none`.
    """
    for field in fields:
        value: int = getattr(struct, field, _ALL_ONES[0])
        if value not in _ALL_ONES and value != none:
            return value
    raise Lacking


def text(value: bytes | str) -> str:
    """The text of an array of char, up to its end; an empty one isn't known."""
    if isinstance(value, str):
        return value
    if start := value.partition(b"\0")[0]:
        return start.decode(errors="replace")
    raise Lacking


def found(items: Sequence[Any], status: Any) -> Any:
    """The first item; without any, the formula gives that status."""
    if items:
        return items[0]
    raise Lacking(status)


def first(*calls: Callable[[], Any]) -> Any:
    """What the first call gives that doesn't fail; else the last one's failure."""
    for call in calls[:-1]:
        try:
            return call()
        except GPUError:
            pass
    return calls[-1]()


class Choice(dict):  # type: ignore[type-arg]
    """A table from one library's values to the other's. Without a value, the formula has none."""

    def __missing__(self, key: object) -> Any:
        raise Lacking


def _taken(what: str, kind: type | None, value: Any) -> int | str:
    """An argument as formulas take it: an address for a handle."""
    if kind is None:
        raise TypeError(f"{what} has no counterpart in another vendor's library")
    try:
        if kind is str:
            return os.fsdecode(value)
        if kind is int:
            return int(value) if _core.is_error(value) else index(value)
        return int(kind(value))
    except TypeError as error:
        raise TypeError(f"{what}: {error}") from None


class _Served:
    """A portable module whose functions of another shape are formulas, each made on first use."""

    def __init__(self, serving: Api, api: Api, *, raising: bool) -> None:
        def portable(form: bool) -> Any:
            extension = serving.extension()
            return extension.portable_module(serving.namespace, api.namespace, form)

        self._module, self._plain = portable(raising), portable(False)
        self._serving, self._raising = serving, raising
        formulas = late.imported(f"PyGPU._{serving.namespace}_as_{api.namespace}").FUNCTIONS
        self._formulas = {formula.__name__: (formula, takes) for formula, takes in formulas.items()}

    def __getattr__(self, name: str) -> Any:
        if name not in self._formulas:
            return getattr(self._module, name)
        formula, takes = self._formulas[name]
        made = _function(formula, takes, self._plain, self._serving, raising=self._raising)
        return self.__dict__.setdefault(name, made)  # another thread may have been quicker


_modules: dict[tuple[str, str, bool], _Served] = {}


def module(serving: Api, api: Api, *, raising: bool) -> _Served:
    """The module of the names of `api` on `serving`, whose formulas another module has."""
    key = (serving.namespace, api.namespace, raising)
    if key not in _modules:
        _modules.setdefault(key, _Served(serving, api, raising=raising))
    return _modules[key]


def _function(
    formula: Callable[..., Any],
    takes: Mapping[str, type],
    portable: Any,
    serving: Api,
    *,
    raising: bool,
) -> Callable[..., Any]:
    """The function of a formula. The portable module's own counts the arguments, and refuses."""
    name = formula.__name__
    refuse = getattr(portable, name)

    def call(*args: Any, **keywords: Any) -> Any:
        raises = raising
        try:
            refused = refuse(*args, **keywords)
        except GPUError as error:  # the function gives no status
            refused, raises = error.error, True
        given = dict(zip(takes, args, strict=False), **keywords)
        for key, value in given.items():
            given[key] = _taken(f"{name}(): parameter {key!r}", takes.get(key), value)
        *values, status = refused if isinstance(refused, tuple) else (refused,)
        try:
            value = formula(**given)
        except GPUError as error:
            status = type(status)(int(error.error))
        except Lacking as lacking:
            if lacking.status is not None:
                status = getattr(portable, lacking.status.name)
        except ZeroDivisionError:  # the library gives no scale: refused, too
            pass
        else:
            if raises:
                return value
            success = type(status)(0)
            several = value if len(values) > 1 else (value,)
            return (*several, success) if values else success
        if raises:
            raise gpu_error(status, (), name, serving.namespace)
        return (*values, status) if values else status

    call.__name__ = call.__qualname__ = name
    call.__module__ = "PyGPU"
    call.__doc__ = refuse.__doc__
    call.__wrapped__ = refuse  # type: ignore[attr-defined] # of which inspect takes the signature
    return call
