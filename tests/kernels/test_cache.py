"""The cache of compiled code: when it is used, who may write it, how large it gets."""

from __future__ import annotations

import os
import pathlib
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from PyGPU import compiler
from PyGPU._kernels import cache as store
from PyGPU._kernels import compile as implementation

SOURCE = "__global__ void kernel(int *out) { *out = VALUE; }"
KEY = "0123456789abcdef" * 4


def entries(cache: pathlib.Path) -> list[pathlib.Path]:
    return sorted(cache.glob("*.pygpu"))


def test_the_second_time_no_compiler_is_asked(build, cache, monkeypatch):
    first = build(SOURCE, "-DVALUE=1")
    assert not first.cached and len(entries(cache)) == 1
    monkeypatch.setattr(implementation, "_made", lambda *_: pytest.fail("compiled again"))
    second = build(SOURCE, "-DVALUE=1")
    assert second.cached and second == first
    for name in ("kind", "arch", "log", "compiler", "names", "parameters"):
        assert getattr(second, name) == getattr(first, name)


@pytest.mark.parametrize(
    "other",
    [
        {"source": SOURCE + "\n"},
        {"options": "-DVALUE=2"},
        {"arch": "sm_80"},
        {"target": "ptx"},
        {"name": "other.cu"},
        {"name_expressions": ["kernel"]},
        {"headers": {"unused.h": ""}},
        {"no_extern_c": False},
    ],
)
def test_another_argument_is_another_entry(nvrtc, cache, other):
    usual = {"source": SOURCE, "options": "-DVALUE=1", "arch": "sm_90"}
    compiler.compile(**usual)
    assert not compiler.compile(**usual | other).cached
    assert len(entries(cache)) == 2
    assert compiler.compile(**usual | other).cached


def test_another_compiler_is_another_entry(build, cache, monkeypatch):
    build(SOURCE, "-DVALUE=1")
    monkeypatch.setattr(implementation.Toolchain, "identity", lambda *_: ("13.9",))
    assert not build(SOURCE, "-DVALUE=1").cached


def test_the_switches(build, cache, tmp_path, monkeypatch):
    for switch in ({"cache": False}, {"cache_dir": False}):
        build(SOURCE, "-DVALUE=1", **switch)
    for value in ("1", "yes"):
        monkeypatch.setenv("PYGPU_CACHE_DISABLE", value)
        build(SOURCE, "-DVALUE=1", cache_dir=tmp_path / "other")
    assert not cache.exists() and not (tmp_path / "other").exists()
    monkeypatch.setenv("PYGPU_CACHE_DISABLE", "0")
    build(SOURCE, "-DVALUE=1", cache_dir=tmp_path / "other")
    assert entries(tmp_path / "other") and not cache.exists()
    assert compiler.cache_info(tmp_path / "other").entries == 1


def test_where_it_lies(monkeypatch, tmp_path):
    assert store.folder() == str(tmp_path / "cache")
    monkeypatch.delenv("PYGPU_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert store.folder() == str(tmp_path / "xdg" / "PyGPU")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for relative in ("", "here"):
        monkeypatch.setenv("XDG_CACHE_HOME", relative)
        assert store.folder() == str(tmp_path / "home" / ".cache" / "PyGPU")


def test_only_its_owner_may_read_it(build, cache):
    build(SOURCE, "-DVALUE=1")
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    (entry,) = entries(cache)
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600
    assert list(cache.iterdir()) == [entry]


def test_a_folder_that_others_write_to_is_not_trusted(build, cache, monkeypatch):
    build(SOURCE, "-DVALUE=1")
    cache.chmod(0o770)
    with pytest.warns(RuntimeWarning, match="others than this user may write to"):
        assert not build(SOURCE, "-DVALUE=1").cached
    cache.chmod(0o700)
    assert build(SOURCE, "-DVALUE=1").cached
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert not build(SOURCE, "-DVALUE=1").cached


@pytest.mark.parametrize("broken", [b"", b"PyGPU", "half", "changed", "longer"])
def test_a_broken_entry_is_made_anew(build, cache, broken):
    made = build(SOURCE, "-DVALUE=1")
    (entry,) = entries(cache)
    whole = entry.read_bytes()
    entry.write_bytes(
        {
            "half": whole[: len(whole) // 2],
            "changed": whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:],
            "longer": whole + b"\0",
        }.get(broken, broken)
    )
    again = build(SOURCE, "-DVALUE=1")
    assert not again.cached and again == made
    assert entry.read_bytes() == whole
    assert build(SOURCE, "-DVALUE=1").cached


def test_a_place_that_takes_nothing_is_no_error(build, tmp_path, monkeypatch):
    """Like a read-only home. Root may write anywhere, so a file stands in place of the folder."""
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below", "/proc/self/nothing"):
        assert not build(SOURCE, "-DVALUE=1", cache_dir=place).cached
    monkeypatch.setattr(store.os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    assert not build(SOURCE, "-DVALUE=1", cache_dir=tmp_path / "full").cached
    assert list((tmp_path / "full").iterdir()) == []  # no half-written file is left


def test_what_was_used_longest_ago_goes(tmp_path, monkeypatch):
    place = str(tmp_path)
    monkeypatch.setenv("PYGPU_CACHE_SIZE", "10K")
    keys = [f"{number:064x}" for number in range(12)]
    for age, key in enumerate(keys[:9]):
        assert store.store(place, key, bytes(1000))
        os.utime(tmp_path / f"{key}.pygpu", (age, age))
    assert store.load(place, keys[0]) == bytes(1000)  # this counts as a use
    (tmp_path / "users.pygpu").write_bytes(bytes(20000))  # not a file of the cache
    assert store.store(place, keys[9], bytes(1000))
    assert store.load(place, keys[1]) is None
    assert store.load(place, keys[0]) and store.load(place, keys[9])
    assert store.info(place).size <= 10 << 10
    assert not store.store(place, keys[10], bytes(11000))  # larger than the whole limit
    assert store.load(place, keys[9])
    assert store.clear(place) == 8
    assert (tmp_path / "users.pygpu").exists()


def test_what_was_just_written_stays(tmp_path, monkeypatch):
    """Even beside entries of the same moment, or newer ones, as after the clock was set back."""
    place = str(tmp_path)
    monkeypatch.setenv("PYGPU_CACHE_SIZE", "10K")
    for number in range(12):
        key = f"{number:064x}"
        assert store.store(place, key, bytes(1000))
        assert store.load(place, key) == bytes(1000)
        os.utime(tmp_path / f"{key}.pygpu", (2**32, 2**32))


def test_what_a_killed_process_left_goes(tmp_path):
    old, new = (tmp_path / f"{KEY}.{number}.1.tmp" for number in (1, 2))
    for one in (old, new):
        one.write_bytes(b"half")
    os.utime(old, (1, 1))
    assert store.store(str(tmp_path), KEY, b"whole")
    assert not old.exists() and new.exists()


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("", 256 << 20),
        ("1000", 1000),
        ("64K", 64 << 10),
        ("3m", 3 << 20),
        ("1GiB", 1 << 30),
        ("0", 0),
    ],
)
def test_the_limit(monkeypatch, text, size):
    monkeypatch.setenv("PYGPU_CACHE_SIZE", text)
    assert compiler.cache_info().limit == size


def test_a_limit_that_is_none_is_told(monkeypatch):
    monkeypatch.setenv("PYGPU_CACHE_SIZE", "much")
    with pytest.warns(RuntimeWarning, match="PYGPU_CACHE_SIZE is 'much'"):
        assert store.limit() == store.DEFAULT_SIZE


def hammer(place: str, number: int) -> None:
    """Writes and reads entries while other processes write, read and remove them."""
    read = 0
    for turn in range(150):
        mine = (turn + number) % 7
        assert store.store(place, f"{mine:064x}", bytes([mine]) * 3000)
        for one in (mine, turn % 7):  # others may have removed either
            found = store.load(place, f"{one:064x}")
            assert found in (None, bytes([one]) * 3000)
            read += found is not None
    assert read


def test_processes_at_once(python, tmp_path):
    """No reader sees half an entry, and none fails, though the limit makes writers remove some."""
    place = str(tmp_path / "shared")
    limited = python.having(PYGPU_CACHE_SIZE="10000")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: limited(hammer, place, number), range(4)))
    assert [one for one in os.listdir(place) if one.endswith(".tmp")] == []
    info = compiler.cache_info(place)
    assert 0 < info.entries <= 7 and info.size <= 7 * 3100


def compile_all(place: str) -> None:
    for value in range(3):
        source = SOURCE + f" // {value}"
        made = compiler.compile(source, "-DVALUE=1", "sm_90", cache_dir=place)
        assert made.names == {"kernel": "_Z6kernelPi"} and made.startswith(b"\x7fELF")


def test_processes_that_compile_the_same(python, nvrtc, tmp_path):
    place = str(tmp_path / "shared")
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: python(compile_all, place, PYGPU_BACKEND="host"), range(3)))
    assert compiler.cache_info(place).entries == 3
    assert compiler.clear_cache(place) == 3


def compile_and_tell(place: str) -> None:
    made = compiler.compile(SOURCE, "-DVALUE=1", "sm_90", cache_dir=place)
    print(made.cached, "libnvrtc.so" in pathlib.Path("/proc/self/maps").read_text())


def test_a_hit_opens_no_compiler(python, nvrtc, tmp_path):
    """The cache knows the compiler by its file: opening it takes longer than everything else."""
    ran = [python(compile_and_tell, str(tmp_path), PYGPU_BACKEND="host") for _ in range(2)]
    assert [one.stdout.split() for one in ran] == [["False", "True"], ["True", "False"]]


def test_a_library_that_is_found_by_a_link_is_known_again(python, nvrtc, tmp_path):
    """The search finds the library under other names than the loader reports."""
    linked = python(compiled_library, PYGPU_BACKEND="host").stdout.strip()
    (tmp_path / "link").symlink_to(os.path.dirname(linked))
    again = python.having(
        PYGPU_BACKEND="host",
        PYGPU_NVRTC_LIBRARY=str(tmp_path / "link" / os.path.basename(linked)),
    )
    ran = [again(compile_and_tell, str(tmp_path / "cache")) for _ in range(2)]
    assert [one.stdout.split() for one in ran] == [["False", "True"], ["True", "False"]]


def compiled_library() -> None:
    print(implementation.Toolchain().library())
