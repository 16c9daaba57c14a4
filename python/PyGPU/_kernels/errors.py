"""CompileError, with what the compiler said, and the category of its warnings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PyGPU._errors import GPUError
from PyGPU._kernels.log import Diagnostic

_SHOWN = 60  # lines of a log in an error's text


class CompileError(GPUError):
    """The compiler refused a source; `log` is all that it said, `diagnostics` the same in parts.

    `msg`, `stdout`, `stderr` and `command_line` are those of pycuda.driver.CompileError, whose
    compiler is a program: `stderr` is the log.
    """

    def __init__(
        self,
        msg: str,
        log: str = "",
        command_line: Sequence[str] = (),
        error: Any = 0,
        hint: str = "",
        diagnostics: Sequence[Diagnostic] = (),
    ) -> None:
        super().__init__(error, hint=hint)
        self.args = msg, log, tuple(command_line), error, hint, tuple(diagnostics)
        self.msg = msg
        self.log = log
        self.stdout = ""
        self.stderr = log
        self.command_line = tuple(command_line)
        self.diagnostics = tuple(diagnostics)

    def __str__(self) -> str:
        lines = self.log.rstrip().splitlines()
        if len(lines) > _SHOWN:  # a template's errors are thousands of lines
            more = len(lines) - _SHOWN
            lines[_SHOWN:] = [f"... {more} more lines are in the `log` of this error"]
        return "\n".join(part for part in (self.msg, "\n".join(lines), self.hint) if part)


class CompileWarning(UserWarning):
    """The compiler accepted a source, with a warning."""


# Tracebacks and pickles use the names that users import.
CompileError.__module__ = CompileWarning.__module__ = "PyGPU"
