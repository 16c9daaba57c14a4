"""How commands end when their output fails: the reader has gone, the disk is full, an interrupt."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

from PyGPU._base.command import run
from PyGPU.doctor import cli

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = {
    "-m PyGPU": "python -m PyGPU",
    "-m PyGPU --json": "python -m PyGPU",
    "-m PyGPU host --functions": "python -m PyGPU",
    "examples/tour.py": "tour.py",
    "benchmarks/arrays.py --rounds 1 --calls 0.001 --mib 1": "arrays.py",
    "benchmarks/arrays.py --rounds 1 --calls 0.001 --mib 1 --json -": "arrays.py",
    "benchmarks/call_overhead.py --rounds 1 --calls 20 --json -": "call_overhead.py",
    "benchmarks/import_time.py --runs 1 --json -": "import_time.py",
    "benchmarks/interop.py --rounds 1 --calls 20 --json -": "interop.py",
    "benchmarks/ptx.py --rounds 1 --cores 1 --json -": "ptx.py",
    "tools/exchange_matrix --peer numpy": "exchange_matrix",
    "benchmarks/transfer.py --most 4096 --strided 4096 --rounds 1 --seconds 0": "transfer.py",
    "-m generator coverage nvrtc": "generator",
    "-m generator diff cuda_runtime 12.0 12.2": "generator",
    "tests/behaviour/collect.py cuda --unanswered": "collect.py",
}


def end(command: str, output: int, unbuffered: str = "") -> tuple[int, str]:
    """The exit code of a command that writes to `output`, and what it says on stderr."""
    done = subprocess.run(
        [sys.executable, *command.split()],
        cwd=ROOT,
        env={
            **os.environ,
            "PYGPU_BACKEND": "host",
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PYTHONUNBUFFERED": unbuffered,
        },
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=240,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", SCRIPTS)
def test_a_reader_that_has_gone_and_a_full_disk(command, unbuffered):
    """With the reader gone, nothing is said. With the disk full, one line is said."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        code, said = end(command, writer, unbuffered)
    finally:
        os.close(writer)
    assert said == ""
    assert code in (0, 1, 141)  # rich ends a program with 1
    with open("/dev/full", "wb") as full:
        code, said = end(command, full.fileno(), unbuffered)
        assert code == 1
        assert re.fullmatch(
            rf"{SCRIPTS[command]}: (\[Errno 28\]|standard output:) No space left on device\n", said
        )


def test_the_doctor_s_code_is_its_answer_even_when_nobody_reads():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert end("-m PyGPU", writer) == (0, "")
        assert end("-m PyGPU --json", writer, "1") == (0, "")
    finally:
        os.close(writer)


@pytest.mark.parametrize(
    "command", ["examples/tour.py", "benchmarks/call_overhead.py --rounds 1 --calls 20"]
)
def test_an_output_of_few_letters(command):
    done = subprocess.run(
        [sys.executable, *command.split()],
        cwd=ROOT,
        env={
            **os.environ,
            "PYGPU_BACKEND": "host",
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PYTHONIOENCODING": "ascii",
        },
        capture_output=True,
        timeout=240,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


def test_no_output_at_all(python):
    """Standard output was closed from the start (`>&-`)."""
    code = "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, '-m', 'PyGPU'])"
    result = python(code, PYGPU_BACKEND="host", PYTHONPATH=os.pathsep.join(sys.path))
    assert (result.stdout, result.stderr) == ("", "")


def test_the_code_is_that_of_the_command():
    assert run(lambda: 3) == 3
    assert run(lambda: None) == 0
    with pytest.raises(SystemExit) as ended:
        run(lambda: sys.exit(2))
    assert ended.value.code == 2


def test_what_is_no_trouble_of_files_is_not_hidden():
    def broken() -> int:
        raise RuntimeError("a fault of the program")

    with pytest.raises(RuntimeError):
        run(broken)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (
            FileNotFoundError(2, "No such file or directory", "/x/y"),
            1,
            "No such file or directory: '/x/y'",
        ),
        (PermissionError(13, "Permission denied", "/x"), 1, "denied: '/x'"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_other_ends(capfd, error, code, said):
    def fail() -> int:
        raise error

    out = sys.stdout.fileno()  # pytest may have put a file there
    kept = os.dup(out)
    try:
        assert run(fail, "the command") == code
    finally:
        os.dup2(kept, out)
        os.close(kept)
    (line,) = capfd.readouterr().err.splitlines() or [""]
    assert line.startswith("the command: ") == bool(said)
    assert said in line


@pytest.mark.parametrize("given", ["0", "-1", "nan", "inf", "1e300", "soon"])
def test_a_time_that_is_none(given, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--timeout", given])
    assert ended.value.code == 2
    assert f"--timeout: {given} is not a number of seconds" in capsys.readouterr().err
