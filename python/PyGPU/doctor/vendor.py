"""What the doctor has to know of a vendor: how its driver shows itself, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Vendor(NamedTuple):
    """One vendor, as the manifest of its runtime says.

    `variables` decide which devices are used. `kernel_module` is the kernel's, `kernel_version` a
    file that tells its version where the module has none. `attributes` are facts of a device by the
    enumerators that it is asked with; several are parts of a version. Statuses: `no_device`, which
    `errors` has, and `too_old`, of a driver that is older than the library. `first_drivers` has the
    first driver that serves a major. `note` is good to know beside the library; `{major}` in it is
    that of the library.

    `remedies` are by cases: nodes are "closed" to this user; a card is there without a driver
    ("install"); the kernel's driver is there without its "driver_library", perhaps in a container;
    or without a "node"; no "library" was found, where no package of PyPI's has it; any "other"
    error. `containers` say how one of a kind gets a GPU, `errors` what to do about a status.
    """

    variables: Sequence[str]
    kernel_module: str
    kernel_version: str
    attributes: Mapping[str, Sequence[str]]
    no_device: int
    too_old: int | None
    first_drivers: Mapping[int, str]
    note: str
    remedies: Mapping[str, str]
    containers: Mapping[str, str]
    errors: Mapping[int, str]
