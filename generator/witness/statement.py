"""What a witness says of an API in one release. Immutable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Said:
    """What a witness says of one parameter; None if it doesn't say it.

    `type` is the C type as the witness spells it, `direction` how the value goes ("in", "out",
    "in+out"), `form` whether it is "one" value, an "array" or a "text".
    """

    name: str
    type: str | None = None
    direction: str | None = None
    form: str | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """What a witness says of one function; if `parameters` is None, only that it exists.

    `since` is the release that brought this form, if the witness says that.
    """

    parameters: tuple[Said, ...] | None = None
    since: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """All that a witness says of one release, by the functions' names.

    `symbols`: the names are the library's exports, not those that users of the header write.
    `every`: a function that the witness lacks doesn't exist, by its account. `const`: its types
    show what C may write. `renamed` are C's parameters with another name in Python.
    `stated_release` is the release that the witness itself names.
    """

    witness: str
    release: str
    accounts: Mapping[str, Account]
    stated_release: str = ""
    symbols: bool = False
    every: bool = True
    const: bool = True
    renamed: Mapping[str, str] = field(default_factory=dict)
