"""files.read(): only regular files, to a limit, whoever put them there."""

from __future__ import annotations

import os
import pathlib
import stat

import pytest

import PyGPU
from PyGPU._kernels import files
from PyGPU._pycuda import choice


def folder(path: pathlib.Path) -> str:
    path.mkdir()
    return str(path)


def fifo(path: pathlib.Path) -> str:
    os.mkfifo(path)
    return str(path)


def socket(path: pathlib.Path) -> str:
    os.mknod(path, stat.S_IFSOCK | 0o600)
    return str(path)


def link_to_a_fifo(path: pathlib.Path) -> str:
    path.symlink_to(fifo(path.with_name("target")))
    return str(path)


def huge(path: pathlib.Path) -> str:
    path.touch()
    os.truncate(path, 1 << 42)
    return str(path)


PLANTED = {
    folder: "a folder",
    fifo: "a FIFO",
    socket: "a socket",
    link_to_a_fifo: "a FIFO",
    huge: "more than",
    lambda _: "/dev/zero": "a device",
    lambda _: "/proc/self/maps": "more than",  # its size is 0, and it has content
}


@pytest.mark.parametrize("plant", PLANTED)
def test_what_is_no_file_is_refused_at_once(tmp_path, plant):
    """Nothing waits for a writer or fills the memory. No descriptor stays open."""
    path = plant(tmp_path / "planted")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match=PLANTED[plant]) as raised:
        files.read(path, 100)
    assert raised.value.filename == path
    assert isinstance(raised.value, files.NotAFileError) == (plant is not folder)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_is_read_up_to_its_limit(tmp_path):
    (tmp_path / "file").write_bytes(bytes(100))
    (tmp_path / "link").symlink_to("file")
    assert files.read(str(tmp_path / "file"), 100) == bytes(100)
    assert files.read(str(tmp_path / "link"), 100) == bytes(100)
    assert (
        files.read("/proc/self/cmdline", 1 << 20) == pathlib.Path("/proc/self/cmdline").read_bytes()
    )
    with pytest.raises(files.NotAFileError, match="more than 99 bytes"):
        files.read(str(tmp_path / "file"), 99)
    with pytest.raises(files.NotAFileError, match="a link"):
        files.opened(str(tmp_path / "link"), os.O_NOFOLLOW)
    with pytest.raises(FileNotFoundError):
        files.read(str(tmp_path / "none"), 100)


@pytest.mark.parametrize("plant", [fifo, folder, huge, lambda _: "/dev/zero"])
def test_a_module_is_not_loaded_from_it(tmp_path, plant):
    with pytest.raises(OSError, match=r"planted|zero"):
        PyGPU.Module(plant(tmp_path / "planted"))


def test_the_file_that_names_a_device_may_be_anything(tmp_path, monkeypatch):
    """~/.cuda_device is read when PyGPU.autoinit is imported, which must not hang."""
    monkeypatch.delenv("CUDA_DEVICE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    fifo(tmp_path / ".cuda_device")
    assert choice._chosen() is None
