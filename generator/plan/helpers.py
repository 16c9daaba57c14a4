"""The headers' inline functions that make a struct: which field each parameter sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from generator.errors import GeneratorError
from generator.plan import docs
from generator.plan.binding import Helper, StructType
from generator.rules import HelperRule


def helpers(
    rules: Iterable[HelperRule], structs: Sequence[StructType], value_of: Callable[[str], int]
) -> Iterator[Helper]:
    """The plan of each rule. GeneratorError for a missing struct, or one with other fields."""
    for rule in rules:
        where = f"helper.{rule.name}"
        index = next(
            (at for at, one in enumerate(structs) if rule.struct in (one.name, one.tag)), None
        )
        if index is None:
            raise GeneratorError(f"{where}: there is no struct {rule.struct}")
        fields = [one for one in structs[index].bound.fields if one.positional]
        items = rule.parameters or rule.values
        if len(items) != len(fields):
            names = ", ".join(one.name for one in fields)
            raise GeneratorError(
                f"{where}: {len(items)} values, but {rule.struct} has {len(fields)} fields: {names}"
            )
        try:
            values = [one if isinstance(one, int) else value_of(one) for one in rule.values]
        except GeneratorError as error:
            raise GeneratorError(f"{where}: {error}") from None
        arguments = ", ".join(
            f"{one.name}={value}" for one, value in zip(fields, items, strict=True)
        )
        typed = [one.type.declare(name) for one, name in zip(fields, rule.parameters, strict=False)]
        prototype = f"{rule.struct} {rule.name}({', '.join(typed) or 'void'})"
        yield Helper(
            rule.name,
            rule.struct,
            index,
            rule.parameters,
            tuple(values),
            docs.maker(structs[index], arguments, prototype, rule.parameters),
        )
