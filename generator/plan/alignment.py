"""alignas and packed, for structs whose members don't lie where C++ would put them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generator.errors import GeneratorError
from generator.model import CType, Field, Struct
from generator.plan.binding import BindingPlan
from generator.scalars import SCALARS, alignment


@dataclass(frozen=True, slots=True)
class Aligned:
    """The text before a struct's name and before each of its members; mostly empty."""

    whole: str
    fields: tuple[str, ...]


def alignments(plan: BindingPlan) -> Mapping[str, Aligned]:
    """For each struct, also without a name. GeneratorError for a layout that C++ can't have."""
    sizes = {one.name: (one.size, one.align) for one in (*plan.structs, *plan.anonymous.values())}
    sizes |= {one.name: (SCALARS[one.underlying][1],) * 2 for one in plan.enums}
    targets = {one.name: one.type for one in plan.aliases}

    def measured(type: CType) -> tuple[int, int]:
        """The size and the natural alignment of a member's type."""
        count = 1
        while True:
            for extent in type.extents:
                count *= extent
            if type.is_pointer or type.base not in targets:
                break
            type = targets[type.base]
        if type.is_pointer or type.base not in {*sizes, *SCALARS}:
            return 8 * count, 8  # a pointer, a handle or a callback
        size, align = sizes.get(type.base) or (SCALARS[type.base][1], alignment(type.base))
        return size * count, align

    return {
        one.name: _aligned(one, [(field, *measured(field.type)) for field in one.fields])
        for one in (*plan.structs, *plan.anonymous.values())
    }


def _aligned(struct: Struct, fields: Sequence[tuple[Field, int, int]]) -> Aligned:
    natural = max((align for _, _, align in fields), default=1)
    packed = any(field.bits is None and field.offset % align for field, _, align in fields)
    packed = packed or struct.align < natural
    whole = "[[gnu::packed]]" if packed else ""
    if struct.align > (1 if packed else natural):
        whole = f"{whole} alignas({struct.align})".strip()
    before, end, bits = [], 0, any(field.bits is not None for field, _, _ in fields)
    for field, size, align in fields:
        align = 1 if packed else align
        at = 0 if struct.kind == "union" else -(-end // align) * align
        before.append("")
        if not bits and at != field.offset:
            # The smallest alignment that puts the member at its offset.
            wider = (1 << shift for shift in range(1, 13) if 1 << shift <= struct.align)
            needed = next((one for one in wider if -(-end // one) * one == field.offset), None)
            if needed is None:
                raise GeneratorError(
                    f"{struct.name} ({struct.source}): {field.name} lies at {field.offset}, where"
                    " no alignas puts it"
                )
            before[-1] = f"alignas({needed}) "
        end = field.offset + size
    return Aligned(whole, tuple(before))
