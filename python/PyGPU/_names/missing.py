"""Advice on a name that PyGPU lacks: the name that was meant, or what to use instead."""

from __future__ import annotations

import sys

from PyGPU import _backend, _core
from PyGPU._apis import APIS
from PyGPU._base import late
from PyGPU._names import all_names, api_of
from PyGPU._names.signposts import SIGNPOSTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Modules in which people look for other packages' names: `cupy.cuda.alloc_pinned_memory`.
_PACKAGE_LIKE = ("PyGPU.gpuarray", "PyGPU.cuda")


class MissingNameError(AttributeError):
    """An AttributeError that searches for the intended name only when its text is read.

    So hasattr() costs no search. Tracebacks show it as an AttributeError, and it is pickled as one.
    """

    def __init__(self, module: str, name: str) -> None:
        # Given the object, Python would search the names of smaller modules by itself.
        super().__init__(f"module {module!r} has no attribute {name!r}", name=name, obj=None)
        self.module = module

    def __str__(self) -> str:
        return str(self.args[0]) + advice(self.module, str(self.name))

    def __reduce__(self) -> tuple[type[AttributeError], tuple[str]]:
        return AttributeError, (str(self),)


MissingNameError.__module__ = "builtins"
MissingNameError.__name__ = MissingNameError.__qualname__ = "AttributeError"


def refuse_import(name: str) -> None:
    """Raise an ImportError for a module that PyGPU hasn't got, where there is advice.

    The rest is left to Python's own ModuleNotFoundError.
    """
    parent, _, tail = name.rpartition(".")
    if parent != "PyGPU":
        return
    if tail in APIS and (extra := APIS[tail].extra):
        raise ModuleNotFoundError(
            f"{name} is not installed: pip install 'PyGPU[{extra}]'",
            name=f"PyGPU.{APIS[tail].module}",  # with `name`, `from PyGPU import` hides the text
        )
    try:
        getattr(sys.modules[parent], tail)
    except MissingNameError:
        hint = advice(parent, tail)
    except AttributeError as error:  # PyGPU has the name, but it can't be imported here
        hint = f": {error}"
    else:
        return
    if hint:
        raise ImportError(f"cannot import name {tail!r} from 'PyGPU'{hint}", name=name)


def advice(module: str, name: str) -> str:
    """The end of a sentence on a name that a module of PyGPU hasn't got; "" without any advice."""
    if not name.isascii():
        return ""
    for of in (module, "PyGPU") if module in _PACKAGE_LIKE else (module,):
        if text := SIGNPOSTS.get(of, {}).get(name):
            return f": {text}"
    if meant := _meant(module, name):
        return f". Did you mean {meant!r}?"
    return ""


def _meant(module: str, name: str) -> str:
    """The name that was probably meant, with its module where that is another; "" without one."""
    own = [*_names(module), *_of_other_apis(module, name)]
    others = list(_others(module, name))
    for other, names in others:
        if name in names:
            return f"{other}.{name}"
    if nearest := _core.nearest(name, own):
        return nearest
    prefix = module.partition(".")[2].partition(".")[0]  # the API's, by its namespace
    prefix = prefix if prefix in APIS else _backend.PORTABLE[0]
    for one in own:
        if one.lower() == prefix + name.lower():
            return one
    for other, names in others:
        if nearest := _core.nearest(name, names):
            return f"{other}.{nearest}"
    return ""


def _of_other_apis(module: str, name: str) -> list[str]:
    """The names of the API that a portable name's prefix stands for; none for the runtime."""
    api = api_of(name) if module in ("PyGPU", "PyGPU.checked") else None
    return list(api.extension().names(api.namespace)) if api else []


def _others(module: str, name: str) -> Iterator[tuple[str, list[str]]]:
    """The other modules where a user may have meant to look for a name, with their names."""
    api = api_of(name)
    of_the_name = [f"PyGPU.{api.namespace}"] if api else []
    for other in (*of_the_name, "PyGPU", *(f"PyGPU.{one}" for one in _backend.RUNTIMES)):
        if other != module:
            yield other, _names(other)


def _names(module: str) -> list[str]:
    """The public names of a module; the portable ones of the package are CUDA's."""
    if module == "PyGPU":
        return all_names()
    return [name for name in dir(late.imported(module)) if not name.startswith("_")]
