"""Files of traces with data: bounds, settings, and files that are cut, damaged or of a stranger."""

from __future__ import annotations

import io
import json
import os
import struct
import zlib

import numpy as np
import pytest

import PyGPU
from PyGPU._trace.replay import container
from PyGPU._trace.replay.limits import bound_of
from PyGPU._trace.replay.playing.load import Trace
from tests.own_interpreter import own_interpreter
from tests.trace.conftest import COMMAND
from tests.trace.replayed import record


@pytest.fixture
def case(on_host, tmp_path):
    """The file of a small program."""
    file = tmp_path / "case.pygpu"
    on_host(record, "calls_of_the_driver", str(file))
    return file


def changed(file, change) -> None:
    """Write the file again with other calls: change(call) returns it, or None to leave it out."""
    out = io.BytesIO()
    writer = container.Writer(lambda: out)
    for one in container.read(str(file), file.read_bytes()):
        payload: bytes | None = one.payload()
        if one.kind == container.CALL:
            call = change(one.object())
            payload = None if call is None else container.text_of(call)
        if payload is not None:
            writer.add(one.kind, payload)
    file.write_bytes(out.getvalue())


def test_a_cut_file_is_refused_or_said_to_be_cut(case):
    """Wherever it is cut; where a record ends, its program may have ended there."""
    data = case.read_bytes()
    ends = {one.at for one in container.read(str(case), data)}
    for at in [*range(0, len(data), 7), len(data) - 1, *ends]:
        case.write_bytes(data[:at])
        if at in ends:
            assert not Trace(str(case)).is_whole
        else:
            with pytest.raises(container.DamagedError, match=r"cut off|no trace with data"):
                Trace(str(case))


def test_a_flipped_bit_is_found(case):
    """In every byte of the file: in heads, checksums and payloads."""
    data = case.read_bytes()
    for at in range(len(data)):
        case.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        with pytest.raises(container.DamagedError, match=str(case)):
            Trace(str(case))


def test_the_command_names_file_and_place(case, refused):
    data = case.read_bytes()
    case.write_bytes(data[:2000] + b"\0" + data[2001:])
    assert "at byte" in refused(case)
    case.write_bytes(data[:1000])
    assert "cut off" in refused(case)
    case.write_text("nothing")
    assert "no trace with data" in refused(case)
    case.write_bytes(data.replace(container.MAGIC + b"\1", container.MAGIC + b"\2", 1))
    assert "version 2" in refused(case)


def test_a_bomb_is_refused(tmp_path):
    """Sizes are believed only as far as what is there can have them."""
    file = tmp_path / "case.pygpu"
    stored = zlib.compress(bytes(1 << 20))
    for size in (1 << 31, 1 << 10):
        out = io.BytesIO()
        container.Writer(lambda out=out: out).add(container.DATA, b"")
        head = struct.pack("<4sIII", container.DATA, len(stored), size, 0)
        checksum = zlib.crc32(stored, zlib.crc32(head))
        file.write_bytes(out.getvalue() + head[:12] + struct.pack("<I", checksum) + stored)
        with pytest.raises(container.DamagedError, match=r"damaged|hasn't the size"):
            Trace(str(file)).data(1, size)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("name", "system", "no such function"),
        ("name", "_address", "no such function"),
        ("api", "os", "there is no API 'os'"),
        ("thread", "x", "the record at byte"),
        ("args", {"a": {"s": "os.path.join", "x": ""}}, "there is no API"),
        ("args", {"a": {"zz": 1}}, "a value with"),
        ("args", [], None),
        ("args", {"a": {"b": 1, "n": 1 << 60, "d": None}}, "memory of"),
        ("args", {"a": {"b": 1, "n": 5, "d": 999}}, "no data number 999"),
        ("args", {"?": "what is missing"}, "hasn't kept what is missing"),
    ],
)
def test_a_strangers_calls_are_refused(case, refused, on_host, replayed, key, value, message):
    """Nothing but bound functions and structs of APIs is called, with what the file has."""

    def change(call):
        if call["type"] == "begin" and call["n"] == 3:
            call[key] = value
        return call

    changed(case, change)
    if message:
        assert message in refused(case)
    else:
        assert not replayed(on_host, case)["equal"]


def test_deep_json_is_refused(case, refused):
    out = io.BytesIO()
    container.Writer(lambda: out).add(container.CALL, b"[" * 100_000 + b"]" * 100_000)
    case.write_bytes(out.getvalue())
    assert "is no JSON" in refused(case)


def test_what_is_not_made_is_told(case, on_host, replayed):
    """A call that fails takes with it those that need what it made, and each says so."""

    def without_module(call):
        return None if call["n"] == 3 else call

    changed(case, without_module)
    found = replayed(on_host, case)
    what = [one["what"] for one in found["differences"]]
    assert any("was made before the trace began" in one for one in what)
    assert any("it needs what call" in one for one in what)


def test_code_that_isnt_ptx(on_host, replayed, case):
    """A cubin doesn't run on the host runtime: the status of its loading differs."""

    def as_cubin(call):
        code = call.get("args", {}).get("image")
        if call["type"] == "begin" and code:
            code["n"], code["d"] = sizes[0], 0
        return call

    sizes = [
        one.size for one in container.read(str(case), case.read_bytes()) if one.kind == b"DATA"
    ]
    data = case.read_bytes()
    out = io.BytesIO()
    writer = container.Writer(lambda: out)
    for one in container.read(str(case), data):
        payload = one.payload()
        if one.kind == container.DATA and payload.startswith(b"\n.version"):
            payload = b"\x7fELF" + bytes(len(payload) - 4)
        writer.add(one.kind, payload)
    case.write_bytes(out.getvalue())
    found = replayed(on_host, case)
    first = found["differences"][0]
    assert first["name"] == "cuModuleLoadData" and "recorded CUDA_SUCCESS" in first["what"]


def bounded(path: str, bound: object) -> None:
    record("arrays_up_and_down", path, data=bound)


def test_the_bound_is_kept_and_told(on_host, refused, tmp_path):
    """Recording says so at once, and the replay what is missing; the program goes on."""
    file = tmp_path / "case.pygpu"
    done = on_host(bounded, str(file), "1.5 KiB")
    assert "the trace has its 1,536 bytes of data, at call" in done.stderr
    assert file.stat().st_size < 6000
    message = refused(file)
    assert "its bound of 1,536 bytes was reached at call" in message and "replayed.py:" in message
    assert "PYGPU_TRACE_DATA" in message


@pytest.mark.parametrize(
    ("value", "bound"),
    [
        *[(one, 256 << 20) for one in ("1", True)],
        *[(one, None) for one in ("0", "", None, False)],
        *[("64 MiB", 64 << 20), ("0.5GiB", 1 << 29), (4096, 4096), ("512 B", 512)],
    ],
)
def test_bounds(value, bound):
    assert bound_of(value, "data") == bound


@pytest.mark.parametrize("value", ["2", "much", "-1 MiB", "0 MiB", "1 MB", -1, 1.5])
def test_wrong_bounds(value):
    with pytest.raises(ValueError, match="neither 1 nor a size such as 64 MiB"):
        PyGPU.trace("case.pygpu", data=value)


def test_other_formats_have_no_data(tmp_path):
    with pytest.raises(ValueError, match=r"a trace with data is a \.pygpu file: .*case\.pygpu"):
        PyGPU.trace(tmp_path / "case.json", data=True)
    with pytest.raises(ValueError, match="data is off"):
        PyGPU.trace(tmp_path / "case.pygpu", data=False)


PROGRAM = "import PyGPU\np, e = PyGPU.cudaMalloc(64)\nPyGPU.cudaMemset(p, 0, 64)\n"


def test_variables_record_a_program(on_host, replayed, tmp_path):
    """Also a child of a fork's, and one that ends early."""
    file = tmp_path / "case.pygpu"
    variables = {"PYGPU_TRACE": str(file), "PYGPU_TRACE_DATA": "1"}
    fork = "import os, sys\nif not (child := os.fork()):\n    PyGPU.cudaGetDevice(); sys.exit()\n"
    on_host(PROGRAM + fork + "os.waitpid(child, 0)\n", **variables)
    assert list(replayed(on_host, file)["functions"]) == ["cudaMalloc", "cudaMemset"]
    (of_child,) = [one for one in tmp_path.iterdir() if one != file]
    assert list(replayed(on_host, of_child)["functions"]) == ["cudaGetDevice"]
    on_host(PROGRAM + "import os; os.abort()", check=False, **variables)
    found = replayed(on_host, file)
    assert found["equal"] and not found["whole"] and found["calls"] == 2
    wrong = on_host("import PyGPU", check=False, PYGPU_TRACE="a.json", PYGPU_TRACE_DATA="1")
    assert wrong.returncode and "PYGPU_TRACE: a.json: a trace with data" in wrong.stderr
    wrong = on_host("import PyGPU", check=False, PYGPU_TRACE="a.pygpu", PYGPU_TRACE_DATA="x")
    assert wrong.returncode and "PYGPU_TRACE_DATA: 'x' is neither" in wrong.stderr


@own_interpreter("on_host")
def test_a_trace_in_memory_is_written_later(tmp_path):
    """`data` without a file; and traces may be nested."""
    with PyGPU.trace(data=True) as outer, PyGPU.trace(tmp_path / "inner.pygpu"):
        PyGPU.to_gpu(np.arange(10)).get()
    for _ in range(2):  # a second time, too
        outer.write(tmp_path / "outer.pygpu")
    with pytest.raises(ValueError, match="has no data"):
        PyGPU.trace().write(tmp_path / "none.pygpu")
    with outer, pytest.raises(RuntimeError, match="stop the trace"):
        outer.write(tmp_path / "early.pygpu")
    names = [[one.name for one in Trace(str(tmp_path / f"{one}.pygpu")).steps if one.name]
             for one in ("outer", "inner")]  # fmt: skip
    assert names[0] == names[1] and "cudaMemcpyAsync" in names[0]
    assert os.path.getsize(tmp_path / "outer.pygpu") < 20_000


def test_it_is_shown_and_converted_as_other_traces(on_host, case, tmp_path):
    shown = json.loads(on_host(COMMAND, "trace", "show", str(case), "--json").stdout)
    assert shown["functions"]["cuMemcpyDtoH"]["calls"] == 1
    on_host(COMMAND, "trace", "convert", str(case), str(tmp_path / "case.txt"))
    assert "cuLaunchKernel(" in (tmp_path / "case.txt").read_text()
