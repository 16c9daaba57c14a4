"""How a function's newest form calls a library that has an older form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from generator.decide.decision import Decision
from generator.errors import GeneratorError
from generator.model import Api, CType, Function, Parameter
from generator.plan.binding import Adaptor, EntryPoint, OlderArgument
from generator.plan.ctypes import Types
from generator.review import settled
from generator.rules import Rules


def adaptors(
    api: Api,
    types: Types,
    rules: Rules,
    decided: Mapping[str, Mapping[str, Decision]],
    entries: Iterable[EntryPoint],
) -> Iterator[Adaptor]:
    """The adaptors that the entries need, without the handwritten ones."""
    every = tuple(entries)
    older = {one.name: one for one in every if not one.function}
    for entry in every:
        if not entry.function or rules.handwritten(entry.function):
            continue
        form = api.functions[entry.function][settled(api.functions[entry.function], rules.reviewed)]
        for name in sorted({one.adaptor for one in entry.others if one.adaptor}):
            yield _compose(
                types, rules, decided[entry.function], name, form.node, older[name].parameters
            )


def _compose(
    types: Types,
    rules: Rules,
    decisions: Mapping[str, Decision],
    name: str,
    newest: Function,
    older: tuple[Parameter, ...],
) -> Adaptor:
    known = {one.name: one for one in newest.parameters}
    alone = [one for one in newest.parameters if one.name not in {it.name for it in older}]
    structs = [one for one in alone if _is_struct(types, one.type)]
    arguments = []
    for one in older:
        if same := known.get(one.name):
            arguments.append(_passed(types, rules, newest, same, one))
        elif not one.type.is_pointer and len(structs) == 1:
            arguments.append(OlderArgument(one.name, one.type, structs.pop().name, converted=True))
        elif (rule := rules.parameter(newest, one)) and rule.kind == "out":
            arguments.append(OlderArgument(one.name, one.type.pointee))
        else:
            raise _impossible(rules, newest, one.name, "the newest form has no value for it")
    converted = {one.value for one in arguments if one.converted}
    refused = [
        one.name for one in alone if one.name not in converted and not decisions[one.name].is_output
    ]
    if structs:
        raise _impossible(rules, newest, structs[0].name, "the older form has nothing for it")
    return Adaptor(name, newest.result, newest.parameters, tuple(refused), tuple(arguments))


def _passed(
    types: Types, rules: Rules, newest: Function, one: Parameter, older: Parameter
) -> OlderArgument:
    mine, its = types.resolve(one.type), types.resolve(older.type)
    if (mine.base, len(mine.pointers)) != (its.base, len(its.pointers)):
        raise _impossible(rules, newest, one.name, f"it was {older.type}, and is {one.type}")
    return OlderArgument(older.name, older.type, one.name, cast=mine.is_pointer and mine != its)


def _is_struct(types: Types, type: CType) -> bool:
    return not type.is_pointer and types.resolve(type).base in types.structs


def _impossible(rules: Rules, function: Function, parameter: str, why: str) -> GeneratorError:
    return GeneratorError(
        f"api_specs/{rules.api}/rules.toml: function.{function.name}.adapt: {parameter} of an older"
        f" form can't be told from today's form: {why}. Write the adaptor, and say handwritten ="
        " true"
    )
