"""A release's headers out of the PyPI wheel that carries them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from generator.errors import GeneratorError
from generator.releases import Package


class FetchError(GeneratorError):
    """The wheel can't be had, or isn't what releases.toml says."""


def cache_folder() -> Path:
    """Where unpacked headers are kept between runs: $XDG_CACHE_HOME/pygpu/headers."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "pygpu" / "headers"


def fetch_headers(package: Package, version: str, cache: Path | None = None) -> Path:
    """The include folder of a package's exact version, downloaded by pip unless it is cached.

    FetchError when pip fails or the wheel lacks the folder.
    """
    folder = (cache or cache_folder()) / f"{package.name}-{version}"
    include = folder / package.include
    if include.is_dir():
        return include
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        wheel = _download(f"{package.name}=={version}", Path(scratch))
        unpacked = Path(scratch) / "unpacked"
        with zipfile.ZipFile(wheel) as archive:
            inside = package.include + "/"
            members = [name for name in archive.namelist() if name.startswith(inside)]
            if not members:
                raise FetchError(f"{wheel.name}: no folder {package.include} in this wheel")
            archive.extractall(unpacked, members)
        shutil.rmtree(folder, ignore_errors=True)
        try:
            unpacked.rename(folder)  # at once, so that nobody sees half of it
        except OSError as error:
            if not include.is_dir():  # else another run was faster
                raise FetchError(f"{folder}: {error.strerror}") from error
    return include


def _download(requirement: str, scratch: Path) -> Path:
    # Headers are the same for every platform: ask for one, so that any machine can regenerate.
    platforms = ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_28_x86_64")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--quiet", "--disable-pip-version-check", "--dest", str(scratch)]
    for platform in platforms:
        command += ["--platform", platform]
    done = subprocess.run([*command, requirement], capture_output=True, text=True, check=False)
    wheels = sorted(scratch.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise FetchError(f"pip download {requirement}: {lines[-1] if lines else 'no wheel came'}")
    return wheels[0]
