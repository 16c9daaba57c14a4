"""Checks rules against the C types of the parameters and functions that they are for.

A rule that fits none of them is refused with its place. A rule that fits some doesn't apply to the
others: a function of a new release must not make a family's rule fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator import formula
from generator.decide.shape import is_integer, is_signed, is_small, resolve
from generator.handles import parse
from generator.model import Api, Callback, CType, Function, Parameter
from generator.rules import COUNTING, Rule, Rules, RulesError
from generator.rules.kinds import KINDS, VALUES, On

# Numbers that hold a device address: CUdeviceptr.
ADDRESSES = ("unsigned long long", "unsigned long", "size_t", "uint64_t", "uintptr_t")
USER_DATA = CType("void", pointers=(False,))


def sort(api: Api, written: CType) -> On:
    """The name of the type in the tables of rules."""
    seen = resolve(api, written)
    base = seen.base
    if not seen.is_pointer:
        if base in api.callbacks:
            return On.CALLBACK
        if base in api.handles or (base in api.aliases and base not in api.enums):
            return On.HANDLE
        return On.NUMBER if is_small(api, base) else On.STRUCT
    const = seen.points_to_const
    if len(seen.pointers) > 1:
        if const:
            return On.READ_HANDLES
        return On.POINTERS if base == "void" and len(seen.pointers) == 2 else On.HANDLES
    if base == "void":
        return On.READ_MEMORY if const else On.MEMORY
    if base == "char":
        return On.TEXT if const else On.CHARS
    if base in api.handles or base in api.callbacks or base in api.aliases:
        return On.READ_HANDLES if const else On.HANDLES
    if is_small(api, base):
        return On.READ_NUMBERS if const else On.NUMBERS
    return On.READ_STRUCTS if const else On.STRUCTS


def _behind(api: Api, written: CType) -> On:
    """What a typedef of a pointer to a struct leads to, as in `typedef z_stream *z_streamp`."""
    forms = api.aliases.get(written.base)
    target = forms[-1].node.type if forms else written
    if target.pointers and resolve(api, CType(target.base)).base in api.structs:
        return On.READ_STRUCTS if target.const else On.STRUCTS
    return On.HANDLE


def misfit(api: Api, function: Function, parameter: Parameter, rule: Rule) -> str | None:
    """Why a rule can't be right for a parameter; None where it can."""
    target = sort(api, parameter.type)
    kind = KINDS[rule.kind]
    if target is On.HANDLE and target not in kind.on:
        target = _behind(api, parameter.type)
    if target not in kind.on:
        listed = ", ".join(one.value for one in kind.on)
        return f"kind = {rule.kind!r} is nothing for {target.value}; it is for {listed}"
    for key, value in rule.options.items():
        if (on := kind.keys[key].on) and target not in on:
            listed = ", ".join(one.value for one in on)
            return f"{key} is nothing for {target.value}; it is for {listed}"
        if (of := kind.keys[key].of) and (wrong := _named(api, function, key, value, of)):
            return wrong
    length = rule.options.get("length")
    if isinstance(length, str) and (wrong := _length(api, function, length)):
        return wrong
    return _special(api, function, parameter, rule, target)


def _named(api: Api, function: Function, key: str, name: object, of: Sequence[On]) -> str | None:
    """Why a parameter can't have the part that an option gives it; None if it can."""
    other = next((one for one in function.parameters if one.name == name), None)
    if other is None:
        return None  # reported where all names are looked up
    on = sort(api, other.type)
    numbers = (On.NUMBER, On.NUMBERS, On.READ_NUMBERS)
    if on in of and (on not in numbers or is_integer(api, other.type.base) or key == "by"):
        return None
    if key in COUNTING:
        listed = ", ".join(one.value for one in of)
        return f"{key} = {name!r}: {other.type} {name} is no count; a count is {listed}"
    return f"{key} = {name!r}: {other.type} {name} is {on.value}, not {of[0].value}"


def _length(api: Api, function: Function, text: str) -> str | None:
    """Why a formula over parameters can't be a length."""
    types = {one.name: one.type for one in function.parameters}
    for dotted in formula.fields(text):
        name, *path = dotted.split(".")
        if name not in types:
            continue  # reported where all names are looked up
        type = resolve(api, types[name])
        for field in path:
            forms = () if type.is_pointer else api.structs.get(type.base, ())
            known = {one.name: one.type for form in forms for one in form.node.fields}
            if field not in known:
                return f"length: {type} has no field {field}"
            type = resolve(api, known[field])
        if sort(api, type) is On.NUMBERS and not path:
            type = resolve(api, type.pointee)  # of kind "inout": looked up there, too
        if type.is_pointer or not (is_integer(api, type.base) or type.base in api.enums):
            return f"length: {type} {dotted} is no number"
    return None


def _special(api: Api, function: Function, parameter: Parameter, rule: Rule, on: On) -> str | None:
    """Why a rule can't be right, by conditions that no table can express."""
    written = rule.options.get("as")
    if isinstance(written, str) and not _is_known(api, parse(written, api.handles)):
        return f"as: there is no type {written}"
    if wrong := _asks(function, rule):
        return wrong
    match rule.kind:
        case "value" if on not in VALUES and parameter.type.is_pointer:
            if written is None or sort(api, parse(str(written), api.handles)) is not On.HANDLE:
                return f"a value behind {parameter.type} needs as = a handle's type"
        case "scalar" if on is On.READ_STRUCTS and not _is_complex(api, parameter.type):
            return f"{parameter.type} leads to no complex number, which two reals make"
        case "status" if resolve(api, function.result).base in api.enums:
            return f"it returns a {function.result}, so this is no status"
        case "out" if on is On.MEMORY and written is None:
            return "what C writes through a void * needs as = its type"
        case "array" if "of" not in rule.options:
            element = resolve(api, resolve(api, parameter.type).pointee)
            plain = (element.base, len(element.pointers)) == ("void", 1) or element.is_text
            if element.is_pointer and not plain:
                return f'an array of {element}, which no Python values are; use kind = "raw"'
        case "array" if on in (On.NUMBERS, On.READ_NUMBERS):
            element = resolve(api, resolve(api, parameter.type).pointee)
            if element.base not in ADDRESSES:
                return f"of: {element} holds no address: it is not as wide"
        case "typed_by" if rule.options["direction"] == "out" and parameter.type.points_to_const:
            return f'direction = "out", but C does not write through {parameter.type}'
        case "readable" | "writable" | "address" if on is On.NUMBER:
            if resolve(api, parameter.type).base not in ADDRESSES:
                return f"{parameter.type} holds no address: it is not as wide"
        case "out_bytes" if on is On.NUMBERS and not _is_byte(
            resolve(api, resolve(api, parameter.type).pointee)
        ):
            return f"{parameter.type} leads to no bytes"
        case "out_text" | "out_bytes" if "capacity" in rule.options:
            return _capacity(function, rule)
        case "out_lent" if (
            "count" not in rule.options and not resolve(api, parameter.type.pointee).is_text
        ):
            return f"{parameter.name} isn't a text, so it needs a count"
        case "ended" if parameter.type.pointee.base not in api.handles:
            return f"{parameter.type} leads to no handle"
        case "record":
            struct = resolve(api, resolve(api, parameter.type).pointee)
            if len(struct.pointers) != 1 or struct.base not in api.structs:
                return f"{parameter.type} leads to no address of a struct"
        case "callback":
            return _no_callable(api, parameter.type, rule)
    return None


def _is_complex(api: Api, type: CType) -> bool:
    """Whether a pointer leads to a struct of two floats or two doubles."""
    forms = api.structs.get(resolve(api, type).base, ())
    kinds = [[str(resolve(api, one.type)) for one in form.node.fields] for form in forms]
    return bool(kinds) and all(one in (["float"] * 2, ["double"] * 2) for one in kinds)


def _is_pointer(function: Function, name: str) -> bool:
    return any(one.name == name and one.type.is_pointer for one in function.parameters)


def _asks(function: Function, rule: Rule) -> str | None:
    """Why a first call with NULL gives no size."""
    count = rule.options.get("count", rule.options.get("capacity"))
    pointer = isinstance(count, str) and _is_pointer(function, count)
    if "asking" in rule.options and not (pointer or "asks" in rule.options):
        return "asking: there is no first call; it needs asks"
    if "asks" not in rule.options:
        return None
    if count is None or not (pointer or "written" in rule.options):
        return "asks: nothing gives the size; written says where C writes it"
    return "asks and asked_by: give either" if "asked_by" in rule.options else None


def _capacity(function: Function, rule: Rule) -> str | None:
    """Why the capacity of a buffer isn't known, or is known twice."""
    known = [one for one in ("default", "asked_by", "asks") if one in rule.options]
    if not _is_pointer(function, str(rule.options["capacity"])):
        return (
            "asked_by: the capacity is no pointer, so give either" if "asked_by" in known else None
        )
    if not known:
        return "a capacity behind a pointer needs a default, asked_by, or asks"
    return f"{' and '.join(known)}: give either" if len(known) > 1 else None


def _is_byte(type: CType) -> bool:
    return not type.is_pointer and type.base in (
        "unsigned char",
        "signed char",
        "uint8_t",
        "int8_t",
    )


def _no_callable(api: Api, type: CType, rule: Rule) -> str | None:
    """Why no callable can stand in for a callback."""
    message = f"no callable can stand in for a {type}: "
    forms = api.callbacks.get(resolve(api, type).base)
    if not forms:
        return f'{message}its parameters aren\'t known; use kind = "raw"'
    node = forms[-1].node
    if rule.options.get("memory") and not _is_about_memory(api, node, rule):
        return "memory: its parameters are no pointer to memory, with sizes"
    result = resolve(api, node.result)
    counts = is_integer(api, result.base) or result.base in api.enums or result.base == "bool"
    if result.is_pointer or (result != CType("void") and not counts):
        return f'{message}it gives a {node.result}; use kind = "raw"'
    if result == CType("void") and "failed" in rule.options:
        return "failed: C takes no result"
    names = [one.name for one in node.parameters]
    for key in ("lent", "by"):
        if key in rule.options and rule.options[key] not in names:
            return f"{key}: {rule.options[key]!r} is no parameter of the callback's"
    if rule.options["lives"] == "replaced":
        return None
    carriers = [one.name for one in node.parameters if one.type == USER_DATA]
    data = rule.options.get("data")
    if data is not None and data not in carriers:
        listed = ", ".join(carriers) or "none"
        return f"data: {data!r} is no void * of the callback's; there is {listed}"
    if data is None and len(carriers) != 1:
        named = f"data says which of {', '.join(carriers)}" if carriers else 'use kind = "raw"'
        return f"{message}not one void * is for its data; {named}"
    return None


def _is_about_memory(api: Api, node: Callback, rule: Rule) -> bool:
    """Whether a callback asks for memory, or gives it back."""
    types = [resolve(api, one.type) for one in node.parameters]
    if rule.options["memory"] == "asked":
        size = CType("size_t", pointers=(False,))
        return len(types) > 1 and len(types[0].pointers) == 2 and set(types[1:]) == {size}
    pointers = [(at, one) for at, one in enumerate(types) if len(one.pointers) == 1]
    buffers = [at for at, one in pointers if _is_byte(one.pointee)]
    return len(buffers) == 1 and types[buffers[0] + 1 :][:2] == [CType("size_t")] * 2


def _is_known(api: Api, type: CType) -> bool:
    base = resolve(api, CType(type.base)).base
    kinds = (api.structs, api.enums, api.handles, api.callbacks, api.aliases)
    return is_small(api, base) or base == "void" or any(base in kind for kind in kinds)


class RefusedError(RulesError):
    """The first rule that can't be right; `every` has one text for each that can't."""

    def __init__(self, every: Sequence[str]) -> None:
        super().__init__(every[0])
        self.every = tuple(every)


def refuse(api: Api, rules: Rules) -> None:
    """Raise RefusedError if rules can't be right; they are in the order of functions."""
    wrong: dict[str, str] = {}
    right: set[str] = set()
    for name, variants in api.functions.items():
        if rules.exclude(name) is not None:
            continue
        for variant in reversed(variants):
            for place, reason in _judged(api, rules, variant.node):
                if reason is None:
                    right.add(place)
                else:
                    wrong.setdefault(place, reason)
    begin = f"api_specs/{rules.api}/rules.toml"
    if every := [f"{begin}: {place}: {why}" for place, why in wrong.items() if place not in right]:
        raise RefusedError(every)
    _refuse_helpers(api, rules)


def _judged(api: Api, rules: Rules, function: Function) -> Iterator[tuple[str, str | None]]:
    """Every key that decides something about a function, and what is wrong with it, or None."""
    at = f"of {function.name} ({function.source})"
    for parameter in function.parameters:
        if rule := rules.parameter(function, parameter):
            reason = misfit(api, function, parameter, rule)
            if reason is None and rule.options.get("lacking") and not rules.adapted(function.name):
                reason = "lacking: no older form is adapted, so it is never left out"
            yield rule.where, reason and f"{parameter.type} {parameter.name} {at}: {reason}"
    deciding = {
        key: one for one in reversed([*rules.cascade(function.name)]) for key in one.own_keys()
    }
    result = resolve(api, function.result)
    for key, rule_of in deciding.items():
        place, reason = f"{rule_of.where}.{key}", None
        if key == "absent" and result != CType("char", True, (False,)):
            reason = f"{rule_of.absent} is a text; the result {at} is {function.result}"
        elif key == "checked" and rule_of.checked != "error" and result.base not in api.enums:
            reason = f"the result {at} is {function.result}, no status"
        elif key == "result" and rule_of.result == "count" and not is_signed(api, result):
            reason = f"the result {at} is {function.result}, no number that may be below 0"
        elif key == "adapt":
            if rule_of.pattern != function.name:
                continue  # `adapt` is for exactly this name
            older = [form.until for form in api.functions[function.name][:-1]]
            if odd := [one for one in rule_of.adapt if one not in older]:
                ends = ", ".join(older) or "none"
                reason = f"no older form {at} ends with {', '.join(odd)}; there ends: {ends}"
        elif key == "handwritten" and not rule_of.adapt:
            reason = "no older form is adapted"
        elif key == "twin" and rule_of.twin not in api.functions:
            reason = f"there is no function {rule_of.twin}"
        yield place, reason


def _refuse_helpers(api: Api, rules: Rules) -> None:
    """Refuse names of helpers that don't begin with make_<struct>, or a function that makes it."""
    for helper in rules.helpers:
        struct = CType(helper.struct)
        makers = {f"make_{helper.struct}"} | {
            name
            for name, forms in api.functions.items()
            if resolve(api, forms[-1].node.result) == resolve(api, struct)
        }
        if helper.name in api.functions or not any(map(helper.name.startswith, makers)):
            begins = " or ".join(sorted(makers))
            raise RulesError(
                f"api_specs/{rules.api}/rules.toml: helper.{helper.name}: the function that"
                f" makes a {helper.struct} must have a name that begins with {begins}, and must not"
                " be exported"
            )
