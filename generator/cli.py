"""The generator's commands: bind, update, regenerate, check, reference, coverage, diff, …"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from generator import coverage_text, manifest, rules, summaries
from generator.coverage import cover
from generator.diff import Change, diff
from generator.errors import GeneratorError
from generator.files import only_writer, read_file, write_files
from generator.generated import compare_generated
from generator.headers.fetch import fetch_headers, full_version
from generator.merge import brought
from generator.model import Api
from generator.releases import find_api, read_releases, release_name
from generator.store import load
from generator.terminal import PipeConsole, output, print_changes, progress, say

ROOT = Path(__file__).resolve().parent.parent


def main(
    arguments: Sequence[str] | None = None, prog: str = "python -m generator", root: Path = ROOT
) -> int:
    """Run one command. `root` is the tree where --root names none.

    Returns 0 for success. Returns 1 if `check` or `witness` found differences, if `abi` found wrong
    or unproven claims, or if the output can't be written; 141 if its reader went away; 2 for wrong
    input. Errors, unlike differences, are one line on stderr.
    """
    try:
        try:
            options = _parser(prog, root).parse_args(arguments)
            return int(options.run(options))
        finally:  # also after the help, with which argparse exits
            if sys.stdout is not None:
                sys.stdout.flush()
    except GeneratorError as error:
        _say(" ".join(str(error).split("\n")))
        return 2
    except OSError as error:  # a full disk, or a reader that went away, as `| head` does
        broken = isinstance(error, BrokenPipeError)
        if not broken:
            _say(f"{error.filename or 'standard output'}: {error.strerror or error}")
        _forget_output()
        return 141 if broken else 1  # what shells report of a program that SIGPIPE ended
    except KeyboardInterrupt:
        _forget_output()
        return 130


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(f"generator: {text}", file=sys.stderr)


def _forget_output() -> None:
    """Else Python would try to write the rest at exit, and complain again."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(prog: str = "python -m generator", root: Path = ROOT) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog, description="Write and check PyGPU's bindings, from the headers in api_specs/."
    )
    parser.add_argument(
        "--root", type=Path, default=root, help="the tree with api_specs/ and what is generated"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    def command(name: str, run: Callable[[Any], int], text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(run=run)
        return added

    adding = command("update", _update, "Add a release: parse its headers, merge, regenerate.")
    adding.add_argument("api")
    adding.add_argument(
        "--release",
        required=True,
        metavar="VERSION",
        help="such as 13.0.96; for a package its beginning is enough, if only one version has it",
    )
    where = adding.add_mutually_exclusive_group()
    where.add_argument(
        "--from-package",
        action="store_true",
        help="headers of the PyPI package in its releases.toml (the default)",
    )
    where.add_argument("--headers", type=Path, metavar="DIR", help="headers of an include folder")
    adding.add_argument("--json", action="store_true", help="the changes as JSON")
    adding.add_argument(
        "--no-regenerate",
        action="store_true",
        help="change only api.json and releases.toml",
    )

    binding = command("bind", _bind, "Write a Python package of a header of yours, or renew it.")
    binding.add_argument("header", type=Path)
    binding.add_argument("--name", help="the package's (default: the header's)")
    binding.add_argument("--folder", type=Path, help="where it is written (default: its name)")
    binding.add_argument(
        "--release", metavar="VERSION", help="the header's (default: the newest so far, else 1.0)"
    )
    binding.add_argument(
        "--library", metavar="STEM", help="start of the library's file name (default: lib and name)"
    )
    binding.add_argument(
        "--uses",
        action="append",
        default=[],
        metavar="API,…",
        help="APIs of PyGPU's whose types it uses (default: those whose headers it includes)",
    )
    binding.add_argument(
        "-I",
        "--include",
        action="append",
        default=[],
        type=Path,
        metavar="DIR",
        help="a folder with headers that it includes; may be repeated",
    )
    binding.add_argument(
        "-D", "--define", action="append", default=[], metavar="MACRO", help="may be repeated"
    )
    binding.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="GLOB",
        help="functions, types, macros or headers to leave out, such as '*_internal'; may be"
        " repeated",
    )

    command("regenerate", _regenerate, "Write generated/ and the stubs from api_specs/.")
    command(
        "check", _check, "Exit 1 for generated files that aren't up to date, and missing lines."
    )

    describing = command("reference", _reference, "Write the reference's pages, in MyST markdown.")
    describing.add_argument("folder", type=Path, help="where to; it may be there already")

    covering = command("coverage", _coverage, "What is bound, and who decided each parameter.")
    covering.add_argument("api", nargs="*", help="APIs whose releases are listed (default: totals)")
    covering.add_argument("-v", "--verbose", action="store_true", help="list all APIs")
    covering.add_argument(
        "--evidence",
        action="store_true",
        help="list what only the header's words and names decide, in functions nobody has read",
    )
    covering.add_argument("--json", action="store_true")

    comparing = command("diff", _diff, "What changed from one listed release to another.")
    comparing.add_argument("api")
    comparing.add_argument("old")
    comparing.add_argument("new")
    comparing.add_argument("--json", action="store_true")

    proving = command(
        "abi", _abi, "Prove the model, and generated/, against the vendor's own headers."
    )
    proving.add_argument("api", nargs="?")
    proving.add_argument("--release", metavar="VERSION", help="a listed one, such as 13.0")
    source = proving.add_mutually_exclusive_group()
    source.add_argument("--from-package", action="store_true", help="headers of the PyPI package")
    source.add_argument("--headers", type=Path, metavar="DIR", help="headers of an include folder")
    proving.add_argument(
        "--all", action="store_true", help="every listed release of the API, or of all"
    )
    proving.add_argument(
        "--allow-missing", action="store_true", help="exit 0 though headers are missing here"
    )
    proving.add_argument("--json", action="store_true")

    hearing = command(
        "witness", _witness, "Compare each API with other sources; exit 1 for a difference."
    )
    hearing.add_argument("api", nargs="*")
    hearing.add_argument(
        "--allow-missing", action="store_true", help="leave out witnesses without headers here"
    )
    hearing.add_argument("--json", action="store_true")
    return parser


# Commands


def _bind(options: argparse.Namespace) -> int:
    binding = _module("generator.bind")
    name = options.name or binding.name_of(options.header)
    header = binding.Header(
        options.header,
        name,
        options.release,
        options.library,
        None if not options.uses else tuple(one for it in options.uses for one in it.split(",")),
        tuple(options.define),
        tuple(options.include),
        tuple(options.exclude),
    )
    folder = options.folder or Path(name)
    with progress(f"Reading {options.header}", told=False):
        done = binding.bind(header, folder)
    functions = "1 function" if done.functions == 1 else f"{done.functions} functions"
    print(f"Wrote the Python package {name} of {functions} to {folder}.")
    if done.base not in (None, done.release):
        print_changes(f"{done.release}, against {done.base}", done.changes, full=True)
    status = manifest.load(name, folder / "api_specs").status.type
    print(
        f"Functions return a status of type {status}."
        if status
        else "No status type was found. If there is one, name it as [status] in api.toml."
    )
    for text in done.notes:
        say(text)
    if done.open:
        print(f"Parameters of which C doesn't say enough: {done.open}. Python takes an address.")
        guesses = f"{folder}/api_specs/{name}/rules.toml"
        if b"\n#parameter." in read_file(Path(guesses)):
            print(f"{guesses} proposes a rule for each.")
            print("Correct the proposals there, remove the # before them, and run this again.")
    print("Next:", *(f"  {line}" for line in binding.commands(folder)), sep="\n")
    return 0


def _update(options: argparse.Namespace) -> int:
    specs = options.root / "api_specs"
    settings = find_api(specs, options.api)
    include, version = options.headers, options.release
    if include is None:
        package = settings.package(version)
        with progress(f"Fetching {package.name} {version}"):
            version = full_version(package, version)
            include = fetch_headers(package, version)
    release_name(version)
    packaged = options.headers is None
    settings = _module("generator.headers.find").with_depends(options.root, settings, include)
    with only_writer(options.root):
        with progress(f"Parsing {settings.name} {version}"):
            adding = _module("generator.update")
            done = adding.update(options.root, settings, version, include, packaged=packaged)
        if options.no_regenerate:
            write_files(done.checked_files())
        else:
            _write_generated(options.root, done)
    if options.json:
        _print_json(done.changes)
    else:
        against = f"against {done.base}" if done.base else "the first release"
        title = f"{settings.name} {done.release}, {against}"
        print_changes(title, done.changes, full=done.base is not None)
        if _is_between(done):
            print(f"{done.release} comes between the listed releases {done.base} and {done.after}.")
    known = rules.load(settings.name, specs)
    advise = _module("generator.decide.advice")
    peers = [
        advise.Peer(load(path), rules.load(other.name, specs), other.prefix, settings.prefix)
        for other in read_releases(specs).values()
        if other.name != settings.name and os.path.lexists(path := specs / other.name / "api.json")
    ]
    advice = list(advise.advise(done.api, known, done.release, peers))
    news = brought(done.api, done.release)
    new = [one for one in advice if one.function in news or done.base == done.release]
    _print_new(options, done, known, [*advise.tables(new)], len(advice))
    out = sys.stderr if options.json else sys.stdout
    unread = bool(done.base and news) and done.release not in known.reviewed
    steps = _next(options, settings.name, done.release if unread else "")
    print("", "Next:", *(f"  {line}" for line in steps), sep="\n", file=out)
    return 0


def _is_between(done: Any) -> bool:
    """Whether a release was added between two that are listed."""
    return done.after is not None and done.base not in (None, done.release, done.after)


def _next(options: argparse.Namespace, api: str, unread: str) -> Iterator[str]:
    """What comes after an update. `unread` is a release whose functions nobody has read, or ""."""
    root_option = f" --root {shlex.quote(str(options.root))}" if options.root != ROOT else ""
    specs = options.root / "api_specs"
    if not os.path.lexists(specs / api / "api.toml"):
        yield f"write api_specs/{api}/api.toml, with at least:"
        yield from (f"  {line}" for line in manifest.least(api))
    if unread:
        yield f"compare the new functions with the manual; correct api_specs/{api}/rules.toml,"
        yield f"and add {unread} to `reviewed` there"
    if options.no_regenerate:
        yield f"python -m generator{root_option} regenerate"
    elif manifest.load(api, specs).own_package:
        yield from _module("generator.bind").commands(options.root)
    else:
        yield f"python -m generator{root_option} coverage {api}"
        yield "cmake --build build/dev"


def _print_new(
    options: argparse.Namespace, done: Any, known: rules.Rules, tables: list[str], raw: int
) -> None:
    """The new functions, who decided each parameter, and proposed rules for undecided ones."""
    report, declared = (_module(f"generator.decide.{name}") for name in ("report", "declared"))
    out = sys.stderr if options.json else sys.stdout
    arguments = done.api, known, done.release
    if done.noted:
        text = "Also changed in api.json (sources, documentation, releases):"
        print("", text, sep="\n", file=out)
        say(", ".join(done.noted), out)
    for text in done.notes:
        print(file=out)
        say(text, out)
    if done.base and done.release not in known.reviewed:
        for title, texts in (
            (
                "New functions, and what decided their parameters:",
                report.functions(*arguments),
            ),
            ("Defaults that change:", report.defaults(done.api, done.release)),
        ):
            if blocks := list(texts):
                print("", title, sep="\n", file=out)
                for line in (line for block in blocks for line in block.splitlines()):
                    say(line, out)
    if tables:
        print(file=out)
        text = f"{raw} parameters of {done.release} are bare addresses. Proposed rules for the new"
        say(f"{text} ones; correct them and put them into api_specs/{options.api}/rules.toml:", out)
        print(*tables, sep="\n", file=out)
    for text in _without_line(options.root / "api_specs", options.api, done.api):
        print("", text, sep="\n", file=out)
    if done.base and (more := list(declared.tables(*arguments))):
        print("", "# New types, and proposed rules:", *more, sep="\n", file=out)


def _regenerate(options: argparse.Namespace) -> int:
    with only_writer(options.root):
        _write_generated(options.root)
    return 0


def _write_generated(root: Path, done: Any = None) -> None:
    """Plan everything, and only then write it, together with the files of an update."""
    with progress("Regenerating"):
        emit = _module("generator.emit")
        files = emit.render(root / "api_specs", {done.api.name: done.api} if done else {})
        touched = emit.write(files, root, done.checked_files() if done else {})
    text = f"{len(touched)} generated files written or removed"
    PipeConsole(stderr=True).print(text, highlight=False)
    for path in touched:
        if path not in files:
            print(f"removed {path}", file=sys.stderr)


def _check(options: argparse.Namespace) -> int:
    with progress("Generating all files, to compare them", told=False):
        rendered = _module("generator.emit").render(options.root / "api_specs")
    differences = compare_generated(rendered, options.root)
    for difference in differences:
        print(f"{difference.state}: {difference.path}")
    if differences:
        print("Run `python -m generator regenerate`.", file=sys.stderr)
    faults = list(_faults(options.root / "api_specs"))
    for text in faults:
        print(f"generator: {text}", file=sys.stderr)
    return 1 if differences or faults else 0


def _faults(specs: Path) -> Iterator[str]:
    """What is wrong with the lines that say what functions do."""
    for name in manifest.names(specs):
        if (lines := summaries.load(name, specs)).known:
            api = load(specs / name / "api.json")
            yield from summaries.faults(api, rules.load(name, specs), lines)


def _reference(options: argparse.Namespace) -> int:
    with progress("Writing the reference"):
        pages = _module("generator.reference.pages").pages(options.root, options.folder.resolve())
        write_files({options.folder / path: text for path, text in pages.items()})
    return 0


def _coverage(options: argparse.Namespace) -> int:
    specs = options.root / "api_specs"
    names = options.api or list(read_releases(specs))
    rows = []
    for number, name in enumerate(names, 1):
        find_api(specs, name)
        with progress(f"Counting {name}, {number} of {len(names)}", told=False):
            rows += cover(specs, name)
    if options.json:
        print(json.dumps([row.as_json() for row in rows], indent=1))
        return 0
    console = output()
    few = bool(options.api) or len(names) == 1
    if few:
        console.print(coverage_text.releases(rows, "Coverage"))
    else:
        console.print(coverage_text.totals(rows, specs))
        if options.verbose:
            newest = {row.api: row for row in rows}.values()
            console.print(coverage_text.releases(newest, "Newest releases of all APIs"))
    if few or options.verbose or options.evidence:
        coverage_text.print_reasons(console, rows, evidence=options.evidence)
    else:
        print("`coverage API` lists an API's releases, and what is left out and why; -v does so")
        print("for all. raw: a bare address. `--help` tells more.")
    for text in (text for name in names for text in _without_line(specs, name)):
        print(text)
    return 0


def _without_line(specs: Path, name: str, api: Api | None = None) -> Iterator[str]:
    """What `coverage` and `update` say of functions without a line, and lines of no function."""
    if not (lines := summaries.load(name, specs)).known:
        return
    api, known = api or load(specs / name / "api.json"), rules.load(name, specs)
    if functions := [function for function, _ in summaries.missing(api, known, lines)]:
        yield f"{name}: summaries.toml has no line for {', '.join(sorted(functions))}."
    if strange := summaries.unknown(api.functions, lines):
        yield f"{name}: summaries.toml has lines for no function: {', '.join(strange)}."


def _diff(options: argparse.Namespace) -> int:
    specs = options.root / "api_specs"
    find_api(specs, options.api)
    api = load(specs / options.api / "api.json")
    old, new = release_name(options.old), release_name(options.new)
    for version in (old, new):
        if version not in api.releases:
            raise GeneratorError(
                f"{options.api} has no release {version}; it has {', '.join(api.releases)}"
            )
    changes = diff(api, old, new)
    if options.json:
        _print_json(changes)
    else:
        print_changes(f"{options.api} from {old} to {new}", changes, full=True)
    return 0


def _abi(options: argparse.Namespace) -> int:
    if options.all == bool(options.release) or (options.release and not options.api):
        raise GeneratorError("abi: either an API and its --release, or --all")
    if options.all and (options.headers or options.from_package):
        raise GeneratorError(
            "abi --all finds the headers itself; leave --headers and --from-package"
        )
    specs = options.root / "api_specs"
    command = _module("generator.abi.command")
    console = PipeConsole(stderr=True)
    results = []
    for name in [options.api] if options.api else list(read_releases(specs)):
        settings = find_api(specs, name)
        versions = settings.releases if options.all else (settings.listed(options.release),)
        for version in versions:
            with progress(f"Proving {name} {version}", told=False):
                result = command.run(options.root, settings, version, options.headers)
            results.append(result)
            if not options.json:
                console.print(str(result), highlight=False, markup=False, soft_wrap=True)
    if options.json:
        print(json.dumps([result.as_json() for result in results], indent=1))
    failed = any(result.failures for result in results)
    skipped = [f"{result.api} {result.release}" for result in results if result.skipped]
    if skipped and not options.allow_missing:
        print(
            f"generator: nothing is proven of {', '.join(skipped)}: no headers"
            " (--allow-missing leaves them out)",
            file=sys.stderr,
        )
        return 1
    return 1 if failed else 0


def _witness(options: argparse.Namespace) -> int:
    specs = options.root / "api_specs"
    command, shown = (_module(f"generator.witness.{name}") for name in ("command", "shown"))
    heard = []
    for name in options.api or list(read_releases(specs)):
        settings = find_api(specs, name)
        with progress(f"Hearing the witnesses of {name}"):
            heard.append(command.run(options.root, settings))
    if options.json:
        print(json.dumps([one.as_json() for one in heard], indent=1))
    else:
        console = output()
        for table in shown.tables(heard):
            console.print(table)
    failures = list(shown.failures(heard, allow_missing=options.allow_missing))
    for text in failures:
        print(f"generator: {text}", file=sys.stderr)
    return 1 if failures else 0


# Output


def _module(name: str) -> ModuleType:
    """A module imported late, so that no command needs a package that it doesn't use."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        packages = {"clang": ("libclang", "parsing headers"), "jinja2": ("jinja2", "regenerating")}
        package = packages.get((error.name or "").split(".")[0])
        if package is None:
            raise
        name, use = package
        raise GeneratorError(f"{use} needs the package {name}: pip install {name}") from error


def _print_json(changes: list[Change]) -> None:
    print(json.dumps([change.as_json() for change in changes], indent=1))
