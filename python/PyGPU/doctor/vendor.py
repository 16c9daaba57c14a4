"""What the doctor has to know of a vendor: how its driver shows itself, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Vendor(NamedTuple):
    """One vendor, as the manifest of its runtime says.

    `variables` decide which devices are used. `kernel_module` is the kernel's module;
    `kernel_version` is a file with its version if the module doesn't. `attributes` maps a
    fact of a device to the enumerators that ask for it; several enumerators are parts of a version.
    `first_drivers` gives the first driver that serves a major. `note` is good to know beside the
    library; `{major}` in it is the library's major. `errors` has a text for the status that says
    that there is no device.

    `remedies` has these cases: device nodes are "closed" to this user; a card has no driver
    ("install"); the kernel's driver lacks its "driver_library", or lacks it in a container; the
    driver has no device "node"; no "library" was found, and PyPI has none; any "other" error.
    `containers` say how a kind of container gets a GPU, `errors` what to do about a status.
    """

    variables: Sequence[str]
    kernel_module: str
    kernel_version: str
    attributes: Mapping[str, Sequence[str]]
    first_drivers: Mapping[int, str]
    note: str
    remedies: Mapping[str, str]
    containers: Mapping[str, str]
    errors: Mapping[int, str]
