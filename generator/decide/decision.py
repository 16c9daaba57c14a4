"""What was decided about one parameter, and by what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast


@dataclass(frozen=True, slots=True)
class Decision:
    """A parameter's kind (docs/rules.md lists them), its options, and why.

    `by` is "type" if the C type leaves no choice, "rule", "evidence" if independent votes agree,
    "raw" if nothing decided, or "unreviewed": the function isn't reviewed, and the decision for it
    is only a `proposal`. Both "raw" and "unreviewed" are bound as a bare address, or as memory.
    `options` are the rule's keys. A `count` has the options `of` (the parameters that it counts),
    `unit` ("elements" or "bytes") and `direction`.
    """

    kind: str
    by: str
    reason: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    proposal: Decision | None = None

    @property
    def is_output(self) -> bool:
        """Whether Python returns the parameter instead of taking it."""
        if self.kind == "typed_by":
            return self.options["direction"] == "out"
        if self.kind == "count":
            return self.options["direction"] == "out"
        return self.kind in ("out", "out_array", "out_bytes", "out_lent", "out_text", "status")

    @property
    def is_result(self) -> bool:
        """Whether the parameter's value is among the results, as for an inout parameter, too."""
        alone = self.is_output and self.kind not in ("count", "status")
        return alone or self.kind in ("inout", "record")

    def names(self, key: str) -> tuple[str, ...]:
        """The names that an option lists; a single name counts as a list of one."""
        value = self.options.get(key, ())
        every = (value,) if isinstance(value, str) else cast(Iterable[object], value)
        return tuple(map(str, every))
