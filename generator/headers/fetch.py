"""Gets a release's headers out of the PyPI wheel that carries them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from generator.errors import GeneratorError
from generator.releases import Package


class FetchError(GeneratorError):
    """The wheel can't be downloaded, or isn't what releases.toml says."""


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
        wheel = _download(f"{package.name}=={version}", Path(scratch), package.python)
        unpacked = Path(scratch) / "unpacked"
        try:
            with zipfile.ZipFile(wheel) as archive:
                inside = package.include + "/"
                members = [
                    name
                    for name in archive.namelist()
                    if name.startswith(inside) and not name.endswith(".so")
                ]
                if not members:
                    raise FetchError(f"{wheel.name}: no folder {package.include} in this wheel")
                archive.extractall(unpacked, members)
        except zipfile.BadZipFile as error:
            raise FetchError(f"{wheel.name}: {error}") from error
        shutil.rmtree(folder, ignore_errors=True)
        try:
            unpacked.rename(folder)  # at once, so that nobody sees half of it
        except OSError as error:
            if not include.is_dir():  # else another run was faster
                raise FetchError(f"{folder}: {error.strerror}") from error
    return include


def installed_headers(package: Package, version: str) -> Path | None:
    """The include folder, if exactly this version is installed for this Python.

    Other packages may have put headers there, too.
    """
    try:
        installed = distribution(package.name)
    except PackageNotFoundError:
        return None
    include = Path(str(installed.locate_file(package.include)))
    return include if installed.version == version and include.is_dir() else None


def full_version(package: Package, version: str, cache: Path | None = None) -> str:
    """The version of a package that is meant: the given one, or the only one that begins so.

    FetchError with the existing versions if none begins so, or several do.
    """
    if version.count(".") > 1 or ((cache or cache_folder()) / f"{package.name}-{version}").is_dir():
        return version
    existing = _existing(package.name)
    if version in existing:
        return version
    meant = [one for one in existing if one.startswith(f"{version}.")]
    if len(meant) == 1:
        return meant[0]
    if not meant:
        listed = ", ".join(existing) or "none at all"
        raise FetchError(f"{package.name} has no version {version}; it has {listed}")
    raise FetchError(f"{package.name} {version} may be any of {', '.join(meant)}: say which")


def _existing(package: str) -> list[str]:
    """The versions of a package, the newest first, as `pip index` lists them."""
    done = _pip("index", "versions", *_platforms(), package)
    match = re.search(r"^Available versions: (.+)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not match:
        raise FetchError(f"pip index versions {package}: {_last_line(done.stderr, 'nothing came')}")
    return match.group(1).split(", ")


def _download(requirement: str, scratch: Path, python: str | None) -> Path:
    done = _pip(
        *("download", "--no-deps", "--quiet", "--dest", str(scratch)),
        *_platforms(),
        *(("--python-version", python) if python else ()),
        requirement,
    )
    wheels = sorted(scratch.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        raise FetchError(f"pip download {requirement}: {_last_line(done.stderr, 'no wheel came')}")
    return wheels[0]


def _platforms() -> Iterator[str]:
    """Ask for one fixed platform on any machine: the headers are the same for all platforms."""
    yield "--only-binary=:all:"
    for platform in ("1", "2010", "2014", *(f"_2_{minor}" for minor in range(5, 50))):
        yield from ("--platform", f"manylinux{platform}_x86_64")


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", *arguments, "--disable-pip-version-check"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _last_line(text: str, otherwise: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("ERROR: ") if lines else otherwise
