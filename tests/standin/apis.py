"""The APIs that stand-ins are made of: those whose functions stand in a reviewed table."""

from __future__ import annotations

from pathlib import Path

from generator import manifest
from generator.manifest import Manifest
from generator.model import Release
from generator.releases import find_api

FOLDER = Path(__file__).parent
SPECS = FOLDER.parent.parent / "api_specs"
APIS = tuple(sorted(path.stem for path in (FOLDER / "expected").glob("*.toml")))
# Their classes of statuses.
STATUSES = {manifest.load(api, SPECS).status.class_ for api in APIS}
# What tells the release where the manifest names no call, since the file's name does.
VERSION_CALLS = {"hip_runtime": "hipRuntimeGetVersion"}
# The SONAMEs that don't end with the major.
SONAMES = {("cuda_runtime", "11"): "libcudart.so.11.0"}


def of(api: str) -> Manifest:
    """The manifest of an API."""
    return manifest.load(api, SPECS)


def version_call(api: str) -> str:
    """The function by which a library of the API tells its release; "" where none does."""
    release = of(api).release
    return release.call if release else VERSION_CALLS.get(api, "")


def version_told(release: Release) -> int:
    """What the macro of a header says of its release; 0 where it has none."""
    version = find_api(SPECS, release.api).version
    return release.macros[version.macro].value if version else 0


def file_name(api: str) -> str:
    """What the vendor calls the library, without a release."""
    return f"{of(api).library.stem}.so"


def soname(api: str, major: str) -> str:
    """What the vendor's library of a major calls itself; the driver's is the same in all."""
    if api == "cuda_driver":
        return "libcuda.so.1"
    return SONAMES.get((api, major), f"{file_name(api)}.{major}")
