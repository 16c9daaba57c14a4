"""The command line of `pygpu` and `python -m PyGPU`."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Sequence

import PyGPU._backend as _backend
from PyGPU._base import terminal

from . import brief, text
from .collect import collect, version

DESCRIPTION = "Say what PyGPU finds on this machine, and what to do where something is missing."
EPILOG = "Exits with 0 if a backend works (its devices answer), with 1 if none does."


def main(arguments: Sequence[str] | None = None, prog: str = "python -m PyGPU") -> int:
    """Run the command; the exit code is 0 if a backend works, 1 if none does."""
    parser = argparse.ArgumentParser(prog=prog, description=DESCRIPTION, epilog=EPILOG)
    _add_doctor_options(parser)
    parser.add_argument("--version", action="version", version=f"PyGPU {version()}")
    # `doctor` is also what runs when no command is named; further commands are added here.
    commands = parser.add_subparsers(dest="command", metavar="command")
    doctor = commands.add_parser(
        "doctor",
        help="what is described here (the default)",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    _add_doctor_options(doctor, inherit=True)
    host = commands.add_parser(
        "host",
        help="what the host runtime does in a GPU's place",
        description="Say which functions the host runtime implements; the others return 801. "
        f"`{prog} host run -- command` runs a program on it.",
    )
    host.add_argument("--functions", action="store_true", help="list all functions, one a line")
    new = commands.add_parser(
        "new",
        help="write a project of your own C++ and kernels for PyGPU's arrays",
        description="Write a project that builds: CMake, kernels for a GPU and for the host, "
        "bindings by pybind11, and a test.",
    )
    new.add_argument("name", help="what the package is called in Python")
    new.add_argument("--folder", help="where the project is written (default: its name)")
    for option, what in (("--include-dir", "C++ compilers"), ("--cmake-dir", "CMake's PyGPU_DIR")):
        parser.add_argument(option, action="store_true", help=f"print the folder for {what}")
    commands.add_parser("bind", help="write a Python package of a C header of yours")
    commands.add_parser(
        "trace", help="summarise the calls that PYGPU_TRACE has recorded, or replay them"
    )
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["bind"]:
        return _bind(words, prog)
    if words[:1] == ["trace"]:
        from PyGPU._trace.command import main as trace

        return trace(words[1:], f"{prog} trace")
    if words[:2] == ["host", "run"]:
        from PyGPU._programs.run import main as run_on_host

        return run_on_host(words[2:], f"{prog} host run")
    options = parser.parse_args(words)
    if options.include_dir or options.cmake_dir:
        return _folders(options)
    if options.command == "new":
        from PyGPU._projects.new import project

        try:
            print(project(options.name, options.folder))
        except ValueError as error:
            new.error(str(error))
        return 0
    return _host(options) if options.command == "host" else _doctor(options)


def _bind(arguments: Sequence[str], prog: str) -> int:
    """The generator is a package of its own, with its own options."""
    from importlib import import_module

    try:
        generator = import_module("pygpu_generator")
    except ImportError:
        print(
            f"{prog} bind: the package pygpu-generator is missing: pip install pygpu-generator, "
            "or pip install ./packages/pygpu-generator in a clone",
            file=sys.stderr,
        )
        return 2
    code: int = generator.main(arguments, prog)
    return code


def _add_doctor_options(parser: argparse.ArgumentParser, inherit: bool = False) -> None:
    """With `inherit`, options that were given before the command's name keep their values."""
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        default=argparse.SUPPRESS if inherit else False,
        help="print all that was found: paths, candidates, environment",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        default=argparse.SUPPRESS if inherit else False,
        help="print one JSON object instead of text",
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        metavar="SECONDS",
        default=argparse.SUPPRESS if inherit else 60.0,
        help="how long each vendor's library may take to answer (default: 60)",
    )


def _seconds(text: str) -> float:
    """A time to wait, as argparse takes it: positive, and not longer than a clock can count."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 1e6:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds between 0 and 1000000")
    return seconds


def _folders(options: argparse.Namespace) -> int:
    from PyGPU._projects import headers

    if options.include_dir:
        print(headers.get_include())
    if options.cmake_dir:
        print(headers.get_cmake_dir())
    return 0


def _host(options: argparse.Namespace) -> int:
    from PyGPU import host

    for api in _backend.HOSTED:
        functions = host.functions(api)
        if options.functions:
            for name, implemented in sorted(functions.items()):
                print(f"{name:<52} {'implemented' if implemented else 'not supported'}")
        else:
            print(f"{api}: {sum(functions.values())} of {len(functions)} functions are implemented")
    return 0


def _doctor(options: argparse.Namespace) -> int:
    with terminal.Waiting("Asking the vendors' libraries for their devices"):
        report = collect(timeout=options.timeout)
    if options.json:
        shown = json.dumps(report, indent=2)
    elif options.verbose:
        shown = text.render(report, terminal.width())
    else:
        shown = brief.render(report, terminal.width(), terminal.height())
    with contextlib.suppress(BrokenPipeError):  # a reader that has gone may still want the code
        print(shown)
    return 0 if report["works"] else 1
