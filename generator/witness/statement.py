"""What a witness says of an API in one release. Immutable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of one parameter; None where the witness doesn't tell.

    `type` is the C type as the witness spells it, `direction` how the value goes ("in", "out",
    "in+out"), `form` whether it is "one" value, an "array" or a "text".
    """

    name: str
    type: str | None = None
    direction: str | None = None
    form: str | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """What is said of one function; without parameters only that there is such a function.

    `since` is the release in which this form came, where the witness tells.
    """

    parameters: tuple[Said, ...] | None = None
    since: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """All that a witness says of one release, by the functions' names.

    `symbols`: names are those that the library exports, not those that the header's users write.
    `every`: a function that isn't there is one that the witness says doesn't exist. `const`:
    its types tell what C may write. `renamed` are the names that C's parameters have in Python
    where they are other ones. `told` names the release in its words.
    """

    witness: str
    release: str
    accounts: Mapping[str, Account]
    told: str = ""
    symbols: bool = False
    every: bool = True
    const: bool = True
    renamed: Mapping[str, str] = field(default_factory=dict)
