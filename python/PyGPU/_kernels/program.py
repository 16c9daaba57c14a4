"""PyGPU.Program: a source with its settings, to be compiled to one or several kinds of code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PyGPU._kernels.compile import compile
from PyGPU._kernels.compiled import Compiled


class Program:
    """A source, compiled by `compiler.compile`, whose arguments it keeps.

    program = PyGPU.Program(source, "--use_fast_math")
    code = program.compile()                       # for the current device
    part = program.compile("ltoir", arch="sm_90")  # for a PyGPU.Linker
    """

    __slots__ = ("_arguments", "source")

    def __init__(
        self, source: str | bytes, options: str | Sequence[str] | None = (), **arguments: Any
    ) -> None:
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
