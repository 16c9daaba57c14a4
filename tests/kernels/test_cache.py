"""The cache of compiled code: when it is used, who may write it, how large it gets."""

from __future__ import annotations

import contextlib
import json
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
    monkeypatch.setattr(implementation, "_run_compiler", lambda *_: pytest.fail("compiled again"))
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
    with pytest.warns(RuntimeWarning, match="other users may write to"):
        assert not build(SOURCE, "-DVALUE=1").cached
    cache.chmod(0o700)
    assert build(SOURCE, "-DVALUE=1").cached
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert not build(SOURCE, "-DVALUE=1").cached


def packed(**facts: object) -> bytes:
    """What an entry of a usual kernel holds, with other facts."""
    usual = {"kind": "cubin", "arch": "sm_90", "log": "", "compiler": "NVRTC 13.0", "names": {}}
    head = json.dumps(usual | {"parameters": {}} | facts).encode()
    return len(head).to_bytes(8, "little") + head + b"code"


def with_head(head: bytes) -> bytes:
    return len(head).to_bytes(8, "little") + head


# Contents under a right checksum, as a fault of PyGPU or of the memory could leave them.
CONTENTS = {
    "nothing": b"",
    "no JSON": with_head(b"PyGPU"),
    "no text": with_head(b'{"kind": "\xff\xfe"}'),
    "a long head": (2**63).to_bytes(8, "little") + b"{}",
    "nested too deeply": with_head(b"[" * 200000),
    "a long number": with_head(b"9" * 5000),
    "a list": with_head(b"[]"),
    "null": with_head(b"null"),
    "too little": with_head(b'{"parameters": {}, "names": {}}'),
    "an unknown fact": packed(image="other"),
    "a fact twice": packed(cached=False),
    "a kind of no type": packed(kind=5),
    "a log of no type": packed(log=None),
    "names in a list": packed(names=["kernel"]),
    "a name of no type": packed(names={"kernel": 1}),
    "parameters in a list": packed(parameters=[]),
    "parameters that are none": packed(parameters={"kernel": 3}),
    "a parameter with too many parts": packed(
        parameters={"kernel": [[8, "word", 1, 2, "", "", 5]]}
    ),
    "a parameter without parts": packed(parameters={"kernel": [[]]}),
    "a parameter of no type": packed(parameters={"kernel": [["8", "pointer"]]}),
    "a kind in a list": packed(parameters={"kernel": [[8, ["pointer"]]]}),
}


@pytest.mark.parametrize("content", CONTENTS)
def test_an_entry_with_wrong_content_is_made_anew(build, cache, content):
    """A checksum proves that a file is whole, not that its content is what PyGPU expects."""
    made = build(SOURCE, "-DVALUE=1")
    (entry,) = entries(cache)
    whole = entry.read_bytes()
    assert store.store(str(cache), entry.stem, CONTENTS[content])
    assert store.load(str(cache), entry.stem) == CONTENTS[content]
    again = build(SOURCE, "-DVALUE=1")
    assert not again.cached and again == made and entry.read_bytes() == whole


def half(entry: pathlib.Path, whole: bytes) -> None:
    entry.write_bytes(whole[: len(whole) // 2])


def changed(entry: pathlib.Path, whole: bytes) -> None:
    entry.write_bytes(whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:])


def huge(entry: pathlib.Path, _: bytes) -> None:
    """Longer than the memory of this machine; it takes no place on the disk."""
    os.truncate(entry, 1 << 42)


def renamed(entry: pathlib.Path, whole: bytes) -> None:
    """Another entry under this one's name."""
    assert store.store(str(entry.parent), KEY, b"another")
    os.replace(entry.with_name(f"{KEY}.pygpu"), entry)


def linked(entry: pathlib.Path, whole: bytes) -> None:
    os.rename(entry, entry.with_name("elsewhere"))
    entry.symlink_to("elsewhere")


def fifo(entry: pathlib.Path, _: bytes) -> None:
    entry.unlink()
    os.mkfifo(entry)


def link_to_a_device(entry: pathlib.Path, _: bytes) -> None:
    entry.unlink()
    entry.symlink_to("/dev/zero")


def bound_socket(entry: pathlib.Path, _: bytes) -> None:
    entry.unlink()
    os.mknod(entry, stat.S_IFSOCK | 0o600)


def writable_by_others(entry: pathlib.Path, _: bytes) -> None:
    entry.chmod(0o620)


def of_another_user(entry: pathlib.Path, _: bytes) -> None:
    if os.geteuid():
        pytest.skip("only root can give a file away")
    os.chown(entry, 65534, -1)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda entry, _: entry.write_bytes(b""),
        lambda entry, _: entry.write_bytes(b"PyGPU"),
        lambda entry, whole: entry.write_bytes(whole + b"\0"),
        *(half, changed, huge, renamed),
        *(linked, fifo, link_to_a_device, bound_socket, writable_by_others, of_another_user),
    ],
)
def test_an_entry_that_is_broken_or_planted_is_made_anew(build, cache, spoil):
    """It neither runs, nor hangs the program, nor fills its memory; a right one replaces it."""
    made = build(SOURCE, "-DVALUE=1")
    (entry,) = entries(cache)
    whole = entry.read_bytes()
    spoil(entry, whole)
    assert compiler.cache_info().entries == 1  # it can't hang either
    again = build(SOURCE, "-DVALUE=1")
    assert not again.cached and again == made
    assert stat.S_ISREG(entry.lstat().st_mode) and entry.read_bytes() == whole
    assert build(SOURCE, "-DVALUE=1").cached


def test_a_folder_in_an_entrys_place_costs_only_time(build, cache):
    """Nothing can be stored there, and nothing is removed from it."""
    build(SOURCE, "-DVALUE=1")
    (entry,) = entries(cache)
    entry.unlink()
    entry.mkdir()
    (entry / "file").write_text("")
    assert not build(SOURCE, "-DVALUE=1").cached
    assert compiler.clear_cache() == 0 and (entry / "file").exists()


def link_of_another_user(place: pathlib.Path) -> pathlib.Path:
    link = place.parent / "link"
    link.symlink_to(place)
    if os.geteuid():
        pytest.skip("only root can give a link away")
    os.chown(link, 65534, -1, follow_symlinks=False)
    return link


def folder_of_another_user(place: pathlib.Path) -> pathlib.Path:
    if os.geteuid():
        pytest.skip("only root can give a folder away")
    os.chown(place, 65534, -1)
    return place


def parent_of_all(place: pathlib.Path) -> pathlib.Path:
    place.parent.chmod(0o777)
    return place


def like_tmp(place: pathlib.Path) -> pathlib.Path:
    """The folder itself is as open as /tmp."""
    place.chmod(0o1777)
    return place


def in_one_like_tmp(place: pathlib.Path) -> pathlib.Path:
    place.parent.chmod(0o1777)
    return place


def own_link(place: pathlib.Path) -> pathlib.Path:
    (place.parent / "link").symlink_to(place)
    return place.parent / "link"


@pytest.mark.parametrize(
    ("lay", "trusted"),
    [
        (link_of_another_user, False),
        (folder_of_another_user, False),
        (parent_of_all, False),
        (like_tmp, False),
        (in_one_like_tmp, True),
        (own_link, True),
    ],
)
def test_which_folders_are_trusted(build, tmp_path, monkeypatch, lay, trusted):
    """Code that another user could have put there is not loaded, and none is stored there."""
    monkeypatch.setattr(store, "_warned", set())
    place = tmp_path / "parent" / "cache"
    place.mkdir(parents=True, mode=0o700)
    build(SOURCE, "-DVALUE=1", cache_dir=place)
    given = lay(place)
    caught = contextlib.nullcontext() if trusted else pytest.warns(RuntimeWarning, match="cached")
    with caught:
        assert build(SOURCE, "-DVALUE=1", cache_dir=given).cached == trusted
    before = entries(place)
    build(SOURCE, "-DVALUE=2", cache_dir=given)
    assert (entries(place) != before) == trusted


def test_a_place_that_takes_nothing_is_no_error(build, tmp_path, monkeypatch):
    """Like a read-only home. Root may write anywhere, so a file stands in place of the folder."""
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below", "/proc/self/nothing"):
        assert not build(SOURCE, "-DVALUE=1", cache_dir=place).cached
    monkeypatch.setattr(
        store.os, "replace", lambda *_, **__: (_ for _ in ()).throw(OSError("full"))
    )
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
    print(implementation.Toolchain("nvrtc").library())
