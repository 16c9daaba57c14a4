"""What a stub imports. A name that it defines itself hides no other: that one is then qualified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from generator.plan.stubs.types import Type

CORE, EXTENSIONS = "PyGPU._core", "typing_extensions"
# Names of the standard library, and of typing_extensions, that the template of a stub uses.
OF_MODULE: Mapping[str, Sequence[str]] = {
    "collections.abc": ("Callable",),
    "enum": ("IntEnum",),
    "typing": ("Any", "ClassVar", "Final", "Literal", "final", "overload"),
    EXTENSIONS: ("Self", "TypeAlias"),
}
OF_CHECKED: Mapping[str, Sequence[str]] = {
    "collections.abc": ("Callable",),
    "typing": ("Any", "overload"),
}


@dataclass(frozen=True, slots=True)
class Imports:
    """The modules that a stub imports whole, and the names that it takes from others.

    `defined` are the stub's own names. `own` is the module of the API's classes, "" for the stub
    that defines them.
    """

    whole: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]
    defined: frozenset[str]
    own: str = ""

    @classmethod
    def of(
        cls,
        template: Mapping[str, Sequence[str]],
        used: Iterable[Type],
        defined: Iterable[str],
        own: str = "",
    ) -> Imports:
        """The imports of a stub that uses these types."""
        known = frozenset(defined)
        every = {(module, name) for module, names in template.items() for name in names}
        every |= {(one.home or own, one.name) for one in used if one.name != "None"}
        hidden = {module for module, name in every if module and name in known}
        taken: dict[str, list[str]] = {}
        for name, module in sorted((name, module) for module, name in every if module):
            if name not in known and module != "builtins":
                taken.setdefault(module, []).append(name)
        return cls(tuple(sorted(hidden)), {at: tuple(taken[at]) for at in taken}, known, own)

    def standard(self) -> Mapping[str, tuple[str, ...]]:
        """The names of Python's own modules, by module."""
        return {at: self.names[at] for at in OF_MODULE if at in self.names and at != EXTENSIONS}

    def foreign(self) -> Mapping[str, tuple[str, ...]]:
        """The names of other APIs, by module."""
        others = self.names.keys() - {*OF_MODULE, CORE, self.own}
        return {at: names for at, names in self.names.items() if at in others}

    def spelled(self, name: str, home: str = "") -> str:
        """How the stub spells a name of another module."""
        home = home or self.own
        return f"{self.alias(home)}.{name}" if home and name in self.defined else name

    def alias(self, module: str) -> str:
        """What the stub calls a module."""
        return f"_{module.rpartition('.')[2]}"
