"""The APIs with stand-ins: those whose functions are in a reviewed table."""

from __future__ import annotations

from pathlib import Path

from generator import manifest
from generator.manifest import Manifest
from generator.model import Release
from generator.releases import find_api

FOLDER = Path(__file__).parent
SPECS = FOLDER.parent.parent / "api_specs"
APIS = tuple(sorted(path.stem for path in (FOLDER / "expected").glob("*.toml")))
# The classes of their statuses.
STATUSES = {manifest.load(api, SPECS).status.class_ for api in APIS}
# What tells the release if the manifest names no call, since the file's name tells it.
VERSION_CALLS = {"hip_runtime": "hipRuntimeGetVersion"}
# SONAMEs that don't end with the major.
SONAMES = {("cuda_runtime", "11"): "libcudart.so.11.0"}


def of(api: str) -> Manifest:
    """The manifest of an API."""
    return manifest.load(api, SPECS)


def version_call(api: str) -> str:
    """The function with which an API's library tells its release; "" if there is none."""
    release = of(api).release
    return release.call if release else VERSION_CALLS.get(api, "")


def version_told(release: Release) -> int:
    """What a header's macro says about its release; 0 if there is no such macro."""
    version = find_api(SPECS, release.api).version
    return release.macros[version.macro].value if version else 0


def file_name(api: str) -> str:
    """The vendor's file name of the library, without a release."""
    return f"{of(api).library.stem}.so"


def soname(api: str, major: str) -> str:
    """The SONAME of a major's library; the driver's is the same for all."""
    if api == "cuda_driver":
        return "libcuda.so.1"
    return SONAMES.get((api, major), f"{file_name(api)}.{major}")
