"""Compiles checks, and turns a compiler's errors into the claims that don't hold."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from generator.abi.checks import PRELUDE, PROBES, Check, Probe
from generator.errors import GeneratorError
from generator.files import write_files
from generator.parse.search import FREESTANDING
from generator.releases import ApiReleases

_ERROR = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?:fatal )?error: (?P<text>.*)$", re.M)
_BOUNDS = re.compile(r"\[(\d+)\]\W+ from incompatible pointer type .*\[(\d+)\]")
_LANGUAGES = {
    # Some headers take `bool` for a keyword, which it is since C23.
    "c": ("-x", "c", "-std=c11", "-include", "stdbool.h", "-Werror=incompatible-pointer-types"),
    "c++": ("-x", "c++", "-std=c++20", "-w"),
}
_SAME = re.compile(r"Same<(-?\d+)[a-zA-Z]*, (-?\d+)[a-zA-Z]*>")


class AbiError(GeneratorError):
    """The check itself can't be made: no compiler, or headers that don't compile."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A claim of the model that the header contradicts."""

    about: str
    text: str

    def __str__(self) -> str:
        return f"{self.about}: {self.text}"


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler with one release's headers in its path."""

    command: tuple[str, ...]
    headers: tuple[str, ...]
    flags: tuple[str, ...]
    folder: Path

    @classmethod
    def find(cls, settings: ApiReleases, include: Path, folder: Path) -> Compiler:
        """$CXX or g++ with an include folder; `folder` takes what is written. AbiError if none."""
        command = shlex.split(os.environ.get("CXX", "")) or ["g++"]
        if shutil.which(command[0]) is None:
            raise AbiError(f"no C++ compiler: {command[0]} isn't there; set CXX to another")
        if not (include / settings.header).is_file():
            raise AbiError(f"{include}: no {settings.header} in this folder")
        # Only the header of markers that NVIDIA's wheels lack: the other included headers are those
        # of the compiler and the system.
        (folder / "crt").mkdir(exist_ok=True)
        marker = FREESTANDING / "crt" / "host_defines.h"
        shutil.copy(marker, folder / "crt" / "host_defines.h")
        flags = (
            "-fmax-errors=0",
            "-ftrack-macro-expansion=0",
            *(f"-D{one}" for one in settings.defines),
            *(f"-D{define}" for one in settings.depends for define in one.defines),
        )
        others = (*settings.include, *(str(one.include) for one in settings.depends))
        searched = [text for one in (str(include), *others) for text in ("-I", one)]
        paths = (*searched, "-idirafter", str(folder))
        also = settings.also.header if settings.also else None
        further = (*settings.more_headers, *([also] if also else []))
        headers = [settings.header, *(one for one in further if (include / one).is_file())]
        return cls(tuple(command), tuple(headers), (*flags, *paths), folder)

    def included(self) -> str:
        """The lines that include the vendor's headers."""
        return "".join(f"#include <{header}>\n" for header in self.headers)

    def check(
        self,
        name: str,
        claims: Sequence[Check],
        *,
        language: str = "c++",
        before: str = "",
        defines: Sequence[str] = (),
    ) -> list[Failure]:
        """The claims that don't hold. AbiError when the vendor's header doesn't compile.

        `before` is C++ to be put before the header.
        """
        text = f"{before}{self.included()}{PRELUDE if language == 'c++' else ''}"
        begin = text.count("\n") + 1
        unit = self.folder / f"{name}.{language}"
        lines = (claim.code.replace("(*abi)", f"(*abi{at})") for at, claim in enumerate(claims))
        write_files({unit: text + "\n".join(lines) + "\n"})  # names the file if the disk is full
        arguments = [*_LANGUAGES[language], *(f"-D{one}" for one in defines), "-fsyntax-only"]
        failures = self._failures([*arguments, str(unit)], unit, begin, claims)
        return [failures[index] for index in sorted(failures)]

    def run(self, name: str, probes: Sequence[Probe]) -> list[Failure]:
        """The claims that a running program refutes. AbiError if it doesn't compile."""
        text = f"{self.included()}{PROBES}int main() {{\n"
        calls = "".join(f"    look({probe.arguments});\n" for probe in probes)
        unit, program = self.folder / f"{name}.cpp", self.folder / name
        write_files({unit: f"{text}{calls}}}\n"})
        arguments = [*_LANGUAGES["c++"], str(unit), "-o", str(program)]
        wrong = self._failures(arguments, unit, text.count("\n") + 1, probes)
        if wrong:
            others = [probe for at, probe in enumerate(probes) if at not in wrong]
            return [*wrong.values(), *self.run(name, others)]
        ran = subprocess.run([str(program)], capture_output=True, text=True, check=True)
        printed = [tuple(map(int, line.split())) for line in ran.stdout.splitlines()]
        return [
            Failure(
                probe.about,
                f"{_numbers(value)} in the header, {_numbers(probe.expected)} in the model",
            )
            for probe, value in zip(probes, printed, strict=True)
            if value != probe.expected
        ]

    def _failures(
        self, arguments: Sequence[str], unit: Path, begin: int, claims: Sequence[Check | Probe]
    ) -> dict[int, Failure]:
        """Compile. Each error belongs to the claim in its line; the first claim is in `begin`."""
        done = self._run(arguments)
        failures: dict[int, Failure] = {}
        for match in _ERROR.finditer(done.stderr):
            index = int(match["line"]) - begin
            if Path(match["file"]) != unit or not 0 <= index < len(claims):
                raise AbiError(match.group())
            failures.setdefault(index, Failure(claims[index].about, _plain(match["text"])))
        if done.returncode != 0 and not failures:
            raise AbiError(f"{' '.join(self.command)}: {done.stderr.strip() or done.returncode}")
        return failures

    def _run(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "LC_ALL": "C"}
        return subprocess.run(
            [*self.command, *self.flags, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )


def _plain(text: str) -> str:
    if match := _SAME.search(text):
        return f"{match[1]} in the header, {match[2]} in the model"
    if match := _BOUNDS.search(text):
        return f"{match[2]} in the header, {match[1]} in the model"
    return text


def _numbers(numbers: tuple[int, ...]) -> str:
    if len(numbers) == 1:
        return str(numbers[0])
    return f"{numbers[1]} bits from bit {numbers[0]}"
