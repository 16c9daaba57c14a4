"""Runs a program with the host runtime in the place of the vendors' libraries: `pygpu host run`.

The program finds the host runtime as libcuda.so.1 and libcudart.so.N, whatever its own search path
is, NVML as libnvidia-ml.so.1, and the compilers of its own Python, or of PyGPU's, by libraries that
hand out PTX where cubins are asked for.
Nothing of the user's is changed: all is said by environment variables, which children inherit.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence

from PyGPU import _backend
from PyGPU._libraries import surroundings
from PyGPU._libraries.places import gather

from .interpreters import surroundings_of

FOLDER = os.path.join(os.path.dirname(_backend.HOST_RUNTIME), "host_libraries")
TWINS = os.path.join(FOLDER, "compilers")
_COMPILERS = ("nvrtc", "nvjitlink")  # APIs whose libraries have twins
_ASSEMBLERS = ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH")
_COULD_NOT = {FileNotFoundError: 127, PermissionError: 126}  # the exit codes of shells


# Options, the variables that they set, and what they say.
_OPTIONS = (
    ("--devices", "PYGPU_HOST_DEVICES", "N", "how many devices there are (default: 1)"),
    (
        "--profile",
        "PYGPU_HOST_PROFILE",
        "CARD",
        "what each device stands for: a100, gb200, h100, h200 or rtx4070-laptop",
    ),
    ("--memory", "PYGPU_HOST_MEMORY", "SIZE", "memory of each device, as 4GiB"),
    ("--capability", "PYGPU_HOST_CAPABILITY", "X.Y", "its compute capability (default: 8.0)"),
    ("--timeout", "PYGPU_HOST_TIMEOUT", "SECONDS", "how long a kernel may run"),
)
_SWITCHES = (
    ("--check", "PYGPU_HOST_CHECK", "report faults of kernels"),
    ("--strict", "PYGPU_HOST_STRICT", "report misuse of functions"),
    ("--leaks", "PYGPU_HOST_LEAKS", "list at exit what was not freed"),
)


def main(arguments: Sequence[str], prog: str) -> int:
    """Run what stands after `--`, with the options before it. The exit code is the program's."""
    parser = argparse.ArgumentParser(
        prog=prog,
        usage="%(prog)s [options] -- command ...",
        description="Run a program without a GPU: it finds the host runtime as CUDA's runtime and "
        "driver. Its kernels run from PTX.",
    )
    for option, variable, value, text in _OPTIONS:
        parser.add_argument(option, dest=variable, metavar=value, help=text)
    for option, variable, text in _SWITCHES:
        parser.add_argument(option, dest=variable, action="store_const", const="1", help=text)
    words = list(arguments)
    at = words.index("--") if "--" in words else len(words)
    settings = {name: v for name, v in vars(parser.parse_args(words[:at])).items() if v}
    command = words[at + 1 :]
    if not command:
        parser.error("name the command after --")
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, environment(command, os.environ) | settings)
    except OSError as error:
        print(f"{prog}: {command[0]}: {error.strerror}", file=sys.stderr)
        return _COULD_NOT.get(type(error), 126)


def environment(command: Sequence[str], around: Mapping[str, str]) -> dict[str, str]:
    """A command's environment. Raises OSError where this installation can't serve programs."""
    if not os.path.isdir(FOLDER):
        raise OSError(None, "this installation of PyGPU has no host runtime")
    if any(mark in FOLDER for mark in " :"):
        raise OSError(None, f"{FOLDER} has a space or a colon, which LD_PRELOAD can't name")
    compilers = dict(_compilers(command))
    runtimes = [os.path.join(FOLDER, name) for name in sorted(os.listdir(FOLDER)) if ".so" in name]
    preloaded = [*runtimes, *(os.path.join(TWINS, name) for name in compilers)]
    assembler = os.path.join(FOLDER, "ptxas")
    return {
        **around,
        **dict.fromkeys(_ASSEMBLERS, assembler),
        "PYGPU_BACKEND": "host",
        "PYGPU_HOST_COMPILERS": ":".join(compilers.values()),
        "LD_LIBRARY_PATH": _before(FOLDER, around.get("LD_LIBRARY_PATH", ""), ":"),
        "LD_PRELOAD": _before(" ".join(preloaded), around.get("LD_PRELOAD", ""), " "),
    }


def _before(first: str, others: str, mark: str) -> str:
    return f"{first}{mark}{others}" if others else first


def _compilers(command: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The vendors' compilers by the names under which programs load them, the best of each.

    Those that the command's own Python finds come first, then those beside PyGPU.
    """
    own = surroundings()
    theirs = surroundings_of(command, own)
    seen = set()
    for api in _COMPILERS:
        for candidate in (one for at in (theirs, own) if at for one in gather(api, at)):
            folder, name = os.path.dirname(candidate.path), candidate.soname
            path = os.path.join(folder, name)
            usable = not candidate.problem and folder != TWINS and ":" not in path
            has_twin = os.path.isfile(os.path.join(TWINS, name))
            if usable and has_twin and name not in seen and os.path.isfile(path):
                seen.add(name)
                yield name, path
