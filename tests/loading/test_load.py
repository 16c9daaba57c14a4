"""Which library is taken, in which order, and what the user is told."""

from __future__ import annotations

import ctypes
import os
import pathlib
import signal
import sys
import threading
import warnings

import pytest

from PyGPU import _backend, _core, _libraries
from tests.own_interpreter import own_interpreter


@pytest.fixture(autouse=True)
def _no_surprise():
    """A warning that a test doesn't expect is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def verdicts(api: str) -> dict[str, str]:
    return {os.path.basename(c.path): c.verdict for c in _libraries.survey(api)}


def test_nothing_at_all(core):
    assert _libraries.load("cuda") is False
    assert _libraries.survey("cuda") == []
    # Not even a bare name, which the loader might look up in the current directory.
    assert core.asked == []
    assert _backend._used == ""


def test_the_newest_without_a_driver(core, make_library):
    make_library("site/nvidia/cuda_runtime/lib/libcudart.so.12")
    newest = make_library("site/nvidia/cu13/lib/libcudart.so.13")
    assert _libraries.load("cuda", "cudaMalloc")
    assert core.asked == [("cuda", newest)]
    assert verdicts("cuda") == {
        "libcudart.so.13": "chosen",
        "libcudart.so.12": f"older than {newest}",
    }
    assert _libraries.load("cuda")
    assert len(core.asked) == 1
    assert "cudaMalloc" in _backend._used


def test_a_driver_too_old_for_the_newest(core, make_library):
    core.driver = 12040
    older = make_library("site/nvidia/cuda_runtime/lib/libcudart.so.12")
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    assert _libraries.load("cuda")
    assert core.asked == [("cuda", older)]
    assert verdicts("cuda") == {
        "libcudart.so.12": "chosen",
        "libcudart.so.13": "needs a driver for CUDA 13, this one serves up to 12.4",
    }


def test_a_driver_too_old_for_all_shows_its_own_error(core, make_library):
    core.driver = 11040
    path = make_library("site/nvidia/cu13/lib/libcudart.so.13")
    assert _libraries.load("cuda")
    assert core.asked == [("cuda", path)]
    assert verdicts("cuda") == {
        "libcudart.so.13": "chosen, but needs a driver for CUDA 13, this one serves up to 11.4"
    }


def test_what_is_loaded_comes_before_what_is_newer(core, make_library):
    loaded = make_library("torch/lib/libcudart.so.12")
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    core.loaded = [loaded]
    assert _libraries.load("cuda")
    assert core.asked == [("cuda", loaded)]
    assert verdicts("cuda")["libcudart.so.13"] == "what is already loaded comes first"


def test_a_place_comes_before_a_newer_one_elsewhere(core, make_library):
    """A later import of torch takes pip's library, and PyGPU must share it."""
    wheel = make_library("site/nvidia/cuda_runtime/lib/libcudart.so.12")
    make_library("root/usr/local/cuda/lib64/libcudart.so.13")
    assert _libraries.load("cuda")
    assert core.asked == [("cuda", wheel)]
    assert verdicts("cuda")["libcudart.so.13"] == "a pip package comes first"


def test_an_unknown_major_only_if_there_is_nothing_else(core, make_library):
    future = make_library("site/nvidia/cu14/lib/libcudart.so.14")
    known = make_library("root/usr/local/cuda/lib64/libcudart.so.12")
    assert _libraries.load("cuda")
    assert core.asked == [("cuda", known)]
    assert verdicts("cuda")["libcudart.so.14"] == "major 14, while PyGPU knows 11 to 13"
    core.in_use.clear()
    os.unlink(known)
    assert _libraries.load("cuda")
    assert core.asked[-1] == ("cuda", future)


def test_older_than_all_is_told(core, make_library):
    make_library("root/usr/local/cuda/lib64/libcudart.so.10.2")
    with pytest.warns(RuntimeWarning, match="CUDA 10, older than the releases"):
        assert _libraries.load("cuda")


def test_another_machines_library_is_passed_over(core, make_library):
    make_library("site/nvidia/cu13/lib/libcudart.so.13", bits=32)
    good = make_library("root/usr/lib64/libcudart.so.12")
    assert _libraries.load("cuda")
    assert core.asked == [("cuda", good)]
    assert "is built for 32-bit" in verdicts("cuda")["libcudart.so.13"]


def test_what_cannot_be_opened_is_passed_over(core, make_library):
    broken = make_library("site/nvidia/cu13/lib/libcudart.so.13")
    good = make_library("root/usr/lib64/libcudart.so.12")
    core.broken[broken] = "libfoo.so.1: cannot open shared object file"
    assert _libraries.load("cuda")
    assert [path for _, path in core.asked] == [broken, good]
    assert verdicts("cuda")["libcudart.so.13"] == (
        "cannot be opened: libfoo.so.1: cannot open shared object file"
    )


def test_only_what_cannot_be_opened_is_told_once(core, make_library):
    broken = make_library("root/opt/rocm/lib/libamdhip64.so.6")
    core.broken[broken] = "libamd_comgr.so.2: cannot open shared object file"
    with pytest.warns(RuntimeWarning, match=r"no HIP.*libamd_comgr\.so\.2.*python -m PyGPU"):
        assert not _libraries.load("hip")
    assert not _libraries.load("hip")  # the same warning doesn't come twice


def test_a_named_library_is_the_only_one(core, make_library):
    named = make_library("own/mycudart.so", "whatever")
    core.loaded = [make_library("torch/libcudart.so.13")]
    core.environ["PYGPU_CUDA_LIBRARY"] = named
    assert _libraries.load("cuda")
    assert core.asked == [("cuda", named)]
    assert verdicts("cuda")["libcudart.so.13"] == "not looked at: PYGPU_CUDA_LIBRARY is set"


def test_a_wrong_path_is_the_answer(core, make_library):
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    core.environ["PYGPU_CUDA_LIBRARY"] = "/nowhere/libcudart.so"
    with pytest.warns(RuntimeWarning, match="PYGPU_CUDA_LIBRARY names a library that cannot") as w:
        assert not _libraries.load("cuda")
    assert "/nowhere/libcudart.so: cannot be read: No such file" in str(w[0].message)
    assert core.asked == []
    assert "/nowhere/libcudart.so" in [c.path for c in _libraries.survey("cuda")]
    assert not any(c.chosen for c in _libraries.survey("cuda"))


def test_damaged_files_are_never_opened(core, make_library):
    """The dynamic linker dies of some. The next candidate is taken, and each verdict says why."""
    cut = make_library("site/nvidia/cu13/lib/libcudart.so.13")
    os.truncate(cut, os.path.getsize(cut) - 1)
    empty = pathlib.Path(make_library("root/usr/local/cuda/lib64/libcudart.so.13"))
    empty.write_bytes(b"")
    os.mkfifo(empty.with_name("libcudart.so.12"))
    good = make_library("root/usr/lib64/libcudart.so.11.0")
    assert _libraries.load("cuda")
    assert core.asked == [("cuda", good)]
    said = {c.path: c.verdict for c in _libraries.survey("cuda")}
    size = os.path.getsize(cut)
    assert said == {
        good: "chosen",
        cut: f"is cut short: it has {size} bytes of {size + 1} or more",
        str(empty): "is empty",
        str(empty.with_name("libcudart.so.12")): "is a named pipe, not a shared object",
    }


def test_a_damaged_file_alone_is_told(core, make_library):
    cut = make_library("site/nvidia/cu13/lib/libcudart.so.13")
    os.truncate(cut, 100)
    with pytest.warns(RuntimeWarning, match="no CUDA .*could be opened: .*cu13.*is a damaged ELF"):
        assert not _libraries.load("cuda")
    assert core.asked == []


def test_a_damaged_file_that_is_named_is_not_opened(core, make_library):
    named = make_library("own/libcudart.so.13")
    os.truncate(named, os.path.getsize(named) - 1)
    core.environ["PYGPU_CUDA_LIBRARY"] = named
    with pytest.warns(RuntimeWarning, match="PYGPU_CUDA_LIBRARY .* cannot be used: .*is cut short"):
        assert not _libraries.load("cuda")
    assert core.asked == []


def test_the_driver_is_left_alone_where_it_is_not_asked(core, make_library, monkeypatch):
    """The doctor's own process must not open a library in which its child hangs."""
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    monkeypatch.setattr(core, "driver_version", lambda api: pytest.fail("the driver was opened"))
    (found,) = _libraries.survey("cuda", ask_driver=False)
    assert found.chosen


@pytest.mark.parametrize("value", ["yes", "true", "2", " "])
def test_a_setting_without_effect_is_told(core, make_library, monkeypatch, value):
    """Otherwise streams would silently be ordered in another way than the user asked for."""
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    monkeypatch.setenv("PYGPU_PER_THREAD_DEFAULT_STREAM", value)
    with pytest.warns(RuntimeWarning, match=f"DEFAULT_STREAM is '{value}', which has no effect"):
        assert _libraries.load("cuda")
    assert _libraries.load("cuda")  # warns only once


@pytest.mark.parametrize("value", ["", "0", "1"])
def test_a_setting_with_effect_is_not(core, make_library, monkeypatch, value):
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    monkeypatch.setenv("PYGPU_PER_THREAD_DEFAULT_STREAM", value)
    assert _libraries.load("cuda")


def test_a_library_without_any_function_is_none(python, compile_library):
    """Another library named by mistake, or an empty library from a linker stub."""
    path = compile_library("libcudart.so.12", 'extern "C" int hipGetDevice(int *) { return 0; }')
    code = "import PyGPU; print(PyGPU.cuda.cudaGetDevice(), PyGPU._core.installed('cuda'))"
    done = python(code, PYGPU_CUDA_LIBRARY=path)
    assert done.stdout == "(None, <cudaError: code=303>) None\n"
    assert f"{path}: it has no function of PyGPU.cuda" in done.stderr
    code = "import PyGPU; print(PyGPU.hip.hipGetDevice())"
    assert python(code, PYGPU_HIP_LIBRARY=path).stdout == "(0, <hipError: code=0>)\n"


def test_a_python_that_pygpu_is_not_built_for(python, tmp_path):
    source = pathlib.Path(_libraries.__file__).parents[1]
    (tmp_path / "PyGPU").mkdir()
    for file in (*source.glob("*.py"), source / "_base"):
        (tmp_path / "PyGPU" / file.name).symlink_to(file)
    (tmp_path / "PyGPU" / "_core.cpython-39-x86_64-linux-gnu.so").touch()
    code = "import sys; sys.path.insert(0, sys.argv[1]); import PyGPU"
    said = python(code, str(tmp_path), check=False).stderr
    assert f"ImportError: PyGPU has no compiled part for this Python ({tag()})" in said
    assert ": there is _core.cpython-39-x86_64-linux-gnu.so. Install or build it" in said


def tag() -> str | None:
    return sys.implementation.cache_tag


def test_a_folder_for_a_path(core, tmp_path):
    core.environ["PYGPU_HIP_LIBRARY"] = str(tmp_path)
    core.broken[str(tmp_path)] = "cannot read file data: Is a directory"
    with pytest.warns(RuntimeWarning, match="is a folder; name the library's file"):
        assert not _libraries.load("hip")


def test_the_other_api_is_not_concerned(core, make_library):
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    core.environ["PYGPU_HIP_LIBRARY"] = "/nowhere/libamdhip64.so"
    assert _libraries.load("cuda")


def test_the_host_runtime_that_is_not_there(core, monkeypatch):
    monkeypatch.setattr(_backend, "_name", "host")
    monkeypatch.setattr(_backend, "_why", "PYGPU_BACKEND=host")
    monkeypatch.setattr(_backend, "_asked_for", True)
    with pytest.warns(RuntimeWarning, match=r"backend is host \(PYGPU_BACKEND=host\), but this"):
        assert not _libraries.load("cuda")
    assert core.asked == []


def test_a_host_runtime_that_is_cut_short(core, make_library, monkeypatch):
    path = make_library("libpygpu_host.so")
    os.truncate(path, os.path.getsize(path) - 1)
    monkeypatch.setattr(_backend, "_name", "host")
    with pytest.warns(RuntimeWarning, match="no host runtime: .*libpygpu_host.so is cut short"):
        assert not _libraries.load("cuda", portable=True)
    assert core.asked == []
    assert verdicts("cuda")["libpygpu_host.so"].startswith("is cut short")


@pytest.mark.parametrize("asked_for", [True, False])
def test_the_host_runtime(core, make_library, monkeypatch, asked_for):
    path = make_library("libpygpu_host.so")
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    monkeypatch.setattr(_backend, "_name", "host")
    monkeypatch.setattr(_backend, "_asked_for", asked_for)
    if asked_for:
        assert _libraries.load("cuda")
    else:
        with pytest.warns(RuntimeWarning, match="PyGPU runs on the CPU"):
            assert _libraries.load("cuda", portable=True)
    assert _libraries.load("hip", portable=True)
    assert core.asked == [("cuda", path), ("hip", path)]
    assert "backend is host" in verdicts("cuda")["libcudart.so.13"]


def test_two_threads_search_once(core, make_library):
    """The second thread comes while the first is inside install, and waits for its result."""
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    inside, go_on = threading.Event(), threading.Event()
    install = core.install

    def slow(api: str, path: str):
        inside.set()
        assert go_on.wait(10)
        return install(api, path)

    core.install = slow
    results: list[bool] = []
    threads = [
        threading.Thread(target=lambda: results.append(_libraries.load("cuda"))) for _ in range(2)
    ]
    threads[0].start()
    assert inside.wait(10)
    threads[1].start()  # must not hold the GIL: this thread goes on
    assert results == []
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert results == [True, True]
    assert len(core.asked) == 1


def test_the_same_thread_may_enter_again(core, make_library):
    """A finaliser or a signal handler may use the API during the search."""
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    install = core.install
    nested: list[bool] = []

    def reentrant(api: str, path: str, host: bool = False):
        if not nested:
            nested.append(False)
            nested[0] = _libraries.load("cuda")
        return install(api, path)

    core.install = reentrant
    assert _libraries.load("cuda")
    assert nested == [True]


def test_a_fork_during_a_search_does_not_hang(core, make_library):
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    held, done = threading.Event(), threading.Event()

    def hold():
        with _libraries._lock:
            held.set()
            done.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of threads and fork
        child = os.fork()
    if not child:
        signal.alarm(20)  # ends a child that hangs, so the test fails
        os._exit(0 if _libraries.load("cuda") else 1)
    _, status = os.waitpid(child, 0)
    done.set()
    holder.join(10)
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.fixture
def of_torch(compile_library) -> str:
    return compile_library(
        "libcudart.so.13", 'extern "C" int cudaRuntimeGetVersion(int *v) { *v = 13000; return 0; }'
    )


@own_interpreter(PYGPU_BACKEND="cuda")
def test_a_library_of_torch_is_preferred_for_real(of_torch):
    """In a fresh interpreter with the real core: a library that ctypes has loaded is used."""
    ctypes.CDLL(of_torch)
    assert _libraries.load("cuda")
    assert pathlib.Path(_core.installed("cuda")["path"]).samefile(of_torch)
    assert [c.origin for c in _libraries.survey("cuda") if c.chosen] == ["already loaded"]
