"""Makes an enum of statuses that are plain integers or structs in C, or that C lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from generator.errors import GeneratorError
from generator.manifest import Status
from generator.model import Api, CType, Enum, Enumerator, Function, Source, Variant
from generator.plan.ctypes import Types
from generator.plan.reachable import is_anonymous
from generator.rules import Rules
from generator.scalars import INTEGERS


def as_enum(api: Api, rules: Rules, status: Status) -> tuple[Api, str]:
    """The API with an enum as its statuses' type, and that enum's name.

    An enum of C's stays as it is, but for codes beyond an int: 0xffffffff is -1. A plain integer is
    replaced by an enum in every function that returns it, unless a rule says that the function
    returns a value. The enum is the one whose enumerators are the codes, else a new one, made of
    macros, with the name of the class. A struct of two enums is replaced by its first one, which
    then has the size of both. GeneratorError for any other type.
    """
    base = None
    if status.type is not None:
        resolved = Types.of(api).resolve(CType(status.type))
        if resolved.base in api.enums and not resolved.is_pointer:
            _refuse_results(api, rules, None)
            return _within_int(api, resolved.base), resolved.base
        if resolved.base in api.structs and not resolved.is_pointer:
            _refuse_results(api, rules, None)
            return _of_struct(api, resolved.base)
        if resolved.base not in INTEGERS or resolved.is_pointer:
            raise GeneratorError(f"{api.name}: api.json has no status type {status.type}")
        base = resolved.base
    _refuse_results(api, rules, status.type)
    codes = _codes(api, status)
    named = {one.name for one in codes}
    if name := _holder(api, named):
        return replace(api, functions=_returning(api, rules, status.type, name)), name
    name = status.class_
    known = (api.structs, api.enums, api.aliases, api.handles, api.callbacks)
    if any(name in kind for kind in known):
        raise GeneratorError(
            f"api_specs/{api.name}/api.toml: status.class: {name} is a type of C's already"
        )
    every = (one.node.source for forms in api.functions.values() for one in forms)
    enum = Enum(name, base or "int", tuple(codes), next(every, Source("", 0)))
    span = (api.releases[0], api.releases[-1])
    return (
        replace(
            api,
            functions=_returning(api, rules, status.type, name),
            enums={**dict(_without(api.enums, named)), name: (Variant(*span, enum),)},
            macros={key: forms for key, forms in api.macros.items() if key not in named},
        ),
        name,
    )


def second_code(api: Api, status: Status) -> tuple[str, str] | None:
    """The struct that statuses are, and the enum of its second code; None for other statuses."""
    resolved = Types.of(api).resolve(CType(status.type)) if status.type else None
    if resolved is None or resolved.base not in api.structs:
        if status.detailed:
            raise GeneratorError(
                f"api_specs/{api.name}/api.toml: status.detailed: {status.type} is no struct"
            )
        return None
    if status.detailed is None:
        raise GeneratorError(
            f"api_specs/{api.name}/api.toml: status.detailed: {status.type} is a struct of two"
            " codes, so the code beside which the second one counts is needed"
        )
    return resolved.base, _codes_of(api, resolved.base)[1]


def _codes_of(api: Api, struct: str) -> tuple[str, str]:
    """The enums of a struct of two codes."""
    types = Types.of(api)
    forms = api.structs[struct]
    enums = [types.resolve(one.type).base for one in forms[-1].node.fields]
    whole = len(forms) == 1 and forms[0].node.size == 8 and forms[0].node.kind == "struct"
    if not whole or len(enums) != 2 or not all(one in api.enums for one in enums):
        raise GeneratorError(f"{api.name}: the status {struct} is no struct of two enums")
    return enums[0], enums[1]


def _of_struct(api: Api, struct: str) -> tuple[Api, str]:
    """The API with the struct's first enum as its status, as wide as the struct.

    C returns such a struct in a register, the first code in the lower half.
    """
    types = Types.of(api)
    name, _ = _codes_of(api, struct)
    functions = [one.node for forms in api.functions.values() for one in forms]
    used = {types.resolve(one.type).base for each in functions for one in each.parameters}
    used |= {types.resolve(one.result).base for one in functions}
    fields = (
        types.resolve(field.type).base
        for other, forms in api.structs.items()
        if other != struct
        for one in forms
        for field in one.node.fields
    )
    if name in used or name in fields:
        raise GeneratorError(f"{api.name}: {name} is more than a code of {struct}")
    wide = tuple(
        replace(one, node=replace(one.node, underlying="unsigned long long"))
        for one in api.enums[name]
    )

    return (
        replace(
            api,
            functions={
                key: tuple(
                    replace(
                        one, node=replace(one.node, result=_instead(one.node.result, struct, name))
                    )
                    for one in forms
                )
                for key, forms in api.functions.items()
            },
            aliases={
                key: tuple(
                    replace(one, node=replace(one.node, type=_instead(one.node.type, struct, name)))
                    for one in forms
                )
                for key, forms in api.aliases.items()
            },
            structs={key: forms for key, forms in api.structs.items() if key != struct},
            enums={**api.enums, name: wide},
        ),
        name,
    )


def _instead(type: CType, struct: str, name: str) -> CType:
    """The type, with the enum in place of the struct."""
    return replace(type, base=name) if type.base == struct else type


def _within_int(api: Api, name: str) -> Api:
    """The API with the codes of an enum as an int holds them, which is what PyGPU gets."""
    forms = tuple(
        replace(one, node=replace(one.node, enumerators=tuple(map(_as_int, one.node.enumerators))))
        for one in api.enums[name]
    )
    return replace(api, enums={**api.enums, name: forms})


def _as_int(code: Enumerator) -> Enumerator:
    return replace(code, value=code.value - 2**32) if code.value >= 2**31 else code


def _codes(api: Api, status: Status) -> list[Enumerator]:
    """The codes that the headers name, sorted by value, each with its newest number."""
    pattern = re.compile(status.names) if status.names else None
    codes = {name: value for name, value in _numbers(api) if pattern and pattern.fullmatch(name)}
    if pattern and not codes:
        raise GeneratorError(
            f"api_specs/{api.name}/api.toml: status.names: no macro and no enumerator is called so"
        )
    return sorted((Enumerator(*one) for one in codes.items()), key=lambda one: one.value)


def _numbers(api: Api) -> Iterator[tuple[str, int]]:
    for name, macros in api.macros.items():
        yield name, macros[-1].node.value
    for enums in api.enums.values():
        yield from ((one.name, one.value) for form in enums for one in form.node.enumerators)


def _holder(api: Api, named: set[str]) -> str | None:
    """The enum with a name that has all the codes; None if no such enum has any."""
    holders = {
        name: {one.name for one in forms[-1].node.enumerators}
        for name, forms in api.enums.items()
        if not is_anonymous(name)
    }
    enums = [name for name, held in holders.items() if held & named]
    if not enums:
        return None
    if len(enums) > 1 or not named <= holders[enums[0]]:
        raise GeneratorError(
            f"api_specs/{api.name}/api.toml: status.names: {', '.join(enums)} has such names, but"
            " not all of them"
        )
    return enums[0]


def _without(
    enums: Mapping[str, tuple[Variant[Enum], ...]], named: set[str]
) -> Iterator[tuple[str, tuple[Variant[Enum], ...]]]:
    """The enums without the codes; an enum with nothing but codes is left out."""
    for name, forms in enums.items():
        left = [
            replace(one, node=replace(one.node, enumerators=kept))
            for one in forms
            if (kept := tuple(it for it in one.node.enumerators if it.name not in named))
        ]
        if left or not any(one.node.enumerators for one in forms):
            yield name, tuple(left) or forms


def _returning(
    api: Api, rules: Rules, type: str | None, name: str
) -> Mapping[str, tuple[Variant[Function], ...]]:
    """The functions, with the enum as the result of those that return a status."""
    if type is None:
        return api.functions

    def result(function: Function) -> Function:
        rule = rules.result(function.name)
        is_status = function.result == CType(type) and not (
            rule and rule.result in ("value", "count")
        )
        return replace(function, result=CType(name)) if is_status else function

    return {
        key: tuple(replace(one, node=result(one.node)) for one in forms)
        for key, forms in api.functions.items()
    }


def _refuse_results(api: Api, rules: Rules, type: str | None) -> None:
    """Refuse a rule about results that is for no function."""
    decides = {
        rule.where
        for name, forms in api.functions.items()
        if type is not None and forms[-1].node.result == CType(type)
        if (rule := rules.result(name))
    }
    for rule in (*rules.functions.values(), *rules.families):
        if rule.result not in (None, "count") and rule.where not in decides:
            reason = (
                f"no function that it decides returns {type}" if type else "statuses are an enum"
            )
            raise GeneratorError(f"api_specs/{api.name}/rules.toml: {rule.where}.result: {reason}")
