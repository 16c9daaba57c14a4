"""PyGPU.Program: a source with its settings, to be compiled to one or several kinds of code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PyGPU._kernels.compile import compile
from PyGPU._kernels.compiled import Compiled

# cuda.core's second argument, where PyGPU's programs have their options.
_CODE_TYPES = {
    "c++": "the source is always C++, so leave it out",
    "ptx": "PyGPU.Module loads PTX as it is, PyGPU.Linker links it",
}
# What `compiler.compile` takes besides the source and the target, which is chosen later.
_ALL = compile.__code__.co_varnames[: len(compile.__annotations__) - 1]
_ARGUMENTS = tuple(one for one in _ALL if one not in ("source", "target"))


class Program:
    """A source, compiled by `compiler.compile`, whose arguments it keeps.

    program = PyGPU.Program(source, "--use_fast_math")
    code = program.compile()                       # for the current device
    part = program.compile("ltoir", arch="sm_90")  # for a PyGPU.Linker

    TypeError for an argument that `compiler.compile` doesn't have.
    """

    __slots__ = ("_arguments", "source")

    def __init__(
        self, source: str | bytes, options: str | Sequence[str] | None = (), **arguments: Any
    ) -> None:
        if isinstance(options, str) and options in _CODE_TYPES:
            raise TypeError(f"PyGPU.Program: {options!r} is no option: {_CODE_TYPES[options]}")
        if unknown := [name for name in arguments if name not in _ARGUMENTS]:
            raise TypeError(
                f"PyGPU.Program has no argument {unknown[0]!r}: there are "
                f"{', '.join(_ARGUMENTS)}; options are the compiler's words, '-std=c++17'"
            )
        self.source = source
        self._arguments: dict[str, Any] = {"options": options, **arguments}

    def compile(
        self,
        target: str | None = None,
        *,
        name_expressions: Sequence[str] | None = None,
        **changed: Any,
    ) -> Compiled:
        """The code: "cubin", "ptx", "ltoir" or "hsaco"; None is what the current device takes.

        `name_expressions` and `changed` are arguments of `compiler.compile` for this call, in
        place of the program's own. Raises as that does.
        """
        given = {**self._arguments, **changed}
        if name_expressions is not None:
            given["name_expressions"] = name_expressions
        return compile(self.source, target=target, **given)

    def __repr__(self) -> str:
        return f"<PyGPU.Program, {len(self.source)} characters>"


Program.__module__ = "PyGPU"
