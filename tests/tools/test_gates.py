"""Each gate of CI fails for a mistake of its kind, which is made in a copy of the tree."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator

import pytest

import PyGPU
from tests.conftest import ROOT, unavailable
from tests.packaging import test_wheel

SCRIPTS = pathlib.Path(sys.prefix) / "bin"
LAYOUT = "hostgpu/ptx/read/layout.cpp"
MOVED = """
#include <utility>
std::size_t moved(std::string text) {
    const std::string taken = std::move(text);
    return taken.size() + text.size();
}
"""
EXPECTED = ("PyGPU/__init__.py", "PyGPU/_core.this.so", "PyGPU/cmake/libpygpu_glue.a")
UNREAD = "static void unread() { int one; }\n"

# The gate, the tool that it needs, the file, the text that is added to it, and the message.
MISTAKES = [
    ("lint-ruff", "ruff", "tools/tidy.py", "import sys\n", "E402"),
    (
        "lint-format",
        "ruff",
        "tools/tidy.py",
        "one = {  'one': 1}\n",
        "File would be reformatted",
    ),
    ("lint-mypy", "mypy", "generator/cli.py", "def one():\n    return 1\n", "no-untyped-def"),
    ("lint-clang", "clang-format", LAYOUT, "int  one ;\n", "-Wclang-format-violations"),
    (
        "lint-layers",
        "python",
        LAYOUT,
        '#include "python/gil.hpp"\n',
        "the houses stand apart",
    ),
    ("lint-tidy", "clang-tidy", LAYOUT, MOVED, "bugprone-use-after-move"),
    ("lint-tidy", "clang-tidy", LAYOUT, UNREAD, "clang-diagnostic-unused-variable"),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> pathlib.Path:
    """A copy of the files that the linters read."""
    files = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(files, cwd=ROOT, check=False, capture_output=True, text=True)
    if listed.returncode != 0:
        unavailable("this is no clone of the repository")
    copy = tmp_path_factory.mktemp("tree")
    for name in listed.stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    return copy


@contextlib.contextmanager
def added(path: pathlib.Path, mistake: str) -> Iterator[None]:
    """The file with the mistake at the end."""
    given = path.read_text(encoding="utf-8")
    path.write_text(given + mistake, encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(given, encoding="utf-8")


def environment() -> dict[str, str]:
    """Without the variables of a `make` around these tests, or of a developer's build."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "PYTHONPATH"}
    return own | {"PATH": f"{SCRIPTS}{os.pathsep}{own['PATH']}"}


def run(tree: pathlib.Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in the copy, with the tools of these tests."""
    env = environment() | variables
    return subprocess.run(command, cwd=tree, check=False, capture_output=True, text=True, env=env)


def make(tree: pathlib.Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """`make` in the copy. It uses this environment's packages, and installs nothing."""
    venv = SCRIPTS.parent
    stamps = ("build", "demo", "docs", "lint", "package", "test")
    installed = [f"--assume-old={venv}/stamps/{name}" for name in stamps]
    return run(tree, "make", f"VENV={venv}", "PYTHON=python3", *installed, *arguments, **variables)


@pytest.mark.parametrize(
    ("gate", "tool", "file", "mistake", "said"), MISTAKES, ids=[f"{m[0]} {m[4]}" for m in MISTAKES]
)
def test_a_mistake_is_found(
    tree: pathlib.Path, gate: str, tool: str, file: str, mistake: str, said: str
) -> None:
    if not (SCRIPTS / tool).exists():
        unavailable(f"{tool} is not installed: pip install -r requirements/lint.txt")
    with added(tree / file, mistake):
        done = make(tree, f"TIDY={LAYOUT}", gate)
    assert done.returncode != 0
    assert said in done.stdout + done.stderr


def test_a_warning_ends_the_build_of_ci(tree: pathlib.Path) -> None:
    """The Makefile sets PYGPU_WERROR in CI."""
    flags = ("-DSKBUILD=ON", "-DPYGPU_PRECOMPILE=OFF", "-DPYGPU_BATCHES=OFF")
    configured = run(
        tree,
        *["cmake", "-S", ".", "-B", "build/werror", "-G", "Ninja", "-DPYGPU_WERROR=ON"],
        *flags,
        f"-DPython_EXECUTABLE={sys.executable}",
    )
    assert configured.returncode == 0, configured.stderr
    build = ("cmake", "--build", "build/werror", "--target")
    with added(tree / LAYOUT, UNREAD):
        house, _, file = LAYOUT.partition("/")
        done = run(tree, *build, f"{house}/CMakeFiles/pygpu_ptx.dir/{file}.o")
    assert done.returncode != 0
    # g++'s spelling, and clang's.
    assert re.search(r"\[-Werror(=|,-W)unused-variable\]", done.stdout + done.stderr)


# A library whose functions make a mistake if their argument isn't 0.
PLANTED = """
#include <thread>
extern "C" int overflow(int wrong) {
    int most = 2147483647;
    return most + wrong;
}
extern "C" int freed(int wrong) {
    int *few = new int[4]();
    if (wrong) delete[] few;
    int one = few[0];
    if (!wrong) delete[] few;
    return one;
}
extern "C" int race(int wrong) {
    volatile int shared = 0;
    auto add = [&] { for (int i = 0; i < 1000; ++i) shared = shared + 1; };
    std::thread one(add);
    if (!wrong) one.join();
    std::thread two(add);
    if (wrong) one.join();
    two.join();
    return shared;
}
"""
CALLER = """#!{python}
import ctypes, sys
getattr(ctypes.CDLL({library!r}), {function!r})({wrong})
print("went on")
"""


@pytest.fixture(scope="module")
def sanitized(tree: pathlib.Path, tmp_path_factory) -> dict[str, pathlib.Path]:
    """That library, compiled like the package in each job, with the same options."""
    made = {}
    for job in ("memory", "threads"):
        configured = make(
            tree, "build-sanitized=$(CONFIGURE)", "TEST_SANITIZED=true", f"sanitize-{job}"
        )
        assert configured.returncode == 0, configured.stderr
        database = tree / "build" / "sanitize" / job / "compile_commands.json"
        entries = json.loads(database.read_text())
        given = shlex.split(next(one["command"] for one in entries if "/hostgpu/" in one["file"]))
        flags = [one for one in given if re.match("-(O|g|std=|f(?!visibility))", one)]
        folder = tmp_path_factory.mktemp(job)
        (folder / "planted.cpp").write_text(PLANTED)
        command = ["g++", *flags, "-shared", "-pthread", "planted.cpp", "-o", "planted.so"]
        subprocess.run(command, cwd=folder, check=True)
        made[job] = folder / "planted.so"
    return made


@pytest.mark.parametrize(
    ("job", "function", "said"),
    [
        ("memory", "overflow", "signed integer overflow"),
        ("memory", "freed", "AddressSanitizer: heap-use-after-free"),
        ("threads", "race", "ThreadSanitizer: data race"),
    ],
)
def test_a_sanitizer_ends_the_tests(
    tree: pathlib.Path, sanitized, tmp_path, job: str, function: str, said: str
) -> None:
    """A program in place of Python, started as `make sanitize` does.

    Without a mistake it succeeds.
    """
    program = tmp_path / "python"
    for wrong in (0, 1):
        program.write_text(
            CALLER.format(
                python=sys.executable, library=str(sanitized[job]), function=function, wrong=wrong
            )
        )
        program.chmod(0o755)
        done = make(tree, "build-sanitized=", f"PY={program}", f"sanitize-{job}")
        assert (done.returncode != 0) == bool(wrong), done.stdout + done.stderr
        assert (said in done.stderr) == bool(wrong)
        assert ("went on" in done.stdout) != bool(wrong)


PAGE = "# A page\n\n[there](#no-such-heading)\n"


@pytest.mark.parametrize(("page", "fails"), [("# A page\n", False), (PAGE, True)])
def test_a_warning_ends_the_documentation(tree: pathlib.Path, page: str, fails: bool) -> None:
    """A site with one page and the settings of the whole site."""
    source = tree / "build" / "docs" / "source"
    shutil.rmtree(source.parent, ignore_errors=True)
    for folder in ("_static", "pictures"):
        shutil.copytree(tree / "docs" / folder, source / folder)
    shutil.copy(tree / "docs" / "conf.py", source)
    (source / "index.md").write_text(page)
    done = make(tree, "PY=true", "docs")  # nothing adds the sources of the whole site
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    assert ("no-such-heading" in done.stderr) == fails


def pytest_of(tree: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Tests of the copy, with the PyGPU of these tests."""
    package = str(pathlib.Path(PyGPU.__file__).parents[1])
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments)
    return run(tree, *command, PYTHONPATH=package)


def test_an_example_of_the_readme_that_fails_is_found(tree: pathlib.Path) -> None:
    with added(tree / "README.md", "```python\nimport PyGPU\n\nPyGPU.cudaMaloc(4)\n```\n"):
        done = pytest_of(tree, "tests/packaging/test_readme.py", "-k", "example_runs")

    assert done.returncode == 1 and "1 failed" in done.stdout


def test_a_file_too_many_in_the_source_distribution_is_found(tree: pathlib.Path) -> None:
    for command in (("init", "-q"), ("add", "-A")):
        assert run(tree, "git", *command).returncode == 0
    (tree / "include" / "cuda.h").touch()
    try:
        done = pytest_of(tree, "tests/packaging/test_sdist.py")
    finally:
        (tree / "include" / "cuda.h").unlink()
        shutil.rmtree(tree / ".git")
    assert done.returncode == 1 and "2 failed" in done.stdout


@pytest.mark.parametrize("file", ["cuda.h", "PyGPU/_core.o", "PyGPU/_core.other.so"])
def test_a_file_too_many_in_the_wheel_is_found(tmp_path: pathlib.Path, file: str) -> None:
    metadata = f"pygpu-{PyGPU.__version__}.dist-info/METADATA"
    path = tmp_path / "one.whl"
    for names, fails in (((), False), ((file,), True)):
        with zipfile.ZipFile(path, "w") as archive:
            for name in (*EXPECTED, "pygpu.py", metadata, *names):
                archive.writestr(name, "")
        with zipfile.ZipFile(path) as archive:
            context = pytest.raises(AssertionError) if fails else contextlib.nullcontext()
            with context:
                test_wheel.test_wheel_holds_the_package_and_nothing_else(archive)


@pytest.mark.parametrize("failing", ["", "test", "docs"])
def test_a_step_that_fails_makes_ci_fail(
    tree: pathlib.Path, tmp_path: pathlib.Path, failing: str
) -> None:
    """The later steps still run, and each tells how long it took."""
    fake = tmp_path / "make"
    fake.write_text(f'#!/bin/sh\necho "ran $*"\ncase " $* " in *" {failing} "*) exit 2; esac\n')
    fake.chmod(0o755)
    done = run(tree, "bash", ".ci/run", PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert done.returncode == (1 if failing else 0)
    ran = re.findall(r"^ran (.*)$", done.stdout, re.MULTILINE)
    gates = ("test", "witness", "docs", "lint-fast")
    assert [word for line in ran for word in line.split() if word[0] != "-"] == [*gates]
    failed = [line for line in ran if failing in line.split()]
    assert re.findall(r"^FAILED: make (.*)$", done.stdout, re.MULTILINE) == failed
    assert re.findall(r"^ +\d+ s  make (.*)$", done.stdout, re.MULTILINE) == ran
